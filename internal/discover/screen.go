package discover

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/reaperd/reaperd/internal/human"
)

// View is for whom a set is written: the columns of the screen, and the reader's home.
type View struct {
	Width int
	Home  human.Home
}

// nameWidth is the width of the column of names. On a screen narrower than leastBeside a
// server's command stands below its name.
const (
	nameWidth   = 24
	leastBeside = 60
)

// Write lists the servers of a set by file. What could not be used is in [Set.FaultTexts]. A repository
// may contain such a file, so control characters are masked.
func (s Set) Write(w io.Writer, v View) error {
	_, err := fmt.Fprintln(w, strings.Join(s.serverLines(v), "\n"))
	return err
}

func (s Set) serverLines(v View) []string {
	servers := s.Servers()
	switch {
	case len(servers) == 0 && len(s.faults) > 0:
		return []string{"No MCP server is configured in what could be read."}
	case len(servers) == 0:
		return []string{nothing(os.Geteuid())}
	}
	slices.SortStableFunc(servers, func(a, b Server) int { return strings.Compare(a.File+a.Name, b.File+b.Name) })
	lines := human.Wrap(summary(servers), v.Width)
	lines = append(lines, "")
	file := ""
	for i := range servers {
		if server := &servers[i]; server.File != file {
			file = server.File
			lines = append(lines, human.Wrap(human.Safe(v.Home.Short(file)+" ("+server.Client+")"), v.Width)...)
		}
		lines = append(lines, servers[i].lines(v)...)
	}
	return lines
}

// lines are a server's name and, beside or below it, what starts it.
func (s *Server) lines(v View) []string {
	l := s.listed()
	words := []string{v.Home.Command(strings.Split(l.Command, " "))} // it may be a whole line
	for _, arg := range l.Args {
		if arg = v.Home.Short(arg); arg == "" || strings.ContainsFunc(arg, unicode.IsSpace) { // else two would look like one
			arg = human.Shell(arg)
		}
		words = append(words, arg)
	}
	what := strings.Join(words, " ")
	if l.Command == "" {
		what = l.URL
	}
	if l.Folder != "" {
		what += " (only in " + v.Home.Short(l.Folder) + ")"
	}
	if s.Disabled {
		what += " (disabled)"
	}
	name, what := "  "+human.Safe(l.Name), human.Safe(what)
	if v.Width < leastBeside {
		return append([]string{name}, human.Hang("    ", what, v.Width)...)
	}
	return human.Hang(human.Left(name, nameWidth+len("  "))+" ", what, v.Width)
}

// nothing says that no server was found, by a user who reads only his own files, or by root.
func nothing(uid int) string {
	whose := "of yours"
	if uid == 0 {
		whose = "of any user here"
	}
	return "No client " + whose + " is configured to start an MCP server."
}

// Scope says where `reaperd discover` has read files.
func Scope(uid int) string {
	homes := "your home"
	if uid == 0 {
		homes = "the homes of all users"
	}
	return LookedAt(nil, homes, ", and in the folders of running sessions")
}

// summary counts servers, the files that name them, and the clients: "3 servers in 2
// files, of claude-code and codex."
func summary(servers []Server) string {
	var files, clients []string
	for i := range servers {
		l := servers[i].listed()
		files, clients = append(files, l.File), append(clients, human.Safe(l.Client))
	}
	slices.Sort(files)
	slices.Sort(clients)
	files, clients = slices.Compact(files), slices.Compact(clients)
	return fmt.Sprintf("%s in %s, of %s.", human.Count(len(servers), "server"), human.Count(len(files), "file"), human.List(clients))
}
