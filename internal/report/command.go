package report

import (
	"path"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/redact"
)

// command is a command line as a person would write it: redacted, the program without its
// folder, the home folder as ~. If there is little room, first the folders of its paths
// are shortened, then its end.
type command []string

// commandOf returns the command of a target.
func commandOf(t *graph.Target, home human.Home) command {
	if t.Container != nil {
		return containerCommand(t.Container)
	}
	if t.Root == nil {
		return nil
	}
	return processCommand(t.Root, home)
}

func processCommand(p *inventory.Process, home human.Home) command {
	args := redact.Args(p.Args())
	c := make(command, len(args))
	for i, arg := range args {
		c[i] = home.Short(human.Safe(arg), p.User)
	}
	if len(c) > 0 {
		c[0] = path.Base(c[0])
	}
	return c
}

func containerCommand(c *inventory.Container) command {
	if c.Image == "" {
		return nil
	}
	return command{human.Safe(imageText(c.Image))}
}

// imageText returns an image without its digest, and without the tag latest.
func imageText(image string) string {
	name, _, _ := strings.Cut(image, "@")
	return strings.TrimSuffix(name, ":latest")
}

func (c command) String() string { return strings.Join(c, " ") }

func (c command) fit(width int, g glyphs) string {
	for _, keep := range []int{0, 3, 2} {
		if whole := c.withPaths(keep, g).String(); human.Width(whole) <= width {
			return whole
		}
	}
	return human.Truncate(c.withPaths(2, g).String(), width, g.ellipsis)
}

// withPaths shortens each path to its last keep elements; 0 keeps paths whole.
func (c command) withPaths(keep int, g glyphs) command {
	if keep == 0 {
		return c
	}
	short := make(command, len(c))
	for i, arg := range c {
		short[i] = shortPath(arg, keep, g)
	}
	return short
}

// shortPath keeps the last elements of an absolute path.
func shortPath(p string, keep int, g glyphs) string {
	if !strings.HasPrefix(p, "/") && !strings.HasPrefix(p, "~/") {
		return p
	}
	parts := strings.Split(p, "/")
	if len(parts) <= keep+1 {
		return p
	}
	return g.ellipsis + "/" + strings.Join(parts[len(parts)-keep:], "/")
}

// common returns what the commands of a group share. If all are equal, that is the
// command; if only folders differ, the command with shortened paths; else the equal
// parts, with an ellipsis for the others. Of different programs it is the programs.
func common(commands []command, g glyphs) text {
	if allEqual(commands, command.String) {
		return commands[0]
	}
	for _, keep := range []int{3, 2, 1} {
		if allEqual(commands, func(c command) string { return c.withPaths(keep, g).String() }) {
			return commands[0].withPaths(keep, g)
		}
	}
	if programs := programsOf(commands); len(programs) > 1 {
		return words(strings.Join(programs, " "+g.ellipsis+", ") + " " + g.ellipsis)
	}
	return words(shared(commands, g))
}

// programsOf are the different first words of commands, in their order.
func programsOf(commands []command) (programs []string) {
	for _, c := range commands {
		if len(c) > 0 && !slices.Contains(programs, c[0]) {
			programs = append(programs, c[0])
		}
	}
	return programs
}

// shared returns the first command with an ellipsis for the parts in which others differ.
func shared(commands []command, g glyphs) string {
	var kept []string
	for i, arg := range commands[0] {
		if part := sharedArgument(commands, i, g); part == arg || part != g.ellipsis {
			kept = append(kept, part)
		} else if len(kept) == 0 || kept[len(kept)-1] != g.ellipsis {
			kept = append(kept, g.ellipsis)
		}
	}
	return strings.Join(kept, " ")
}

// sharedArgument returns an argument if it is equal in all commands, else its common
// beginning with an ellipsis.
func sharedArgument(commands []command, i int, g glyphs) string {
	same, differs := commands[0][i], false
	for _, c := range commands[1:] {
		if i >= len(c) {
			return g.ellipsis
		}
		differs = differs || c[i] != commands[0][i]
		n := 0
		for n < min(len(same), len(c[i])) && same[n] == c[i][n] {
			n++
		}
		same = strings.ToValidUTF8(same[:n], "")
	}
	if differs {
		same += g.ellipsis
	}
	return same
}

// allEqual reports whether all values have the same key.
func allEqual[T any](values []T, key func(T) string) bool {
	for _, value := range values {
		if key(value) != key(values[0]) {
			return false
		}
	}
	return true
}

// Folder returns the working directory of a process for people, homes as "~"; empty if it
// is unknown.
func Folder(p *inventory.Process, home human.Home) string {
	if p == nil {
		return ""
	}
	return FolderOf(p.Cwd, p.User, home)
}

// PlaceOf tells where a process of a user runs: its folder, as [FolderOf] writes it. If the folder is unknown
// and the user is not the reader, it is "of user ann".
func PlaceOf(path, user string, home human.Home) string {
	if path == "" && user != "" && !home.IsUsualOf(user) {
		return "of user " + human.Safe(user)
	}
	return FolderOf(path, user, home)
}

// FolderOf returns a user's folder for people, homes as "~"; empty if it is unknown.
func FolderOf(path, user string, home human.Home) string {
	return home.Short(human.Safe(redact.Text(path)), user)
}
