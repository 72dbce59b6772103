package human

import (
	"path/filepath"
	"strings"
)

// Home is the home folder of the person who reads, as HOME has it; empty if it is unknown.
// Screens write it as "~".
type Home string

// Short writes "~" for the reader's home at the beginning of a path, or behind the = of an option.
func (h Home) Short(path string) string {
	option, p := optionOf(path)
	home := filepath.Clean(string(h))
	rest, begins := strings.CutPrefix(p, home)
	if !begins || home == "/" || !filepath.IsAbs(home) || rest != "" && rest[0] != '/' {
		return path
	}
	return option + "~" + rest
}

// Command joins the arguments of a process, each as Short writes it.
func (h Home) Command(argv []string) string {
	short := make([]string, len(argv))
	for i, arg := range argv {
		short[i] = h.Short(arg)
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
