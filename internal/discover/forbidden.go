package discover

import (
	"path"
	"strings"
)

// Forbidden reports a path for which macOS asks the user's permission as soon as a
// daemon calls stat: removable volumes, and Documents, Desktop, Downloads and Library
// of this home or any below /Users. A path that is not absolute is forbidden too,
// since it could be anywhere. Case does not matter, as in the file system.
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

// withoutFirmlink is a path as users know it: macOS mounts the data volume below this
// prefix and also shows it at /.
func withoutFirmlink(name string) string {
	const data = "/System/Volumes/Data"
	if hasFolder(name, data) && len(name) > len(data) {
		return name[len(data):]
	}
	return name
}

// anyHome is the folder below /Users that contains a path.
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

// hasFolder is within for a file system that ignores case.
func hasFolder(name, folder string) bool {
	if len(name) < len(folder) || !strings.EqualFold(name[:len(folder)], folder) {
		return false
	}
	return len(name) == len(folder) || name[len(folder)] == '/'
}
