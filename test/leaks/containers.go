//go:build linux

package leaks

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
)

// GitHub is the image of docker/mcp-gateway#483.
const GitHub = "ghcr.io/github/github-mcp-server"

// WithEngine runs body beside an engine that has the reports' images, in
// namespaces of its own.
func WithEngine(t *testing.T, body func(t *testing.T, live *farm.Live, engine *farm.Engine)) {
	t.Helper()
	farm.Demand(t, farm.NoEngine())
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		engine := farm.StartEngine(t, live)
		engine.Docker(t, "tag", farm.Image, GitHub)
		body(t, live, engine)
	})
}

// clients are so many names: NAME-1, NAME-2 and so on.
func clients(name string, count int) (names []string) {
	for number := range count {
		names = append(names, fmt.Sprintf("%s-%d", name, number+1))
	}
	return names
}

// Suffixed are names with something behind each.
func Suffixed(names []string, suffix string) (longer []string) {
	for _, name := range names {
		longer = append(longer, name+suffix)
	}
	return longer
}

// FromGateway is `docker run` as docker/mcp-gateway starts it (pkg/gateway/clientpool.go).
func FromGateway(engine *farm.Engine, name string) actor.Part {
	part := engine.Client(name, "run", "--rm", "-i", "--init", "--security-opt", "no-new-privileges", "--cpus", "1", "--memory", "2Gb",
		"--pull", "never", "-l", "docker-mcp=true", "-l", "docker-mcp-tool-type=mcp", "-l", "docker-mcp-name=github-official",
		"-l", "docker-mcp-transport=stdio", "-e", "GITHUB_PERSONAL_ACCESS_TOKEN", "-e", actor.EnvPart, GitHub)
	part.Stdin, part.Stdout = actor.Pipe, actor.Pipe
	return part
}

// Gateway is `docker mcp gateway run` as reported: it waits for none of its
// children and starts again each that ends.
func Gateway(name string, children ...actor.Part) actor.Part {
	return actor.Part{
		Name: name, Exe: "docker-mcp", Argv: []string{"docker", "mcp", "gateway", "run"},
		Stdin: actor.Pipe, Stdout: actor.Pipe, Does: actor.Renewer, Unwaited: true, Children: children,
	}
}

// ByCLI is a gateway as people start it: by the docker tool, whose plugin it is. The tool is NAME-cli.
func ByCLI(t *testing.T, engine *farm.Engine, gateway actor.Part) actor.Part {
	t.Helper()
	gateway.Argv, gateway.Stdin, gateway.Stdout = nil, actor.Inherit, actor.Inherit
	return engine.Plugin(t, gateway, "mcp", "gateway", "run")
}

// Wrapped is `npm exec @enuno/unifi-mcp-server`, which runs a container: the
// parts are NAME-npm, NAME-sh, NAME-client, and what runs inside is NAME.
func Wrapped(engine *farm.Engine, name string) actor.Part {
	inner := engine.Run(name, actor.Inherit)
	return actor.Part{
		Name: name + "-npm", Exe: "node", Argv: cast.Retitled("npm exec @enuno/unifi-mcp-server"),
		Stdin: actor.Socket, Stdout: actor.Socket, Does: actor.Wrapper,
		Children: []actor.Part{{
			Name: name + "-sh", Exe: "sh", Argv: []string{"sh", "-c", strings.Join(inner.Argv, " ")}, Does: actor.Wrapper,
			Children: []actor.Part{inner},
		}},
	}
}

// chain are the processes of a wrapped client, as one tree.
func chain(name string) string { return name + "-npm " + name + "-sh " + name + "-client" }

// R1 brings up what the report shows: a gateway whose specialists each started
// a container through npm and were ended by their wrapper alone, a client that
// was killed with two more, and two that are in use.
func R1(t *testing.T, live *farm.Live, engine *farm.Engine) {
	t.Helper()
	cut := clients("cut", 3)
	gateway := actor.Part{
		Name: "openclaw", Exe: "openclaw-gateway", Argv: cast.Retitled("openclaw-gateway"),
		Stdin: actor.Null, Stdout: actor.File, Setsid: true,
	}
	for _, name := range append(slices.Clone(cut), "used-1") {
		gateway.Children = append(gateway.Children, Wrapped(engine, name))
	}
	engine.Up(t, gateway, append(slices.Clone(cut), "used-1")...)
	engine.Up(t, cast.Claude("killed", Wrapped(engine, "left-1"), Wrapped(engine, "left-2")), "left-1", "left-2")
	engine.Up(t, cast.Claude("alive", Wrapped(engine, "used-2")), "used-2")
	live.Forget(t, "openclaw", Suffixed(cut, "-npm")...)
	live.KillAll(t, append(Suffixed(cut, "-npm"), "killed"))
	live.World = farm.World{
		Name: "R1", Rules: Shipped, Answers: []string{"openclaw used-1-npm", "alive used-2-npm"},
		Reap: slices.Concat([]string{"left-1", chain("left-1"), "left-2", chain("left-2")},
			cut, Suffixed(cut, "-sh"), Suffixed(cut, "-client")),
	}
}

// R0 brings up what the report shows: a gateway below a live client, with the
// containers of calls that it will let go of, and of two that it holds.
func R0(t *testing.T, live *farm.Live, engine *farm.Engine) (calls, held []string) {
	t.Helper()
	return Hoard(t, live, engine, 4, 0)
}

// Hoard is R0 with so many calls, and so many zombies beside them, of a gateway that the docker tool runs.
func Hoard(t *testing.T, live *farm.Live, engine *farm.Engine, count, zombies int) (calls, held []string) {
	t.Helper()
	calls, held = clients("call", count), clients("held", 2)
	var started []actor.Part
	for _, name := range append(slices.Clone(calls), held...) {
		started = append(started, FromGateway(engine, name))
	}
	notes := native("notes", "notes-mcp")
	gateway := Gateway("gateway", started...)
	gateway.Zombies = zombies
	engine.Up(t, cast.Claude("claude", ByCLI(t, engine, gateway), notes), append(slices.Clone(calls), held...)...)
	live.World = farm.World{Name: "R0", Rules: Shipped, Answers: []string{"claude notes"}}
	return calls, held
}

// Quiet brings up a gateway below a live client that holds so many containers
// of one server, started one after the other, and does not start them again. It
// returns the names of their clients.
func Quiet(t *testing.T, live *farm.Live, engine *farm.Engine, count int) (names []string) {
	t.Helper()
	calls := clients("call", count)
	var started []actor.Part
	for _, name := range calls {
		started = append(started, FromGateway(engine, name))
	}
	gateway := Gateway("gateway", started...)
	gateway.Does, gateway.IgnoreEOF = actor.Server, true
	engine.Up(t, cast.Claude("claude", gateway, native("notes", "notes-mcp")), calls...)
	return Suffixed(calls, "-client")
}
