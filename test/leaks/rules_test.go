//go:build linux

package leaks_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
	"github.com/reaperd/reaperd/test/leaks"
)

// hoarding is a part that leaves so many children unwaited, which were
// `docker run` and have ended.
func hoarding(part actor.Part, count int) actor.Part {
	part.Unwaited = true
	for number := range count {
		part.Children = append(part.Children, actor.Part{
			Name: fmt.Sprintf("%s-dead-%03d", part.Name, number), Exe: "docker",
			Argv: []string{"docker", "run", "--rm", "-i", leaks.GitHub}, Does: actor.Launcher,
		})
	}
	return part
}

// TestZombiesAreTheirParents: a gateway of more than a hundred is ended, one of
// twenty is not, and a session never.
func TestZombiesAreTheirParents(t *testing.T) {
	gateway := func(name string, dead int) actor.Part {
		part := hoarding(leaks.Gateway(name), dead)
		part.Does, part.IgnoreEOF = actor.Server, true
		return part
	}
	world := farm.World{
		Rules: leaks.Everything(),
		Parts: []actor.Part{
			cast.Claude("claude", gateway("hoarder", 110), gateway("modest", 20), cast.Memory("memory", actor.Socket)),
			hoarding(cast.Session("codex", "codex"), 110),
		},
		Answers:  []string{"claude memory-npm"},
		Reap:     []string{"hoarder"},
		Findings: map[string]string{"hoarder": "zombies", "modest": "none", "codex": "zombies"},
	}
	in(t, world, func(t *testing.T, live *farm.Live) {
		report := live.Scan(t, "--settle", "1s")
		for name, want := range map[string]int{"hoarder": 110, "modest": 20, "codex": 110} {
			if target := of(t, live, report, name); target.Zombies != want {
				t.Errorf("%s: %d zombies told, want %d", name, target.Zombies, want)
			}
		}
		says(t, live.Tell(t, "scan", "--settle", "1s"), "110 ")
		live.Check(t)
	})
}

// spinning is a server that computes without end.
func spinning(name string, children ...actor.Part) actor.Part {
	part := cast.Deaf(cast.Server(name, cast.NPX+"mcp-server-"+name, actor.Socket))
	part.Busy, part.Children = true, children
	return part
}

// TestRunaways: a rule for what takes much is about what has a finding, and
// about everything only where it says so.
func TestRunaways(t *testing.T) {
	t.Parallel()
	parts := func() []actor.Part {
		return []actor.Part{
			cast.Claude("killed", cast.Listening(spinning("left"), "tcp"), cast.Listening(cast.Deaf(cast.Server("calm", cast.NPX+"mcp-server-calm", actor.Socket)), "tcp")),
			cast.Claude("alive", spinning("wanted"), cast.Memory("memory", actor.Socket)),
		}
	}
	rule := func(match string) string {
		return leaks.Shipped + "  - {name: runaways, match: {" + match + "}, for: 1s, grace: 1s, action: terminate}\n"
	}
	t.Run("by processor, with a finding", func(t *testing.T) {
		in(t, farm.World{
			Rules: rule("kind: server, cpu_over: 2"), Parts: parts(), Kill: []string{"killed"},
			Reap: []string{"left"}, Answers: []string{"alive memory-npm", "alive wanted"},
		}, served)
	})
	t.Run("by processor, whatever is found", func(t *testing.T) {
		in(t, farm.World{
			Rules: rule("kind: server, cpu_over: 2, finding: any"), Parts: parts(), Kill: []string{"killed"},
			Reap: []string{"left", "wanted"}, Answers: []string{"alive memory-npm"},
		}, served)
	})
	t.Run("by memory, with a finding", func(t *testing.T) {
		farm.Run(t, farm.World{
			Rules: rule("kind: server, memory_over: 100KiB"), Parts: parts(), Kill: []string{"killed"},
			Reap: []string{"left", "calm"}, Answers: []string{"alive memory-npm", "alive wanted"},
		})
	})
}

// headless is a client that is spoken to over its streams, with a server.
func headless(name string, argv ...string) actor.Part {
	part := cast.Deaf(actor.Part{Name: name, Exe: argv[0], Argv: argv, Stdin: actor.Pipe, Stdout: actor.Pipe, Does: actor.Server})
	part.Children = []actor.Part{cast.Deaf(cast.Server(name+"-memory", cast.NPX+"mcp-server-memory", actor.Socket))}
	return part
}

// orphans are headless clients whose caller is killed, and one that a live
// caller speaks to.
func orphans() farm.World {
	caller := func(name string, children ...actor.Part) actor.Part {
		return actor.Part{Name: name, Exe: "python3", Argv: []string{"python3", "/home/dev/run.py"}, Stdin: actor.TTY, Stdout: actor.TTY,
			Setsid: true, Children: children}
	}
	return farm.World{
		Parts: []actor.Part{
			caller("killed",
				headless("claude", "claude", "--output-format", "stream-json", "--input-format", "stream-json"),
				headless("codex", "codex", "app-server"), headless("gemini", "gemini", "--acp")),
			caller("caller", headless("spoken-to", "claude", "--output-format", "stream-json", "--input-format", "stream-json")),
			cast.Claude("person", cast.Memory("memory", actor.Socket)),
		},
		Kill:    []string{"killed"},
		Parents: map[string]string{"claude": "init", "codex": "init", "gemini": "init"},
		Answers: []string{"caller spoken-to", "spoken-to spoken-to-memory", "person memory-npm"},
	}
}

func TestHeadlessSessionsThatNobodySpeaksTo(t *testing.T) {
	t.Parallel()
	t.Run("are reported, and their servers are theirs", func(t *testing.T) {
		world := orphans()
		world.Rules = leaks.Shipped
		world.Answers = append(world.Answers, "claude claude-memory", "codex codex-memory", "gemini gemini-memory")
		world.Findings = map[string]string{"claude": "orphaned", "codex": "orphaned", "gemini": "orphaned", "claude-memory": "none"}
		farm.Run(t, world)
	})
}

// TestDiscovery: what a configuration names has its name in the report, in the
// folder that it is meant for, and nothing has where that is turned off.
func TestDiscovery(t *testing.T) {
	tool := func(name, cwd string, argv ...string) actor.Part {
		part := cast.Deaf(actor.Part{Name: name, Exe: argv[0], Argv: argv, Does: actor.Server, Cwd: cwd})
		part.Stdin, part.Stdout = actor.Socket, actor.File // by its shape it is no server
		return part
	}
	claude := cast.Claude("claude",
		tool("here", "home/project", "node", "./tools/main.js", "--stdio"),
		tool("elsewhere", "home/other", "node", "./tools/main.js", "--stdio"),
		tool("user", "", "rolodex", "serve"), tool("other-arguments", "", "rolodex", "print"))
	claude.Cwd = "home/project"
	codex := cast.Session("codex", "codex", tool("toml", "", "ledgerd", "--stdio"))
	goose := cast.Session("goose", "goose", tool("yaml", "", "almanac"))
	goose.Argv = []string{"goose", "session"}
	in(t, farm.World{Parts: []actor.Part{claude, codex, goose}}, func(t *testing.T, live *farm.Live) {
		write(t, live, "home/project/.mcp.json", `{"mcpServers": {"the-tool": {"command": "node", "args": ["./tools/main.js", "--stdio"]}}}`)
		write(t, live, "home/.claude.json", `{"numStartups": 7, "mcpServers": {"contacts": {"type": "stdio", "command": "rolodex", "args": ["serve"]}}}`)
		write(t, live, "home/.codex/config.toml", "[mcp_servers.books]\ncommand = \"ledgerd\"\nargs = [\"--stdio\"]\n")
		write(t, live, "home/.config/goose/config.yaml", "extensions:\n  stars: {type: stdio, enabled: true, cmd: almanac, args: []}\n")
		live.Rule(leaks.Shipped)
		report := live.Scan(t, "--settle", "1s")
		for name, want := range map[string]string{"here": "the-tool", "user": "contacts", "toml": "books", "yaml": "stars"} {
			if target := of(t, live, report, name); target.Name != want {
				t.Errorf("%s: called %q, want %q", name, target.Name, want)
			}
		}
		for _, name := range []string{"elsewhere", "other-arguments"} {
			if target, ok := report.Of(live.Being(t, name)); ok {
				t.Errorf("%s: no configuration means it, got %v", name, target)
			}
		}
		live.Rule(leaks.Shipped + "discover: false\n")
		if report := live.Scan(t, "--settle", "1s"); len(report.Targets) != 0 {
			t.Errorf("with discover: false nothing is known for a server, got %v", report.Targets)
		}
	})
}

// TestLabelsWithoutOwners: a rule may be about containers by label alone. It
// takes anonymous volumes where it says so, never named ones, and guards hold.
func TestLabelsWithoutOwners(t *testing.T) {
	leaks.WithEngine(t, func(t *testing.T, live *farm.Live, engine *farm.Engine) {
		label := "com.example.tests=dollhouse"
		engine.Detached(t, "tests", "-l", label, "-v", "/scratch", "-v", "results:/results")
		engine.Detached(t, "saved", "-l", "com.example.tests=saved", "-v", "saved:/named", "-v", "/only-copy")
		engine.Detached(t, "kept", "-l", label, "-l", "reaperd.keep=true")
		engine.Detached(t, "protected", "-l", label, "-l", "team=ours")
		engine.Detached(t, "others", "-l", "com.example.tests=others")
		if volumes := engine.Docker(t, "volume", "ls", "-q"); len(strings.Fields(volumes)) != 4 {
			t.Fatalf("want two anonymous volumes and two named ones, got %s", volumes)
		}
		live.World.Reap = []string{"tests", "saved"}
		live.Rule(leaks.Shipped + `  - name: tests
    match: {kind: container, label: {com.example.tests: dollhouse}, older_than: 1s}
    for: 1s
    grace: 1s
    action: remove
    volumes: true
  - name: saved
    match: {kind: container, label: {com.example.tests: saved}, older_than: 1s}
    for: 1s
    grace: 1s
    action: remove
protect:
  - {name: ours, match: {label: {team: ours}}, reason: "somebody looks at it"}
`)
		says(t, live.Tell(t, "scan", "--settle", "2s"), `protected by "ours": somebody looks at it`, "it has the label reaperd.keep")
		live.Check(t)
		volumes := strings.Fields(engine.Docker(t, "volume", "ls", "-q"))
		if len(volumes) != 3 || !slices.Contains(volumes, "results") || !slices.Contains(volumes, "saved") {
			t.Errorf("volumes left: %q, want the named ones and what the rule did not ask for", volumes)
		}
		if left := strings.Fields(engine.Docker(t, "ps", "-aq")); len(left) != 3 {
			t.Errorf("%d containers are left, want 3", len(left))
		}
	})
}

// TestContainersOfALiveGateway: of what one gateway holds of one server
// what is over a hard limit goes by that, the longest idle first; the rest stay
// with their clients, and the gateway lives.
func TestContainersOfALiveGateway(t *testing.T) {
	t.Parallel()
	limit := leaks.Shipped + `  - name: too-many
    match: {kind: container, label: {docker-mcp-tool-type: mcp}}
    max_per_owner: 3
    for: 1s
    grace: 1s
    action: remove
`
	for _, row := range []struct {
		name, rules string
		left        int
		newest      bool // stays whatever the others do
	}{
		{"all stay by the shipped policy", leaks.Shipped, 5, true},
		{"what idles goes by a hard limit", limit, 3, false},
		{"the older ones stay while the newest has done nothing: which is used is not known", leaks.With("duplicates"), 5, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			leaks.WithEngine(t, func(t *testing.T, live *farm.Live, engine *farm.Engine) {
				names := leaks.Quiet(t, live, engine, 5)
				newest := engine.Docker(t, "ps", "-lq", "--no-trunc")
				d := daemon.Start(t, live, daemon.Options{Policy: row.rules, Args: []string{"--listen", ""}})
				farm.Eventually(t, fmt.Sprintf("%d containers run", row.left), func() bool { return len(running(t, engine)) <= row.left })
				d.AwaitMore(t, 6)
				left := running(t, engine)
				if len(left) != row.left || row.newest && !slices.Contains(left, newest) {
					t.Errorf("containers %v run, want %d and the newest, %s", left, row.left, newest)
				}
				daemon.Live(t, live, "claude", "gateway", "notes")
				answering := 0
				for name, answers := range live.Answers(t, "gateway") {
					if answers && slices.Contains(names, name) {
						answering++
					}
				}
				if answering != row.left {
					t.Errorf("%d clients answer the gateway, want %d", answering, row.left)
				}
				end(t, d)
			})
		})
	}
}
