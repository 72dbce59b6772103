package catalogue

import (
	"path"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/cmdline"
)

// program is a path by which a process's program may be known, with slashes one
// way, and its [cmdline.ProgramName].
type program struct{ path, name string }

func programOf(file string) program {
	return program{path: cmdline.Slashed(file), name: cmdline.ProgramName(file)}
}

// isVersion reports a program named by its version, as clients have them in their
// homes.
func isVersion(file string) bool {
	base := path.Base(file)
	return base[0] >= '0' && base[0] <= '9'
}

// mayBeServer reports a process whose command line must be examined for a server.
// Every server has mcp or Model Context Protocol in its name or arguments, except for
// the known ones.
func (s sighting) mayBeServer() bool {
	isEntry := func(entry knownServer) bool { return entry.name == s.called || s.is(entry.name) }
	if slices.ContainsFunc(knownServers, isEntry) || mentionsServer(s.exe) {
		return true
	}
	isCLI := func(p program) bool { return cmdline.IsContainerCLI(p.path) }
	return slices.ContainsFunc(s.programs, isCLI) || slices.ContainsFunc(s.process.Argv, mentionsServer)
}

// mentionsServer reports a text with mcp in it, in any spelling, or with the words
// that it stands for.
func mentionsServer(text string) bool {
	lower := strings.ToLower(text)
	return strings.Contains(lower, "mcp") || strings.Contains(lower, "modelcontextprotocol")
}
