package discover

import (
	"cmp"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/inventory"
)

// The ways in which a configuration names a process.
const (
	ByCommand = "command"
	ByURL     = "url"       // [Set.MatchURL]
	ByOthers  = "elsewhere" // a URL in another user's configuration, or in one outside its container
)

// Match finds the configured server that a process is, by its whole command line; nil if there is none. If
// several fit, it takes a user's own before a project's, then the one of the deepest folder around the working directory,
// then one without variables, then the first by file and name. The outermost wrapper
// matches (`npm exec PACKAGE`), not the processes below it.
//
// Match is called for every process of the table. A program that nobody configured
// costs a few look-ups and no memory. A command line that is not completely known
// matches nothing.
func (s Set) Match(p *inventory.Process) *Server {
	if len(s.index) == 0 || len(p.Argv) == 0 || p.ArgvHash != "" {
		return nil
	}
	var best *candidate
	var args []string
	keys := programs(p)
	for i, key := range keys {
		candidates := s.index[key]
		if key == "" || len(candidates) == 0 || slices.Contains(keys[:i], key) {
			continue
		}
		if args == nil {
			args = p.Args()
		}
		best = better(best, candidates, p, args)
	}
	if best == nil {
		return nil
	}
	return best.server
}

// MatchURL finds the server with a configured address on this machine at which a process listens; nil if there is none.
// own reports that the process's own user has configured it.
func (s Set) MatchURL(p *inventory.Process) (found *Server, own bool) {
	for _, port := range p.ListenPorts {
		for _, server := range s.ports[port] {
			if server.mayOwn(p) {
				return server, true
			}
			found = cmp.Or(found, server)
		}
	}
	return found, false
}

// Knows reports whether the program of a process is configured, whatever its
// arguments, its user and its working directory are.
func (s Set) Knows(p *inventory.Process) bool {
	if len(s.index) == 0 || len(p.Argv) == 0 {
		return false
	}
	for _, key := range programs(p) {
		if key != "" && len(s.index[key]) > 0 {
			return true
		}
	}
	return false
}

// programs are the names under which a process's program may be configured: that of
// its first word, of its executable, of the script that it interprets.
func programs(p *inventory.Process) [4]string {
	keys := [4]string{canonical(p.Argv[0]), canonical(firstWord(p.Argv[0])), canonical(p.Exe)}
	if at := scriptOf(p.Argv); at > 0 {
		keys[3] = canonical(p.Argv[at])
	}
	return keys
}

// firstWord is the first word of a title. A path may contain spaces.
func firstWord(title string) string {
	if strings.HasPrefix(title, "/") {
		return title
	}
	word, _, _ := strings.Cut(title, " ")
	return word
}

// scriptOf is the index in argv of the script an interpreter runs; 0 is none.
func scriptOf(argv []string) int {
	if len(argv) == 0 || !runsScripts(canonical(argv[0])) {
		return 0
	}
	return scriptAt(argv[1:]) + 1
}

// better is the candidate that fits a process best: the best so far or another.
func better(best *candidate, candidates []candidate, p *inventory.Process, args []string) *candidate {
	for i := range candidates {
		c := &candidates[i]
		if c.matches(p, args) && (best == nil || c.rank(p).above(best.rank(p))) {
			best = c
		}
	}
	return best
}

// rank is how well a candidate that matches fits.
type rank struct {
	own      bool // in a user's own file
	depth    int  // of the folder around the process; 0 is none
	literals int
}

func (r rank) above(other rank) bool {
	if r.own != other.own {
		return r.own
	}
	if r.depth != other.depth {
		return r.depth > other.depth
	}
	return r.literals > other.literals
}

func (c *candidate) rank(p *inventory.Process) rank {
	r := rank{own: !c.server.Project}
	if within(p.Cwd, c.server.Folder) {
		r.depth = len(c.server.Folder)
	}
	for _, arg := range c.args {
		if len(arg.pieces) == 1 {
			r.literals++
		}
	}
	return r
}

func (c *candidate) matches(p *inventory.Process, args []string) bool {
	if !c.server.mayOwn(p) || c.relative && !within(p.Cwd, c.server.Folder) {
		return false
	}
	if len(args) > 0 && c.program.starts(p, args[0]) && c.matchArgs(args[1:]) {
		return true
	}
	at := scriptOf(args)
	return at > 0 && c.program.isPath(p, args[at]) && c.matchArgs(args[at+1:])
}

func (c *candidate) matchArgs(args []string) bool {
	if len(args) != len(c.args) {
		return false
	}
	for i, arg := range c.args {
		if !arg.matches(args[i]) && !(c.title && arg.matchesTitle(args[i])) {
			return false
		}
	}
	return true
}

// mayOwn reports that a process can belong to the user of the configuration.
func (s *Server) mayOwn(p *inventory.Process) bool {
	owner, owned := s.Owner.Get()
	if !owned || p.UID.IsZero() {
		return true
	}
	uid, known := p.UID.Get()
	return known && uid == owner
}

// starts reports that a process with that first word runs the program.
func (p *program) starts(process *inventory.Process, argv0 string) bool {
	if p.isPath(process, argv0) {
		return true
	}
	switch p.kind {
	case byAbsolutePath:
		return process.Exe != "" && p.path.matches(strings.TrimSuffix(process.Exe, " (deleted)"))
	case byRelativePath:
		return p.isPath(process, process.Exe)
	case byName:
		return canonical(process.Exe) == p.base
	}
	return false
}

// isPath reports that a word of a process's arguments names the program.
func (p *program) isPath(process *inventory.Process, word string) bool {
	switch p.kind {
	case byName:
		return canonical(word) == p.base
	case byRelativePath:
		return p.path.matches(word) || below(process.Cwd, word) == strings.TrimPrefix(p.path.raw, "./")
	}
	return p.path.matches(word)
}

// below is a path relative to a folder; "" if it is not below it.
func below(folder, path string) string {
	if folder == "" || len(path) <= len(folder) || !within(path, folder) {
		return ""
	}
	return path[len(folder)+1:]
}

// within reports that a path is a folder or lies below it. An unknown path lies
// nowhere.
func within(path, folder string) bool {
	if folder == "" || !strings.HasPrefix(path, folder) {
		return false
	}
	return len(path) == len(folder) || path[len(folder)] == '/' || folder == "/"
}
