//go:build linux

// Package cast has the parts that live worlds share: clients, their servers in each way
// of starting one, and the actions on them.
package cast

import (
	"strings"

	"github.com/reaperd/reaperd/test/farm/actor"
)

// NPX is the folder in which npm keeps the packages that npx has installed.
const NPX = "$W/home/.npm/_npx/5a9d879542beca3a/node_modules/.bin/"

// Session is an agent client on a terminal of its own.
func Session(name, program string, children ...actor.Part) actor.Part {
	return actor.Part{
		Name: name, Exe: program, Stdin: actor.TTY, Stdout: actor.TTY, Setsid: true,
		Children: children,
	}
}

// Claude is claude-code on a terminal.
func Claude(name string, children ...actor.Part) actor.Part {
	return Session(name, "claude", children...)
}

// SystemdUser plays the service manager of a user: it adopts orphans, and is not the
// first process.
func SystemdUser(children ...actor.Part) actor.Part {
	return actor.Part{
		Name: "systemd-user", Exe: "systemd", Argv: []string{"/lib/systemd/systemd", "--user"},
		Stdin: actor.Null, Stdout: actor.Null, Setsid: true, Subreaper: true, Children: children,
	}
}

// Shell is a person's shell on a terminal.
func Shell(name string, children ...actor.Part) actor.Part {
	part := Session(name, "bash", children...)
	part.Argv = []string{"-bash"}
	return part
}

// Node plays a script that node runs.
func Node(name, script string, args ...string) actor.Part {
	return actor.Part{Name: name, Exe: "node", Argv: append([]string{"node", script}, args...)}
}

// Server plays an MCP server on node.
func Server(name, script string, stream actor.Stream, args ...string) actor.Part {
	part := Node(name, script, args...)
	part.Stdin, part.Stdout, part.Does = stream, stream, actor.Server
	return part
}

// Deaf makes a server outlive the end of its input.
func Deaf(part actor.Part) actor.Part {
	part.IgnoreEOF = true
	return part
}

// Stubborn makes a whole tree ignore SIGTERM.
func Stubborn(part actor.Part) actor.Part {
	part.IgnoreTerm = true
	for i := range part.Children {
		part.Children[i] = Stubborn(part.Children[i])
	}
	return part
}

// NpmExec plays `npx PACKAGE`: npm, whose argv is one string with padding behind it, then
// a shell, then the server, all on the same streams. The three parts are called NAME-npm,
// NAME-sh and NAME.
func NpmExec(name, pkg, bin string, stream actor.Stream, args ...string) actor.Part {
	command := strings.Join(append([]string{"'" + bin + "'"}, args...), " ")
	leaf := Deaf(Server(name, NPX+bin, actor.Inherit, args...))
	leaf.Env = []string{"npm_lifecycle_event=npx", "npm_command=exec"}
	return actor.Part{
		Name: name + "-npm", Exe: "node", Argv: Retitled("npm exec " + strings.Join(append([]string{pkg}, args...), " ")),
		Stdin: stream, Stdout: stream, Does: actor.Wrapper,
		Children: []actor.Part{{
			Name: name + "-sh", Exe: "sh", Argv: []string{"sh", "-c", command}, Does: actor.Wrapper,
			Children: []actor.Part{leaf},
		}},
	}
}

// Memory plays the npx chain of the server for notes.
func Memory(name string, stream actor.Stream) actor.Part {
	return NpmExec(name, "@modelcontextprotocol/server-memory", "mcp-server-memory", stream)
}

// Filesystem plays the npx chain of the server for one folder.
func Filesystem(name string, stream actor.Stream, root string) actor.Part {
	return NpmExec(name, "@modelcontextprotocol/server-filesystem", "mcp-server-filesystem", stream, root)
}

// Chain returns the three names of an NpmExec, as one tree.
func Chain(name string) string { return name + "-npm " + name + "-sh " + name }

// UVX plays `uvx SERVER`: uv, and below it python on the same streams. The parts are
// called NAME-uv and NAME.
func UVX(name, bin string, stream actor.Stream, args ...string) actor.Part {
	folder := "$W/home/.cache/uv/archive-v0/yB3c9aQx/bin/"
	return actor.Part{
		Name: name + "-uv", Exe: "uv", Argv: append([]string{"uv", "tool", "uvx", bin}, args...),
		Stdin: stream, Stdout: stream, Does: actor.Wrapper,
		Children: []actor.Part{{
			Name: name, Exe: "python", Argv: append([]string{folder + "python", folder + bin}, args...),
			Does: actor.Server, IgnoreEOF: true,
		}},
	}
}

// Launched plays processes whose launcher has ended.
func Launched(parts ...actor.Part) actor.Part {
	return actor.Part{
		Name: "launch-" + parts[0].Name, Exe: "sh", Argv: []string{"sh", "./start.sh"},
		Stdin: actor.Null, Stdout: actor.Null, Does: actor.Launcher, Children: parts,
	}
}

// Daemon makes a part detach itself as daemons do.
func Daemon(part actor.Part) actor.Part {
	part.Stdin, part.Stdout, part.Setsid, part.Does = actor.Null, actor.File, true, actor.Idle
	return part
}

// Retitled is the argv of a program that has written a title over it: one string, and
// empty ones behind it.
func Retitled(title string) []string { return append([]string{title}, make([]string, 40)...) }

// Ordinary is the uid of a user who is not root.
const Ordinary = 1234

// Dropped makes the client close its ends of the streams once all parts are up.
func Dropped(part actor.Part) actor.Part {
	part.Dropped = true
	return part
}

// InUse has the servers of a tree say something again and again: it is the copy that its client uses.
func InUse(part actor.Part) actor.Part {
	part.Chatty = part.Does == actor.Server
	for i := range part.Children {
		part.Children[i] = InUse(part.Children[i])
	}
	return part
}

// Leaderless makes a part end its first thread and work on.
func Leaderless(part actor.Part) actor.Part {
	part.LeaderEnds = true
	return part
}

// ToFile gives a part an input that has ended, and a file as output.
func ToFile(part actor.Part) actor.Part {
	part.Stdin, part.Stdout = actor.Named("nobody"), actor.File
	return part
}

// Inheriting gives a part its parent's streams.
func Inheriting(part actor.Part) actor.Part {
	part.Stdin, part.Stdout = actor.Inherit, actor.Inherit
	return part
}

// Holding gives a part the write end of a sibling's input by accident.
func Holding(name string, part actor.Part) actor.Part {
	part.Holds = []string{name}
	return part
}

// Owned gives a tree to the ordinary user.
func Owned(part actor.Part) actor.Part {
	part.UID = Ordinary
	return part
}

// HandedOver plays a server of the ordinary user whose launcher has ended, and whose
// streams the launcher's parent holds.
func HandedOver(inner actor.Part, stream actor.Stream) actor.Part {
	return actor.Part{
		Name: "hand-over-" + inner.Name, Exe: "sh", Argv: []string{"sh", "./start.sh"},
		Stdin: stream, Stdout: stream, UID: Ordinary, Does: actor.Launcher, Children: []actor.Part{inner},
	}
}

// Listening makes a part listen on "tcp" or "unix".
func Listening(part actor.Part, network string) actor.Part {
	part.Listen = network
	return part
}

// ClosedStreams makes a part close its streams and lead a session, as some daemons do.
func ClosedStreams(part actor.Part) actor.Part {
	part.Stdin, part.Stdout, part.Setsid = actor.Closed, actor.Closed, true
	return part
}
