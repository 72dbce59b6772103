package discover

import (
	"path"
	"strings"
)

// Forbidden reports whether macOS asks its user for permission when a daemon as
// much as stats a path: removable volumes, and Documents, Desktop, Downloads
// and Library of the given home or of anyone's below /Users. A path that is not
// absolute could be anywhere, so it is forbidden too. Case does not matter, as
// it does not to the file system.
func Forbidden(name, home string) bool {
	if !strings.HasPrefix(name, "/") {
		return true
	}
	name = withoutFirmlink(path.Clean(name))
	if hasFolder(name, "/Volumes") {
		return true
	}
	return guardedBelow(name, withoutFirmlink(path.Clean(home))) || guardedBelow(name, anyHome(name))
}

// withoutFirmlink is a path as users know it: the data volume of macOS is
// mounted here and shows through at /.
func withoutFirmlink(name string) string {
	const data = "/System/Volumes/Data"
	if hasFolder(name, data) && len(name) > len(data) {
		return name[len(data):]
	}
	return name
}

// anyHome is the folder below /Users that a path lies in.
func anyHome(name string) string {
	if !hasFolder(name, "/Users") {
		return ""
	}
	user, _, _ := strings.Cut(strings.TrimPrefix(name[len("/Users"):], "/"), "/")
	return "/Users/" + user
}

func guardedBelow(name, home string) bool {
	if !strings.HasPrefix(home, "/") {
		return false
	}
	home = strings.TrimSuffix(home, "/")
	for _, folder := range [...]string{"/Documents", "/Desktop", "/Downloads", "/Library"} {
		if hasFolder(name, home+folder) {
			return true
		}
	}
	return false
}

// hasFolder is within, for a file system that does not tell case apart.
func hasFolder(name, folder string) bool {
	if len(name) < len(folder) || !strings.EqualFold(name[:len(folder)], folder) {
		return false
	}
	return len(name) == len(folder) || name[len(folder)] == '/'
}
