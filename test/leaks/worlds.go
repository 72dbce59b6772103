//go:build linux

package leaks

import (
	"fmt"
	"time"

	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
)

// Close is how far apart two looks must be for a server that its live client
// has closed: the client has ten seconds to end it in good order.
const Close = 12 * time.Second

// native is a server that is a program of its own, spoken to over pipes.
func native(name, program string, args ...string) actor.Part {
	return actor.Part{
		Name: name, Exe: program, Argv: append([]string{program}, args...),
		Stdin: actor.Pipe, Stdout: actor.Pipe, Does: actor.Server, IgnoreEOF: true,
	}
}

// command is what a client is configured to start.
type command struct {
	name, program string
	args          []string
}

func (c command) start(generation int) actor.Part {
	return native(c.call(generation), c.program, c.args...)
}

// call is the name of one of the command's copies.
func (c command) call(generation int) string { return fmt.Sprintf("%s-%02d", c.name, generation) }

// Reported are the four servers of openai/codex#18881.
func Reported() []command {
	toolsets := []string{"--toolsets", "actions,issues,pull_requests,repos", "stdio"}
	return []command{
		{name: "index", program: "mcp-codebase-index"}, {name: "memory", program: "codebase-memory-mcp"},
		{name: "github", program: "github-mcp-server", args: toolsets}, {name: "grep", program: "ast-grep-server"},
	}
}

// Unheard are the same four under names that say nothing.
func Unheard() []command {
	toolsets := []string{"--toolsets", "actions,issues,pull_requests,repos", "stdio"}
	return []command{
		{name: "index", program: "codeindexd"}, {name: "memory", program: "recollect"},
		{name: "github", program: "forge-tools", args: toolsets}, {name: "grep", program: "treegrep"},
	}
}

// codex is the daemon of the report.
func codex(children ...actor.Part) actor.Part {
	part := cast.Session("codex", "codex", children...)
	part.Argv = []string{"codex", "--dangerously-bypass-approvals-and-sandbox"}
	return part
}

// R3 is a live daemon with so many generations of its servers whose ends it
// dropped, and the newest one in use.
func R3(servers []command, dropped int) farm.World {
	world := farm.World{
		Name:   "R3",
		Rules:  Shipped,
		Settle: Close,
	}
	var copies []actor.Part
	for generation := range dropped {
		for _, server := range servers {
			copies = append(copies, cast.Dropped(server.start(generation)))
			world.Reap = append(world.Reap, server.call(generation))
		}
	}
	for _, server := range servers {
		copies = append(copies, server.start(dropped))
		world.Answers = append(world.Answers, "codex "+server.call(dropped))
	}
	world.Parts = []actor.Part{codex(copies...)}
	return world
}

// R3Held is the same daemon with so many generations in all, of each of which
// it still holds every pipe, and one older copy at work.
func R3Held(servers []command, generations int) farm.World {
	world := farm.World{Name: "R3, every pipe held", Rules: Shipped}
	working := servers[0].start(0)
	working.Name, working.Chatty = "working", true
	copies := []actor.Part{working}
	for generation := range generations {
		for _, server := range servers {
			copies = append(copies, server.start(generation))
		}
	}
	for i := len(copies) - len(servers); i < len(copies); i++ {
		copies[i] = cast.InUse(copies[i]) // the newest: else an older one may be what its client uses
	}
	world.Parts = []actor.Part{codex(copies...)}
	world.Answers = []string{"codex working"}
	for _, server := range servers {
		world.Answers = append(world.Answers, "codex "+server.call(generations-1))
	}
	return world
}

// Older are the names of all copies but those of the newest generation.
func Older(servers []command, generations int) (names []string) {
	for generation := range generations - 1 {
		for _, server := range servers {
			names = append(names, server.call(generation))
		}
	}
	return names
}

// R2 is the gateway with copies of one native server: three that it has let go
// of, one that it still holds, and the newest, which it uses.
func R2() farm.World {
	dialpad := func(name string) actor.Part {
		part := native(name, "usr/local/bin/dialpad-messaging")
		part.Argv = []string{"/usr/local/bin/dialpad-messaging"}
		part.Stdin, part.Stdout, part.Setsid = actor.Socket, actor.Socket, true
		return part
	}
	gateway := cast.Node("gateway", "dist/index.js", "gateway", "--bind", "lan", "--port", "18789")
	gateway.Stdin, gateway.Stdout, gateway.Listen, gateway.Cwd, gateway.Setsid = actor.Null, actor.File, "tcp", "home/openclaw", true
	gateway.Children = []actor.Part{
		cast.Dropped(dialpad("left-1")), cast.Dropped(dialpad("left-2")), cast.Dropped(dialpad("left-3")),
		dialpad("held"), cast.InUse(dialpad("used")),
	}
	return farm.World{
		Name:    "R2",
		Rules:   Shipped,
		Settle:  Close,
		Parts:   []actor.Part{gateway},
		Answers: []string{"gateway used", "gateway held"},
		Reap:    []string{"left-1", "left-2", "left-3"},
	}
}

// OpenClaw is the file in which the gateway of [R2] has its server.
const OpenClaw = `{
  // JSON5, as the gateway reads it
  mcp: { servers: { dialpad: { command: '/usr/local/bin/dialpad-messaging', args: [], }, }, },
}
`

// script is that of the servers of R4.
const script = "$W/home/dev/mcp-server/dist/index.js"

// R4 is so many copies of one server, of which one is in use: the others are
// left by three clients and a test run, the clients gone.
func R4(count int) farm.World {
	world := farm.World{
		Name:    "R4",
		Rules:   Shipped,
		Answers: []string{"alive used"},
	}
	left := make([][]actor.Part, 4)
	for number := 1; number < count; number++ {
		name := fmt.Sprintf("copy-%02d", number)
		left[number%4] = append(left[number%4], cast.Deaf(cast.Server(name, script, actor.Socket)))
		world.Reap = append(world.Reap, name)
	}
	tests := cast.Shell("tests", left[3]...)
	tests.Argv = []string{"bash", "./run-tests.sh"}
	world.Parts = []actor.Part{
		cast.Claude("killed-1", left[0]...), cast.Claude("killed-2", left[1]...), cast.Claude("killed-3", left[2]...), tests,
		cast.Claude("alive", cast.Deaf(cast.Server("used", script, actor.Socket))),
	}
	world.Kill = []string{"killed-1", "killed-2", "killed-3", "tests"}
	return world
}

// Bystanders is an orphan among servers of which published tools say that it is
// right to end them, and that are in use or stand alone by design: a server
// that its supervisor tracks (thedotmack/claude-mem#3382), an orphan that others
// are connected to (DollhouseMCP#1711), one shared by design
// (software-mansion/argent#327), and one whose wrapper alone has ended.
func Bystanders() farm.World {
	worker := cast.Daemon(actor.Part{Name: "worker", Exe: "bun", Argv: []string{"bun", "/home/dev/worker-service.cjs", "--daemon"}})
	worker.Children = []actor.Part{{
		Name: "spawn", Exe: "sh", Argv: []string{"sh", "./spawn.sh"}, Stdin: actor.Pipe, Stdout: actor.Pipe,
		Does: actor.Launcher, Children: []actor.Part{cast.UVX("chroma", "chroma-mcp", actor.Inherit, "--client-type", "persistent")},
	}}
	follower := cast.Deaf(cast.Server("follower", script, actor.Socket))
	follower.Calls = "leader"
	codex := cast.Session("codex", "codex", cast.Memory("leaf", actor.Pipe))
	codex.Unwaited = true
	return farm.World{
		Name:  "bystanders",
		Rules: Shipped,
		Parts: []actor.Part{
			cast.Launched(worker),
			cast.Launched(cast.Daemon(cast.Node("shared", "/home/dev/argent-mcp/tool-server.cjs", "start"))),
			cast.Claude("killed", cast.Listening(cast.Deaf(cast.Server("leader", script, actor.Socket)), "tcp"), cast.Memory("orphan", actor.Socket)),
			cast.Claude("alive", follower),
			codex,
		},
		Kill:    []string{"killed", "leaf-npm", "leaf-sh"},
		Answers: []string{"worker spawn", "follower leader", "alive follower", "codex leaf-npm"},
		Reap:    []string{cast.Chain("orphan")},
	}
}

// Codex is the file in which codex has the servers of [Reported].
const Codex = `[mcp_servers.index]
command = "mcp-codebase-index"
[mcp_servers.memory]
command = "codebase-memory-mcp"
[mcp_servers.github]
command = "github-mcp-server"
args = ["--toolsets", "actions,issues,pull_requests,repos", "stdio"]
[mcp_servers.grep]
command = "ast-grep-server"
`
