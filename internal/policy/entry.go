package policy

import (
	"path"
	"strings"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Entry is a session or server that the policy adds to the catalogue.
type Entry struct {
	Name string
	// Exe are globs for the program, any of which is enough, on its base name
	// or its path. Argv are globs each of which matches some argument, in order.
	// Where both are given both hold; where neither is, nothing matches.
	Exe, Argv []string
	Origin    Origin
}

// Matches reports whether the entry is about that process. The program is what
// runs and what the process calls itself.
func (e Entry) Matches(p *inventory.Process) bool {
	if len(e.Exe) == 0 && len(e.Argv) == 0 {
		return false
	}
	arguments := p.Args()
	if len(e.Exe) > 0 && !anyGlob(e.Exe, programs(p.Exe, arguments)...) {
		return false
	}
	return inOrder(e.Argv, arguments)
}

// programs are the names of what runs. An executable that was replaced by an
// upgrade is marked as deleted by the kernel and still the same program.
func programs(exe string, arguments []string) []string {
	var names []string
	if exe = strings.TrimSuffix(exe, " (deleted)"); exe != "" {
		names = append(names, exe, path.Base(exe))
	}
	if len(arguments) > 0 && arguments[0] != "" {
		names = append(names, arguments[0], path.Base(arguments[0]))
	}
	return names
}
