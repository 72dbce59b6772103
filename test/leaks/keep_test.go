//go:build linux

package leaks_test

import (
	"fmt"
	"testing"

	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
	"github.com/reaperd/reaperd/test/leaks"
)

// control is a client that is killed, with a server that must go: what is kept
// beside it is not kept because nothing was done.
func control() actor.Part {
	return cast.Claude("control", cast.Memory("orphan", actor.Socket))
}

// kept sweeps a world by the shipped policy, which must end the control and
// nothing else, and then leaves it to a daemon with the policy that ends
// everything it finds, which may end what further names.
func kept(t *testing.T, world farm.World, further ...string) {
	t.Helper()
	world.Rules = leaks.Shipped
	world.Parts = append([]actor.Part{control()}, world.Parts...)
	world.Kill = append([]string{"control"}, world.Kill...)
	world.Reap = append([]string{cast.Chain("orphan")}, world.Reap...)
	farm.Within(t, world, func(t *testing.T, live *farm.Live) {
		live.KillAll(t, world.Kill)
		live.World.Settle = 0 // the daemon takes its time, and ends all that a sweep may end
		live.Check(t)
		live.Rule(leaks.Everything())
		live.World.Settle, live.World.Reap, live.World.Either = world.Settle, nil, further
		served(t, live)
	})
}

func worlds(t *testing.T, worlds []farm.World) {
	for _, world := range worlds {
		t.Run(world.Name, func(t *testing.T) { kept(t, world) })
	}
}

// An orphan has no live owner, no peer, no service manager and no clients, in
// more than one look (facts: rule R2 of the peers). Each of these has one.
func TestKeptForOneReasonAlone(t *testing.T) {
	t.Parallel()
	worlds(t, []farm.World{{
		Name: "a live parent that nobody recognises and that has closed its streams",
		Parts: []actor.Part{
			{Name: "agent", Exe: "python3", Argv: []string{"python3", "/home/dev/agent.py"}, Stdin: actor.TTY, Stdout: actor.TTY, Setsid: true,
				Children: []actor.Part{cast.Dropped(cast.Memory("memory", actor.Pipe))}},
			cast.Shell("shell", cast.Dropped(cast.Memory("memory-2", actor.Socket))),
		},
		Settle: leaks.Close,
	}, {
		Name: "a holder of its streams that is not above it",
		Parts: []actor.Part{cast.Claude("claude", actor.Part{
			Name: "launcher", Exe: "sh", Argv: []string{"sh", "./start.sh"}, Stdin: actor.Socket, Stdout: actor.Socket,
			Does: actor.Launcher, Children: []actor.Part{cast.Deaf(cast.Server("memory", cast.NPX+"mcp-server-memory", actor.Inherit))},
		})},
		Parents: map[string]string{"memory": "init"},
		Answers: []string{"claude launcher"},
	}, {
		Name:  "a manager of services, which gives it no input and reads its log",
		Parts: []actor.Part{journal()},
	}, {
		Name: "clients of what it listens on",
		Parts: []actor.Part{
			cast.Claude("killed", cast.Listening(cast.Deaf(cast.Server("web", cast.NPX+"mcp-server-everything", actor.Socket, "streamableHttp")), "tcp")),
			cast.Claude("alive", calling("follower", "web")),
		},
		Kill:    []string{"killed"},
		Parents: map[string]string{"web": "init"},
		Answers: []string{"follower web", "alive follower"},
	}})
}

// journal is a service manager's unit as systemd starts one: its stdin is
// /dev/null and its stdout a socket to the journal.
func journal() actor.Part {
	unit := cast.Node("unit", cast.NPX+"mcp-server-memory")
	unit.Stdin, unit.Stdout, unit.Setsid = actor.Null, actor.Socket, true
	return actor.Part{
		Name: "manager", Exe: "systemd", Argv: []string{"/lib/systemd/systemd", "--user"}, Stdin: actor.Null, Stdout: actor.Null,
		Setsid: true, Subreaper: true, Children: []actor.Part{unit},
	}
}

// calling is a server that is itself a client of what listens.
func calling(name, whom string) actor.Part {
	part := cast.Deaf(cast.Server(name, cast.NPX+"mcp-server-follower", actor.Socket))
	part.Calls = whom
	return part
}

// What runs alone by design (rule R9 of the peers).
func TestDaemonsByDesignAreKept(t *testing.T) {
	gateway := cast.Listening(cast.Daemon(actor.Part{Name: "gateway", Exe: "docker-mcp",
		Argv: []string{"docker", "mcp", "gateway", "run", "--transport", "streaming", "--port", "8811"}}), "tcp")
	gateway.Children = []actor.Part{cast.Memory("below", actor.Pipe)}
	worlds(t, []farm.World{{
		Name: "a gateway, ToolHive and the worker of claude-mem",
		Parts: []actor.Part{
			cast.Launched(gateway),
			cast.Launched(cast.Listening(cast.Daemon(actor.Part{Name: "thv-run", Exe: "thv",
				Argv: []string{"/opt/homebrew/bin/thv", "run", "--foreground", "--name", "fetch", "--port", "21546", "mcp-server-fetch"}}), "tcp")),
			cast.Launched(cast.Daemon(actor.Part{Name: "thv-restart", Exe: "thv", Argv: []string{"thv", "restart", "github", "--foreground"}})),
			cast.Launched(cast.Listening(cast.Daemon(actor.Part{Name: "thv-proxy", Exe: "thv", Argv: []string{"thv", "proxy", "stdio", "mcp-fetch"}}), "tcp")),
			cast.Launched(cast.Listening(cast.Daemon(actor.Part{Name: "worker", Exe: "bun",
				Argv: []string{"bun", "/home/dev/.claude/plugins/claude-mem/scripts/worker-service.cjs", "--daemon"}}), "tcp")),
		},
		Parents: map[string]string{"gateway": "init", "thv-run": "init", "worker": "init"},
		Answers: []string{"gateway below-npm"},
	}})
}

// The scenarios in which published tools kill wrongly.
func TestWhatOtherToolsKilled(t *testing.T) {
	t.Parallel()
	t.Run("nothing of a live client without a terminal and an editor", func(t *testing.T) {
		client := cast.Daemon(actor.Part{Name: "codex", Exe: "codex", Argv: []string{"codex", "app-server", "--listen", "unix://"}})
		for number := range 5 { // more than three of one kind, all in use
			client.Children = append(client.Children, cast.Filesystem(fmt.Sprintf("files-%d", number), actor.Pipe, fmt.Sprintf("/srv/%d", number)))
		}
		kept(t, farm.World{
			Parts:   []actor.Part{cast.Launched(cast.Listening(client, "unix"))},
			Parents: map[string]string{"codex": "init"},
			Answers: []string{"codex files-0-npm", "codex files-1-npm", "codex files-2-npm", "codex files-3-npm", "codex files-4-npm"},
		})
	})
	t.Run("nothing whose threads have names of their own", func(t *testing.T) {
		main := cast.Server("memory", cast.NPX+"mcp-server-memory", actor.Socket)
		main.Comm = "MainThread"
		kept(t, farm.World{
			Parts:   []actor.Part{cast.Claude("claude", main)},
			Answers: []string{"claude memory"},
		})
	})
	t.Run("of 25 copies below a live gateway the newest, whatever the policy", func(t *testing.T) {
		gateway := cast.Session("openclaw", "openclaw-gateway")
		gateway.Argv = cast.Retitled("openclaw-gateway")
		var older []string
		for number := range 25 {
			name := fmt.Sprintf("copy-%02d", number)
			gateway.Children = append(gateway.Children, cast.Deaf(cast.Server(name, cast.NPX+"mcp-server-filesystem", actor.Socket, "/srv")))
			older = append(older, name)
		}
		gateway.Children[24] = cast.InUse(gateway.Children[24])
		kept(t, farm.World{
			Parts:    []actor.Part{gateway},
			Answers:  []string{"openclaw copy-24"},
			Findings: map[string]string{"copy-00": "duplicate", "copy-23": "duplicate", "copy-24": "none"},
		}, older[:24]...)
	})
}

// openclaw/openclaw#75621: one binary, three projects, and older copies.
func TestOneBinaryWithOtherArgumentsIsAnotherServer(t *testing.T) {
	t.Parallel()
	engram := func(name, project string) actor.Part {
		part := cast.Deaf(actor.Part{Name: name, Exe: "usr/local/bin/engram", Does: actor.Server, Stdin: actor.Socket, Stdout: actor.Socket})
		part.Argv = []string{"/usr/local/bin/engram", "mcp", "--tools=agent", "--project=" + project}
		return part
	}
	gateway := cast.Session("openclaw", "openclaw-gateway",
		engram("older-bg", "mini-ceo-bg"), cast.InUse(engram("bg", "mini-ceo-bg")), engram("web", "mini-ceo-web"), engram("ops", "mini-ceo-ops"))
	gateway.Argv = cast.Retitled("openclaw-gateway")
	world := farm.World{
		Parts:    []actor.Part{gateway},
		Answers:  []string{"openclaw bg", "openclaw web", "openclaw ops"},
		Findings: map[string]string{"older-bg": "duplicate", "bg": "none", "web": "none", "ops": "none"},
	}
	t.Run("by both policies", func(t *testing.T) { kept(t, world, "older-bg") })
	t.Run("by the daemon, which ends the older copy where a rule says so", func(t *testing.T) {
		world := world
		world.Rules, world.Reap = leaks.Everything(), []string{"older-bg"}
		in(t, world, served)
	})
}

// thedotmack/claude-mem#3382: a server that stands below the first process from
// the start, and whose streams its supervisor holds.
func TestAServerThatItsSupervisorTracks(t *testing.T) {
	chroma := cast.UVX("chroma", "chroma-mcp", actor.Inherit, "--client-type", "persistent")
	worker := cast.Daemon(actor.Part{Name: "worker", Exe: "bun", Argv: []string{"bun", "/home/dev/worker-service.cjs", "--daemon"}})
	worker.Children = []actor.Part{{
		Name: "spawn", Exe: "sh", Argv: []string{"sh", "./spawn.sh"}, Stdin: actor.Pipe, Stdout: actor.Pipe,
		Does: actor.Launcher, Children: []actor.Part{chroma},
	}}
	kept(t, farm.World{
		Parts:   []actor.Part{cast.Launched(worker)},
		Parents: map[string]string{"worker": "init", "chroma-uv": "init"},
		Answers: []string{"worker spawn"},
	})
}

// software-mansion/argent#327: shared by design.
func TestAServerThatIsSharedByDesign(t *testing.T) {
	t.Parallel()
	tools := func(name string) actor.Part { return cast.Node(name, "/home/dev/argent-mcp/tool-server.cjs", "start") }
	t.Run("and started as a daemon", func(t *testing.T) {
		kept(t, farm.World{
			Parts: []actor.Part{
				cast.Launched(cast.Daemon(tools("quiet"))),
				cast.Launched(cast.Listening(cast.Daemon(tools("listens")), "tcp")),
			},
			Parents: map[string]string{"quiet": "init", "listens": "init"},
		})
	})
	t.Run("and in use although the client that started it is gone", func(t *testing.T) {
		shared := cast.Listening(cast.Deaf(tools("shared")), "unix")
		shared.Stdin, shared.Stdout, shared.Setsid = actor.Pipe, actor.Pipe, true
		kept(t, farm.World{
			Parts:   []actor.Part{cast.Claude("killed", shared), cast.Claude("alive", calling("follower", "shared"))},
			Kill:    []string{"killed"},
			Parents: map[string]string{"shared": "init"},
			Answers: []string{"follower shared"},
		})
	})
}

// thedotmack/claude-mem#603: a worker that is a daemon, and the clients that it
// speaks to over their streams.
func TestAWorkerWithManyHeadlessClients(t *testing.T) {
	worker := cast.Daemon(actor.Part{Name: "worker", Exe: "bun", Argv: []string{"bun", "/home/dev/worker-service.cjs", "--daemon"}})
	world := farm.World{Parents: map[string]string{"worker": "init"}}
	for number := range 12 {
		name := fmt.Sprintf("headless-%02d", number)
		client := cast.Deaf(actor.Part{Name: name, Exe: "claude", Stdin: actor.Pipe, Stdout: actor.Pipe, Does: actor.Server})
		client.Argv = []string{"claude", "--output-format", "stream-json", "--verbose", "--input-format", "stream-json",
			"--model", "claude-sonnet-4-5", "--disallowedTools", "Bash"}
		client.Children = []actor.Part{cast.Deaf(cast.Server(fmt.Sprintf("memory-%02d", number), cast.NPX+"mcp-server-memory", actor.Socket))}
		worker.Children = append(worker.Children, client)
		world.Answers = append(world.Answers, "worker "+name, fmt.Sprintf("%s memory-%02d", name, number))
	}
	world.Parts = []actor.Part{cast.Launched(worker)}
	kept(t, world)
}

// DollhouseMCP#1711: one of five orphans led the others.
func TestAnOrphanThatOthersAreConnectedTo(t *testing.T) {
	permission := func(name string) actor.Part {
		return cast.Deaf(cast.Server(name, "/home/dev/mcp-server/dist/index.js", actor.Socket))
	}
	follower := permission("follower")
	follower.Calls = "leader"
	kept(t, farm.World{
		Parts: []actor.Part{
			cast.Claude("killed", cast.Listening(permission("leader"), "tcp"), permission("left-1"), permission("left-2"), permission("left-3"), permission("left-4")),
			cast.Claude("alive", follower),
		},
		Kill:    []string{"killed"},
		Parents: map[string]string{"leader": "init", "left-1": "init"},
		Answers: []string{"alive follower", "follower leader"},
		Reap:    []string{"left-1", "left-2", "left-3", "left-4"},
	})
}

func TestBystandersStay(t *testing.T) {
	farm.Run(t, leaks.Bystanders())
}

// github/copilot-cli#4049: copies below one live client are owned; only a rule
// that says so may end the older ones, and none that works.
func TestCopiesBelowOneLiveClient(t *testing.T) {
	t.Parallel()
	copies := func() actor.Part {
		working := cast.Memory("working", actor.Socket)
		working.Children[0].Children[0].Chatty = true
		client := cast.Session("copilot", "copilot", working, cast.Memory("older", actor.Socket), cast.InUse(cast.Memory("newest", actor.Socket)))
		return client
	}
	world := farm.World{
		Parts:   []actor.Part{copies()},
		Answers: []string{"copilot newest-npm", "copilot working-npm"},
	}
	t.Run("by both policies", func(t *testing.T) {
		kept(t, world, "older-npm", "older-sh", "older")
	})
	t.Run("by the daemon, where a rule ends duplicates", func(t *testing.T) {
		world := world
		world.Rules, world.Reap = leaks.Everything(), []string{cast.Chain("older")}
		in(t, world, served)
	})
}

// TestAJobThatAKilledSessionStarted may be at work still: only its wiring makes it a server. Of what
// had three copies at once each is known for one, and goes.
func TestAJobThatAKilledSessionStarted(t *testing.T) {
	for name, jobs := range map[string][]string{"one": {"job"}, "three copies": {"copy-1", "copy-2", "copy-3"}} {
		t.Run(name, func(t *testing.T) {
			world := farm.World{Rules: leaks.Shipped, Either: []string{"claude"}}
			client := cast.Claude("claude")
			for _, job := range jobs {
				client.Children = append(client.Children, actor.Part{Name: job, Exe: "triage", Argv: []string{"triage", "--inbox"},
					Stdin: actor.Pipe, Stdout: actor.Pipe, Does: actor.Server, IgnoreEOF: true, Busy: true})
			}
			if world.Parts = []actor.Part{client}; len(jobs) > 1 {
				world.Reap = jobs
			}
			in(t, world, func(t *testing.T, live *farm.Live) {
				live.Through(t, func() *farm.Report {
					d := daemon.Start(t, live, daemon.Options{Policy: world.Rules, Args: []string{"--listen", ""}})
					d.AwaitMore(t, 2)
					live.KillAll(t, []string{"claude"})
					daemon.Gone(t, live, world.Reap...)
					d.AwaitMore(t, 6)
					report := d.Report(t)
					end(t, d)
					return report
				})
			})
		})
	}
}
