//go:build linux

package engine_test

import (
	"strings"
	"testing"

	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
)

// engine is a world's engine with what clients do on it.
type engine struct {
	*farm.Engine
	live *farm.Live
}

// wrapped is the same below npm and a shell: NAME-npm, NAME-sh, NAME-client.
func (e *engine) wrapped(name string, stream actor.Stream, flags ...string) actor.Part {
	inner := e.Run(name, actor.Inherit, flags...)
	return actor.Part{
		Name: name + "-npm", Exe: "node", Argv: append([]string{"npm exec @enuno/unifi-mcp-server"}, make([]string, 40)...),
		Stdin: stream, Stdout: stream, Does: actor.Wrapper,
		Children: []actor.Part{{
			Name: name + "-sh", Exe: "sh", Argv: []string{"sh", "-c", strings.Join(inner.Argv, " ")}, Does: actor.Wrapper,
			Children: []actor.Part{inner},
		}},
	}
}

// chain are the processes of a wrapped client, as one tree.
func chain(name string) string { return name + "-npm " + name + "-sh " + name + "-client" }

// deafened gives a client no input: its stdin is /dev/null.
func deafened(part actor.Part) actor.Part {
	part.Stdin, part.Stdout = actor.Null, actor.File
	return part
}

func session(name string, children ...actor.Part) actor.Part {
	return actor.Part{
		Name: name, Exe: "claude", Stdin: actor.TTY, Stdout: actor.TTY, Setsid: true, Children: children,
	}
}

// exec is `docker exec -i CONTAINER … </dev/null`.
func (e *engine) exec(name, container string) actor.Part {
	return deafened(e.Client(name, "exec", "-i", "-e", actor.EnvPart, container, "/usr/local/bin/python", "-m", "src.main"))
}

func TestMain(m *testing.M) { farm.Main(m) }

// within runs body beside an engine, in a namespace.
func within(t *testing.T, world farm.World, body func(t *testing.T, e *engine)) {
	t.Helper()
	farm.Demand(t, farm.NoEngine())
	farm.Within(t, world, func(t *testing.T, live *farm.Live) {
		body(t, &engine{farm.StartEngine(t, live), live})
	})
}

func TestOrphanedContainersGoWithTheirClients(t *testing.T) {
	world := farm.World{
		Answers: []string{"alive used-1-npm", "alive used-2-client"},
		Reap: []string{
			"left-1", chain("left-1"), "left-2", "left-2-client", "left-3", chain("left-3"), // sessions killed
			"cut-1", "cut-2", // clients killed
			"exec-killed",
		},
		// The wrappers of a killed client end by themselves.
		Either: []string{"cut-1-npm", "cut-1-sh"},
	}
	within(t, world, func(t *testing.T, e *engine) {
		e.Up(t, session("killed-1", e.wrapped("left-1", actor.Socket), e.Run("left-2", actor.Pipe)), "left-1", "left-2")
		e.Up(t, session("killed-2", e.wrapped("left-3", actor.Socket, "--init")), "left-3")
		e.Up(t, session("alive", e.wrapped("used-1", actor.Socket), e.Run("used-2", actor.Pipe)), "used-1", "used-2")
		e.Up(t, session("cut", e.wrapped("cut-1", actor.Socket), e.Run("cut-2", actor.Pipe)), "cut-1", "cut-2")

		e.Detached(t, "service", "-l", "docker-mcp=true", "-l", "docker-mcp-tool-type=mcp", "-l", "docker-mcp-name=unifi", "-l", "docker-mcp-transport=stdio")
		e.Detached(t, "composed", "-l", "com.docker.compose.project=unifi", "-l", "com.docker.compose.service=mcp", "-l", "com.docker.compose.oneoff=False")
		e.Detached(t, "composed-i", "-i", "-l", "com.docker.compose.project=unifi", "-l", "com.docker.compose.service=open")
		for _, name := range []string{"dev-alive", "dev-killed", "dev-both"} {
			e.Detached(t, name, "--name", name, "-l", "devcontainer.local_folder=/home/dev/"+name)
		}
		e.Up(t, session("execs",
			e.exec("exec-alive", "dev-alive"), e.exec("exec-killed", "dev-killed"),
			e.exec("exec-both-alive", "dev-both"), e.exec("exec-both-killed", "dev-both")),
			"exec-alive", "exec-killed", "exec-both-alive", "exec-both-killed")
		// It starts after all others, so no container but its own can be its.
		e.Up(t, session("quiet", deafened(e.Run("no-input", actor.Null))), "no-input")

		e.live.KillAll(t, []string{"killed-1", "killed-2", "cut-1-client", "cut-2-client", "exec-killed-client", "exec-both-killed-client"})
		e.live.AwaitHangup(t, "left-1", "left-2", "left-3", "cut-1", "cut-2")
		e.live.Check(t)
	})
}

func TestWhatCannotBeToldIsAmbiguous(t *testing.T) {
	world := farm.World{
		Answers: []string{"alive used-client"},
		// The client of the last one has let go of it, and can have no other: all are older than that.
		Reap:     []string{"early", "left", "left-client"},
		Findings: map[string]string{"no-input": "ambiguous", "cut": "ambiguous"},
	}
	within(t, world, func(t *testing.T, e *engine) {
		e.Up(t, session("cut-off", e.Run("early", actor.Pipe), e.Run("cut-later", actor.Pipe)), "early", "cut-later")
		// Its container looks like one whose client died: each container of the
		// image that is younger than this client may be the one that it has.
		e.Up(t, session("quiet", deafened(e.Run("no-input", actor.Null))), "no-input")
		e.Up(t, session("cut-off-2", e.Run("cut", actor.Pipe)), "cut")
		e.Up(t, session("killed", e.Run("left", actor.Pipe)), "left")
		e.Up(t, session("alive", e.Run("used", actor.Pipe)), "used")
		e.live.KillAll(t, []string{"early-client", "cut-client", "killed"})
		e.live.AwaitHangup(t, "early", "cut", "left")
		e.live.Check(t)
	})
}
