package catalogue

import (
	"path"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/cmdline"
)

// This file says quickly of most processes that no entry is theirs. What may be
// somebody's by its name is compared with the entries one by one.

// program is a path by which a process's program may be known, with slashes one
// way, and its [cmdline.ProgramName].
type program struct{ path, name string }

func programOf(file string) program {
	return program{path: cmdline.Slashed(file), name: cmdline.ProgramName(file)}
}

// names are those of all entries together, of which each may end in *.
type names struct {
	whole  cmdline.Words
	starts []string
}

func (n *names) add(patterns []string) {
	for _, pattern := range patterns {
		if start, open := strings.CutSuffix(pattern, "*"); open {
			n.starts = append(n.starts, start)
		}
		n.whole[pattern] = true
	}
}

func (n *names) has(name string) bool {
	if n.whole[name] {
		return true
	}
	for _, start := range n.starts {
		if strings.HasPrefix(name, start) {
			return true
		}
	}
	return false
}

// index holds the names of all entries of a kind.
type index struct{ programs, titles names }

func newIndex() index {
	return index{programs: names{whole: cmdline.Words{}}, titles: names{whole: cmdline.Words{}}}
}

var (
	clientIndex  = indexOfClients()
	desktopIndex = indexOfDesktops()
	gatewayIndex = indexOfGateways()
	serverIndex  = indexOfServers()
)

func indexOfClients() index {
	x := newIndex()
	for i := range clients {
		x.programs.add(clients[i].Programs)
		x.titles.add(clients[i].Titles)
	}
	return x
}

func indexOfDesktops() index {
	x := newIndex()
	for i := range clients {
		for _, desktop := range clients[i].Desktop {
			x.programs.add(desktop.Programs)
			x.programs.add(desktop.Helpers)
		}
	}
	return x
}

func indexOfGateways() index {
	x := newIndex()
	for i := range gateways {
		x.programs.add(gateways[i].Programs)
	}
	return x
}

func indexOfServers() index {
	x := newIndex()
	for _, known := range knownServers {
		x.programs.add([]string{known.name})
	}
	return x
}

// mayBeClient reports whether a process has to be compared with the clients.
func (s sighting) mayBeClient() bool {
	if s.command.Script || clientIndex.titles.has(strings.ToLower(s.title)) {
		return true
	}
	for _, program := range s.programs {
		if clientIndex.programs.has(program.name) || isVersion(program.path) {
			return true
		}
	}
	return false
}

// isVersion reports a program named by its version, as clients have them in their
// homes.
func isVersion(file string) bool {
	base := path.Base(file)
	return base[0] >= '0' && base[0] <= '9'
}

// mayBeDesktop reports whether a process has to be compared with the clients on the
// desktop.
func (s sighting) mayBeDesktop() bool {
	if s.command.Script || hasDesktopPart(s.title) || hasDesktopPart(s.process.Exe) {
		return true
	}
	return s.isAnyOf(&desktopIndex.programs)
}

// hasDesktopPart reports a path or a title that a client on the desktop may have.
func hasDesktopPart(text string) bool {
	return strings.Contains(text, ".app/") || strings.Contains(text, " Helper")
}

// mayBeGateway reports whether a process has to be compared with the gateways.
func (s sighting) mayBeGateway() bool {
	return gatewayIndex.programs.has(s.called) || s.isAnyOf(&gatewayIndex.programs)
}

// mayBeServer reports a process whose command line must be examined for a server.
// Every server has mcp or Model Context Protocol in its name or arguments, except for
// the known ones.
func (s sighting) mayBeServer() bool {
	if serverIndex.programs.has(s.called) || s.isAnyOf(&serverIndex.programs) || mentionsServer(s.exe) {
		return true
	}
	for _, program := range s.programs {
		if cmdline.IsContainerCLI(program.path) {
			return true
		}
	}
	return slices.ContainsFunc(s.process.Argv, mentionsServer)
}

// mentionsServer reports a text with mcp in it, in any spelling, or with the words
// that it stands for.
func mentionsServer(text string) bool {
	for len(text) >= len("mcp") {
		at := strings.IndexAny(text, "mM")
		if at < 0 {
			return false
		}
		text = text[at+1:]
		if hasPrefixFold(text, "cp") || hasPrefixFold(text, "odelcontextprotocol") {
			return true
		}
	}
	return false
}

func hasPrefixFold(text, prefix string) bool {
	return len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix)
}

func (s sighting) isAnyOf(all *names) bool {
	for _, program := range s.programs {
		if all.has(program.name) {
			return true
		}
	}
	return false
}
