package human

import (
	"path/filepath"
	"slices"
	"strings"
)

// Home is the home folder of the person who reads, as HOME has it; empty if it is unknown.
// Screens write it as "~".
type Home string

// Short writes "~" for the reader's home at the beginning of a path, or behind the = of an
// option. For the usual home, on Linux or macOS, of the user whom the path is about it writes
// "~ann", as a shell does. Nothing is read from the host.
func (h Home) Short(path, user string) string {
	option, p := optionOf(path)
	if rest, below := beneath(p, string(h)); below {
		return option + "~" + rest
	}
	for _, home := range usualHomes(user) {
		if rest, below := beneath(p, home); below {
			return option + "~" + user + rest
		}
	}
	return path
}

// IsUsualOf reports whether it is the usual home of a user.
func (h Home) IsUsualOf(user string) bool { return slices.Contains(usualHomes(user), string(h)) }

// beneath cuts a home folder off the beginning of a path. below is false if the path is not below it.
func beneath(path, home string) (rest string, below bool) {
	if home = filepath.Clean(home); !filepath.IsAbs(home) || home == "/" {
		return "", false
	}
	rest, begins := strings.CutPrefix(path, home)
	return rest, begins && (rest == "" || rest[0] == '/')
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
