package wrap

import (
	"context"
	"maps"
	"os"
	"slices"

	"github.com/reaperd/reaperd/internal/discover"
	"github.com/reaperd/reaperd/internal/human"
)

// Hints are the commands that wrap those servers of a set which are not wrapped and can be. homes are those
// that the set was read from, home is the reader's.
func Hints(ctx context.Context, set discover.Set, homes []discover.Home, home human.Home) (hints []discover.Hint) {
	open, users := openFiles(ctx, set, homes)
	for _, user := range users {
		for _, byName := range []bool{false, true} {
			at := reached{user, byName}
			if files := open[at]; len(files) > 0 {
				hints = append(hints, discover.Hint{Command: at.command(files, home), Does: at.does(len(files))})
			}
		}
	}
	return hints
}

// reached is how wrap reaches a file: as which user, "" being the present one, and by its name where it
// does not find the file by itself.
type reached struct {
	user   string
	byName bool
}

// openFiles are the files of a set with servers that are not wrapped, and their users, sorted.
func openFiles(ctx context.Context, set discover.Set, homes []discover.Home) (map[reached][]string, []string) {
	own, _ := ownConfigurations(ctx) // the set has the faults of what cannot be read
	inHomes, _ := discover.New(discover.Options{}).Configured(ctx, homes, nil)
	files, users := map[reached][]string{}, map[string]bool{}
	for _, server := range set.Servers() {
		at := reached{}
		switch file := server.File; {
		case !isOpen(server) || !canChange(file, server.Client):
			continue
		case own[file] != "":
		case os.Geteuid() == 0 && ownerOf(server) != "":
			at = reached{ownerOf(server), !slices.Contains(inHomes.Files(), file)}
		default:
			at.byName = true
		}
		users[at.user] = true
		if !slices.Contains(files[at], server.File) {
			files[at] = append(files[at], server.File)
		}
	}
	return files, slices.Sorted(maps.Keys(users))
}

// isOpen reports a server that its client starts without reaperd exec.
func isOpen(s discover.Server) bool {
	return s.Command != "" && s.URL == "" && !isWrapped(apart(s)) && !isAnswerer(apart(s))
}

// canChange reports that wrap changes something in a file, or cannot tell before it is told to.
func canChange(path, client string) bool {
	file, err := openFile(path, client)
	if err != nil {
		return true
	}
	d, err := parse(file.data, file.config())
	return err != nil || slices.ContainsFunc(d.entries(), func(e entry) bool { return e.State == unwrapped })
}

// command is that for these files. Another user's shell has another home.
func (at reached) command(files []string, home human.Home) string {
	command := "reaperd wrap"
	for _, file := range files {
		switch {
		case !at.byName:
		case at.user == "":
			command += " " + home.Short(human.Shell(file), "")
		default:
			command += " " + human.Shell(file)
		}
	}
	if at.user != "" {
		command = human.AsUser(at.user, command)
	}
	return command
}

// does says of which files, so many, the command wraps the servers.
func (at reached) does(files int) string {
	does := "those of your home, of this folder and of those above it"
	switch {
	case at.byName:
		does = "those of " + human.Verb(files, "this file", "these files")
	case at.user != "":
		does = "those of " + at.user + "'s home"
	}
	if at.user != "" {
		does = "as " + at.user + ", " + does
	}
	return does
}
