package policy

import (
	"path"
	"strings"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Entry is a session or server that the policy adds to the catalogue.
type Entry struct {
	Name string
	// Exe are globs for the program's base name or path; any of them is enough. Argv
	// are globs that must all match arguments, in order. If both are given, both must
	// hold; if neither is, nothing matches.
	Exe, Argv []string
}

// Matches reports that the entry means that process. Its program is the executable
// and the first argument.
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

// Trust is a container, or a program, that only watches a container engine: its connections
// keep no container of others.
type Trust struct {
	Name string
	// Image and Container are globs for a container's image and name; Exe and Argv are those of
	// an [Entry].
	Image, Container []string
	Exe, Argv        []string
}

// MatchesContainer reports that the entry means that container.
func (t Trust) MatchesContainer(c *inventory.Container) bool {
	if len(t.Image) == 0 && len(t.Container) == 0 {
		return false
	}
	return (len(t.Image) == 0 || anyGlob(t.Image, imageNames(c.Image)...)) && (len(t.Container) == 0 || anyGlob(t.Container, c.Called()))
}

// MatchesProcess reports that the entry means that process.
func (t Trust) MatchesProcess(p *inventory.Process) bool {
	return Entry{Exe: t.Exe, Argv: t.Argv}.Matches(p)
}

// programs are the names of the program that runs. The kernel marks an executable
// that an upgrade has replaced as deleted; it still has its name.
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
