//go:build linux

package farm_test

import (
	"strings"

	"github.com/reaperd/reaperd/test/farm/actor"
)

// npx is the folder in which npm keeps what npx installs.
const npx = "$W/home/.npm/_npx/5a9d879542beca3a/node_modules/.bin/"

// session is an agent client on a terminal of its own.
func session(name, program string, children ...actor.Part) actor.Part {
	return actor.Part{
		Name: name, Exe: program, Stdin: actor.TTY, Stdout: actor.TTY, Setsid: true,
		Children: children,
	}
}

func claude(name string, children ...actor.Part) actor.Part {
	return session(name, "claude", children...)
}

// systemdUser is the service manager of a user: it adopts, and is not the first process.
func systemdUser(children ...actor.Part) actor.Part {
	return actor.Part{
		Name: "systemd-user", Exe: "systemd", Argv: []string{"/lib/systemd/systemd", "--user"},
		Stdin: actor.Null, Stdout: actor.Null, Setsid: true, Subreaper: true, Children: children,
	}
}

// shell is a person's shell on a terminal.
func shell(name string, children ...actor.Part) actor.Part {
	part := session(name, "bash", children...)
	part.Argv = []string{"-bash"}
	return part
}

// node is a script that node runs.
func node(name, script string, args ...string) actor.Part {
	return actor.Part{Name: name, Exe: "node", Argv: append([]string{"node", script}, args...)}
}

// server is an MCP server on node, with its stdio as the client made it.
func server(name, script string, stream actor.Stream, args ...string) actor.Part {
	part := node(name, script, args...)
	part.Stdin, part.Stdout, part.Does = stream, stream, actor.Server
	return part
}

// deaf makes a server outlive the end of its input.
func deaf(part actor.Part) actor.Part {
	part.IgnoreEOF = true
	return part
}

// stubborn makes a whole tree outlive a SIGTERM.
func stubborn(part actor.Part) actor.Part {
	part.IgnoreTerm = true
	for i := range part.Children {
		part.Children[i] = stubborn(part.Children[i])
	}
	return part
}

// npmExec is `npx PACKAGE`: npm renamed to one string with padding behind it,
// then a shell, then the server, all on the same streams. The three parts are
// called NAME-npm, NAME-sh and NAME.
func npmExec(name, pkg, bin string, stream actor.Stream, args ...string) actor.Part {
	command := strings.Join(append([]string{"'" + bin + "'"}, args...), " ")
	leaf := deaf(server(name, npx+bin, actor.Inherit, args...))
	leaf.Env = []string{"npm_lifecycle_event=npx", "npm_command=exec"}
	return actor.Part{
		Name: name + "-npm", Exe: "node", Argv: retitled("npm exec " + strings.Join(append([]string{pkg}, args...), " ")),
		Stdin: stream, Stdout: stream, Does: actor.Wrapper,
		Children: []actor.Part{{
			Name: name + "-sh", Exe: "sh", Argv: []string{"sh", "-c", command}, Does: actor.Wrapper,
			Children: []actor.Part{leaf},
		}},
	}
}

func memory(name string, stream actor.Stream) actor.Part {
	return npmExec(name, "@modelcontextprotocol/server-memory", "mcp-server-memory", stream)
}

func filesystem(name string, stream actor.Stream, root string) actor.Part {
	return npmExec(name, "@modelcontextprotocol/server-filesystem", "mcp-server-filesystem", stream, root)
}

// chain are the three names of an npmExec, as one tree.
func chain(name string) string { return name + "-npm " + name + "-sh " + name }

// uvx is `uvx SERVER`: uv, and below it python on the same streams. The parts
// are called NAME-uv and NAME.
func uvx(name, bin string, stream actor.Stream, args ...string) actor.Part {
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

// launched is what a launcher leaves behind: its parent has ended.
func launched(parts ...actor.Part) actor.Part {
	return actor.Part{
		Name: "launch-" + parts[0].Name, Exe: "sh", Argv: []string{"sh", "./start.sh"},
		Stdin: actor.Null, Stdout: actor.Null, Does: actor.Launcher, Children: parts,
	}
}

// daemon detaches itself as daemons do.
func daemon(part actor.Part) actor.Part {
	part.Stdin, part.Stdout, part.Setsid, part.Does = actor.Null, actor.File, true, actor.Idle
	return part
}

// retitled is the argv of a program that wrote a title over it: one string, and
// empty ones behind it.
func retitled(title string) []string { return append([]string{title}, make([]string, 40)...) }
