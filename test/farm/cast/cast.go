//go:build linux

// Package cast has the parts that live worlds share: clients, their servers in each way
// of starting one, and the actions on them.
package cast

import (
	"strings"

	"github.com/reaperd/reaperd/test/farm/actor"
)

// NPX is the folder in which npm keeps what npx installs.
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

// SystemdUser is the service manager of a user: it adopts, and is not the first process.
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

// Node is a script that node runs.
func Node(name, script string, args ...string) actor.Part {
	return actor.Part{Name: name, Exe: "node", Argv: append([]string{"node", script}, args...)}
}

// Server is an MCP server on node, with its stdio as the client made it.
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

// Stubborn makes a whole tree outlive a SIGTERM.
func Stubborn(part actor.Part) actor.Part {
	part.IgnoreTerm = true
	for i := range part.Children {
		part.Children[i] = Stubborn(part.Children[i])
	}
	return part
}

// NpmExec is `npx PACKAGE`: npm renamed to one string with padding behind it,
// then a shell, then the server, all on the same streams. The three parts are
// called NAME-npm, NAME-sh and NAME.
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

// Memory is the npx chain of the server for notes.
func Memory(name string, stream actor.Stream) actor.Part {
	return NpmExec(name, "@modelcontextprotocol/server-memory", "mcp-server-memory", stream)
}

// Filesystem is the npx chain of the server for one folder.
func Filesystem(name string, stream actor.Stream, root string) actor.Part {
	return NpmExec(name, "@modelcontextprotocol/server-filesystem", "mcp-server-filesystem", stream, root)
}

// Chain are the three names of an NpmExec, as one tree.
func Chain(name string) string { return name + "-npm " + name + "-sh " + name }

// UVX is `uvx SERVER`: uv, and below it python on the same streams. The parts
// are called NAME-uv and NAME.
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

// Launched is what a launcher leaves behind: its parent has ended.
func Launched(parts ...actor.Part) actor.Part {
	return actor.Part{
		Name: "launch-" + parts[0].Name, Exe: "sh", Argv: []string{"sh", "./start.sh"},
		Stdin: actor.Null, Stdout: actor.Null, Does: actor.Launcher, Children: parts,
	}
}

// Daemon detaches itself as daemons do.
func Daemon(part actor.Part) actor.Part {
	part.Stdin, part.Stdout, part.Setsid, part.Does = actor.Null, actor.File, true, actor.Idle
	return part
}

// Retitled is the argv of a program that wrote a title over it: one string, and
// empty ones behind it.
func Retitled(title string) []string { return append([]string{title}, make([]string, 40)...) }

// Ordinary is the uid of a user who is not root.
const Ordinary = 1234

// Dropped has its client let go of its streams once all is up.
func Dropped(part actor.Part) actor.Part {
	part.Dropped = true
	return part
}

// Leaderless ends its first thread and works on.
func Leaderless(part actor.Part) actor.Part {
	part.LeaderEnds = true
	return part
}

// ToFile gives it an input that has ended and a file for its output.
func ToFile(part actor.Part) actor.Part {
	part.Stdin, part.Stdout = actor.Named("nobody"), actor.File
	return part
}

// Inheriting gives it its parent's streams.
func Inheriting(part actor.Part) actor.Part {
	part.Stdin, part.Stdout = actor.Inherit, actor.Inherit
	return part
}

// Holding gives it the write end of a sibling's input by accident.
func Holding(name string, part actor.Part) actor.Part {
	part.Holds = []string{name}
	return part
}

// Owned gives a tree to the ordinary user.
func Owned(part actor.Part) actor.Part {
	part.UID = Ordinary
	return part
}

// HandedOver is a server of the ordinary user whose launcher has ended, and
// whose streams the launcher's parent holds.
func HandedOver(inner actor.Part, stream actor.Stream) actor.Part {
	return actor.Part{
		Name: "hand-over-" + inner.Name, Exe: "sh", Argv: []string{"sh", "./start.sh"},
		Stdin: stream, Stdout: stream, UID: Ordinary, Does: actor.Launcher, Children: []actor.Part{inner},
	}
}

// Listening has it listen on "tcp" or "unix".
func Listening(part actor.Part, network string) actor.Part {
	part.Listen = network
	return part
}

// ClosedStreams closes its streams and makes it a session leader, as bare daemons do.
func ClosedStreams(part actor.Part) actor.Part {
	part.Stdin, part.Stdout, part.Setsid = actor.Closed, actor.Closed, true
	return part
}
