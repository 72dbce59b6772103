package cmdline

import (
	"path"
	"slices"
	"strings"
)

// MatchOf makes the match of a policy that names exactly this program: its key (exe
// or argv) and a glob. A program is named by its executable; a script that an
// interpreter or a shell runs, by the argument.
func MatchOf(exe string, argv []string) (key, glob string) {
	if exe == "" && len(argv) > 0 {
		exe = argv[0]
	}
	command := Read(argv)
	if !RunsOthers(ProgramName(exe)) || len(command.Argv) == 0 {
		return "exe", asGlob(path.Base(exe))
	}
	glob = asGlob(command.Argv[0])
	if !slices.Contains(argv, command.Argv[0]) { // a word of a shell's line
		glob = "*" + glob + "*"
	}
	return "argv", glob
}

// asGlob is the glob that matches exactly this text.
func asGlob(text string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "{", `\{`, "}", `\}`).Replace(text)
}
