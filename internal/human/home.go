package human

import (
	"path/filepath"
	"strings"
)

// Home is the home folder of the person who reads, as HOME has it; empty if it is unknown.
// Screens write it as "~".
type Home string

// Short writes "~" for a home folder at the beginning of a path, or behind the = of an
// option: for the reader's or else, if the path is about another user, for the usual one
// of that user on Linux or macOS. Nothing is read from the host.
func (h Home) Short(path, user string) string {
	option, p := optionOf(path)
	for _, home := range append([]string{string(h)}, usualHomes(user)...) {
		if home = filepath.Clean(home); !filepath.IsAbs(home) || home == "/" {
			continue
		}
		if rest, below := strings.CutPrefix(p, home); below && (rest == "" || rest[0] == '/') {
			return option + "~" + rest
		}
	}
	return path
}

// Command joins the arguments of a user's process, each as Short writes it.
func (h Home) Command(argv []string, user string) string {
	short := make([]string, len(argv))
	for i, arg := range argv {
		short[i] = h.Short(arg, user)
	}
	return strings.Join(short, " ")
}

// optionOf splits "--dir=/home/dev" into "--dir=" and the path.
func optionOf(arg string) (option, path string) {
	option, path, found := strings.Cut(arg, "=")
	if !found || !strings.HasPrefix(option, "-") {
		return "", arg
	}
	return option + "=", path
}

func usualHomes(user string) []string {
	switch user {
	case "":
		return nil
	case "root":
		return []string{"/root", "/var/root"}
	}
	return []string{"/home/" + user, "/Users/" + user}
}
