//go:build linux

package rows

import (
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
)

// Streams are worlds whose result depends on who holds which end of a stream.
func Streams() []farm.World {
	relay := func(inner actor.Part) actor.Part {
		part := cast.Node("relay", "$W/home/bridge/forward.js")
		part.Stdin, part.Stdout, part.Does, part.IgnoreEOF = actor.Socket, actor.Socket, actor.Relay, true
		part.Children = []actor.Part{inner}
		return part
	}
	git := func() actor.Part { return cast.UVX("git", "mcp-server-git", actor.Pipe) }
	return []farm.World{{
		Name: "a batch job whose input has ended and whose output is read",
		Parts: []actor.Part{
			cast.Claude("claude", actor.Part{
				Name: "job", Exe: "sh", Argv: []string{"sh", "-c", "echo '{}' | mcp-server-time | cat"},
				Stdin: actor.Null, Stdout: actor.Socket, Does: actor.Wrapper, Children: pipeline("claude"),
			}),
			cast.Shell("shell", actor.Part{
				Name: "job-2", Exe: "sh", Argv: []string{"sh", "./ask.sh"}, Does: actor.Wrapper, Children: pipeline("shell"),
			}),
		},
	}, {
		Name: "a daemon with its output in a file and its input closed",
		Parts: []actor.Part{
			cast.Launched(cast.ToFile(cast.Deaf(cast.Server("memory", cast.NPX+"mcp-server-memory", actor.Inherit)))),
			cast.Claude("killed", cast.ToFile(cast.Deaf(cast.Server("time", cast.NPX+"mcp-server-time", actor.Inherit)))),
		},
		Kill:    []string{"killed"},
		Parents: map[string]string{"memory": "init", "time": "init"},
	}, {
		Name: "a relay that nobody knows may be an agent at work: its server stays with it",
		Parts: []actor.Part{
			cast.Claude("killed", relay(git())),
			cast.Claude("alive", cast.Memory("memory", actor.Socket)),
		},
		Kill:    []string{"killed"},
		Parents: map[string]string{"relay": "init", "git-uv": "relay"},
		Answers: []string{"alive memory-npm"},
	}, {
		Name: "the same relay is adopted while its client holds its streams",
		Parts: []actor.Part{cast.Claude("claude", actor.Part{
			Name: "sh", Exe: "sh", Argv: []string{"sh", "-c", "node forward.js"},
			Stdin: actor.Socket, Stdout: actor.Socket, Does: actor.Wrapper,
			Children: []actor.Part{cast.Inheriting(relay(git()))},
		})},
		Kill:    []string{"sh"},
		Parents: map[string]string{"relay": "init"},
		Answers: []string{"claude sh"},
	}, {
		Name: "a sibling that is leaked too inherited the write end",
		Parts: []actor.Part{
			cast.Claude("killed",
				cast.Deaf(cast.Server("memory", cast.NPX+"mcp-server-memory", actor.Pipe)),
				cast.Holding("memory", cast.Deaf(cast.Server("time", cast.NPX+"mcp-server-time", actor.Pipe)))),
			cast.Claude("alive", cast.Memory("memory-2", actor.Pipe)),
		},
		Kill:    []string{"killed"},
		Parents: map[string]string{"memory": "init", "time": "init"},
		Answers: []string{"alive memory-2-npm"},
		Reap:    []string{"memory", "time"},
	}, {
		Name: "a logger that nobody knows inherited the write end: it may be the client",
		Parts: []actor.Part{
			cast.Claude("killed",
				cast.Deaf(cast.Server("memory", cast.NPX+"mcp-server-memory", actor.Pipe)),
				cast.Holding("memory", cast.Deaf(cast.Server("logger", "$W/home/bridge/log.js", actor.Pipe)))),
			cast.Claude("alive", cast.Memory("memory-2", actor.Pipe)),
		},
		Kill:    []string{"killed"},
		Answers: []string{"alive memory-2-npm"},
	}, {
		Name: "a live session inherited the write end",
		Parts: []actor.Part{
			cast.Claude("killed",
				cast.Deaf(cast.Server("memory", cast.NPX+"mcp-server-memory", actor.Pipe)),
				cast.Holding("memory", cast.Inheriting(cast.Claude("alive")))),
		},
		Kill:    []string{"killed"},
		Parents: map[string]string{"memory": "init", "alive": "init"},
	}, {
		Name: "a holder whose descriptors an ordinary user cannot read",
		User: cast.Ordinary,
		Parts: []actor.Part{
			{
				Name: "supervisor", Exe: "python3", Argv: []string{"python3", "/opt/agents/run.py"}, Stdin: actor.Null, Stdout: actor.Null,
				Children: []actor.Part{
					cast.HandedOver(cast.UVX("git", "mcp-server-git", actor.Inherit), actor.Pipe),
					cast.HandedOver(cast.UVX("time", "mcp-server-time", actor.Inherit), actor.Socket),
				},
			},
			cast.Owned(cast.Claude("killed", cast.Memory("memory", actor.Pipe), cast.UVX("fetch", "mcp-server-fetch", actor.Socket))),
		},
		Kill:    []string{"killed"},
		Parents: map[string]string{"git-uv": "init", "time-uv": "init"},
		Answers: []string{"supervisor hand-over-git-uv", "supervisor hand-over-time-uv"},
		Reap:    []string{cast.Chain("memory"), "fetch-uv fetch"},
	}}
}

// pipeline is `echo … | mcp-server-time | cat` after echo has ended.
func pipeline(suffix string) []actor.Part {
	job := cast.Deaf(cast.Server("server-"+suffix, cast.NPX+"mcp-server-time", actor.Inherit))
	job.Stdin, job.Stdout = actor.Named("question"), actor.Named("answer")
	return []actor.Part{job, {
		Name: "cat-" + suffix, Exe: "cat", Stdin: actor.Named("answer"), Does: actor.Drain,
	}}
}

// Bystanders are worlds with processes that are no servers, or that listen by design.
func Bystanders() []farm.World {
	bystander := func(name string, argv ...string) actor.Part {
		return actor.Part{Name: name, Exe: argv[0], Argv: argv, Stdin: actor.Socket, Stdout: actor.Socket}
	}
	lookalikes := func(prefix string) []actor.Part {
		return []actor.Part{
			bystander(prefix+"vim", "vim", "/home/dev/mcp-server.md"),
			bystander(prefix+"tail", "tail", "-f", "/var/log/mcp-server-memory.log"),
			bystander(prefix+"pytest", "python3", "-m", "pytest", "tests/test_mcp_server.py"),
			bystander(prefix+"go-test", "go", "test", "./mcp-server/..."),
			bystander(prefix+"code", "code", "--new-window", "/home/dev/mcp-servers"),
			bystander(prefix+"grep", "grep", "-r", "mcp-server-memory", "/srv"),
			bystander(prefix+"clone", "git", "clone", "https://example.com/mcp-server-git"),
			bystander(prefix+"vitest", "node", "/home/dev/app/node_modules/.bin/vitest", "run", "test/mcp-server.test.ts"),
			bystander(prefix+"bash", "bash", "-c", "sleep 600; echo mcp-server-memory"),
		}
	}
	return []farm.World{{
		Name: "editors and test runs with mcp in their arguments, below a shell and left by a session",
		Parts: []actor.Part{
			cast.Shell("shell", lookalikes("own-")...),
			cast.Claude("killed", append(lookalikes("left-"), cast.Memory("memory", actor.Socket))...),
		},
		Kill:    []string{"killed"},
		Parents: map[string]string{"left-vim": "init"},
		Reap:    []string{cast.Chain("memory")},
	}, {
		Name: "a dev server that a session started and left",
		Parts: []actor.Part{cast.Claude("killed",
			actor.Part{
				Name: "npm-run", Exe: "node", Argv: cast.Retitled("npm run dev"), Stdin: actor.Null, Stdout: actor.File, Does: actor.Wrapper,
				Children: []actor.Part{cast.Listening(cast.Node("vite", "/home/dev/app/node_modules/.bin/vite", "--port", "5173"), "tcp")},
			},
			cast.Listening(bystander("next", "node", "/home/dev/site/node_modules/.bin/next", "dev"), "tcp"),
			cast.Memory("memory", actor.Socket),
		)},
		Kill:    []string{"killed"},
		Parents: map[string]string{"npm-run": "init", "next": "init"},
		Reap:    []string{cast.Chain("memory")},
	}, {
		Name: "daemons by design",
		Parts: []actor.Part{
			cast.Launched(cast.Daemon(cast.Node("memory", cast.NPX+"mcp-server-memory"))),
			cast.Launched(cast.Daemon(cast.Listening(cast.Node("everything", cast.NPX+"mcp-server-everything", "streamableHttp"), "tcp"))),
			cast.Launched(cast.Daemon(actor.Part{Name: "basic-memory", Exe: "python3", Argv: []string{"python3", "/opt/bm/bin/basic-memory", "mcp", "--transport", "sse"}})),
			cast.Launched(cast.Daemon(actor.Part{Name: "native", Exe: "home/bin/github-mcp-server", Argv: []string{"github-mcp-server", "http"}})),
			cast.Launched(cast.ClosedStreams(actor.Part{Name: "bare", Exe: "home/bin/dropbox-mcp", Argv: []string{"dropbox-mcp"}})),
		},
		Parents: map[string]string{"memory": "init", "everything": "init", "bare": "init"},
	}}
}

// everyOrphan is a policy that also reaps listening servers: then only the guards in the
// code protect a server in use.
const everyOrphan = `version: 1
mode: enforce
rules:
  - name: every-orphan
    match: {kind: server, finding: orphaned}
    for: 1s
    grace: 1s
    action: terminate
`

// Listening are worlds with orphans that listen, and may have clients.
func Listening() []farm.World {
	web := func(name, network string) actor.Part {
		return cast.Listening(cast.Deaf(cast.Server(name, cast.NPX+"mcp-server-everything", actor.Socket, "streamableHttp")), network)
	}
	calling := func(name string, role actor.Role, whom string) actor.Part {
		part := cast.Session(name, "python3")
		part.Argv, part.Does, part.Calls = []string{"python3", "/home/dev/ask.py"}, role, whom
		return part
	}
	hangingUp := func(part actor.Part) actor.Part { part.Hangup = true; return part }
	return []farm.World{{
		Name:  "one with a connected client over TCP and one over a Unix socket",
		Rules: everyOrphan,
		Parts: []actor.Part{
			cast.Claude("killed", web("used", "tcp"), web("used-unix", "unix"), web("unused", "tcp")),
			calling("client", actor.Client, "used"), calling("client-unix", actor.Client, "used-unix"),
		},
		Kill:    []string{"killed"},
		Parents: map[string]string{"used": "init", "used-unix": "init", "unused": "init"},
		Answers: []string{"client used", "client-unix used-unix"},
		Reap:    []string{"unused"},
	}, {
		Name:  "one between two calls of a client that closes its connections",
		Rules: everyOrphan,
		Parts: []actor.Part{cast.Claude("killed", web("used", "tcp"), web("unused", "tcp")), calling("client", actor.Visitor, "used")},
		Kill:  []string{"killed"},
		// The first answer leaves the connection in TIME_WAIT for the sweep.
		Answers: []string{"client used"},
		Reap:    []string{"unused"},
	}, {
		Name:  "one between two calls that closes its clients' connections itself",
		Rules: everyOrphan,
		Parts: []actor.Part{
			cast.Claude("killed", hangingUp(web("used", "tcp")), web("unused", "tcp")),
			hangingUp(calling("client", actor.Visitor, "used")),
		},
		Kill:    []string{"killed"},
		Answers: []string{"client used"},
		Reap:    []string{"unused"},
	}, {
		Name:     "by the shipped rules one that nobody calls is reported and stays",
		Parts:    []actor.Part{cast.Claude("killed", web("unused", "tcp"), cast.Memory("memory", actor.Socket))},
		Kill:     []string{"killed"},
		Parents:  map[string]string{"unused": "init"},
		Findings: map[string]string{"unused": "orphaned"},
		Reap:     []string{cast.Chain("memory")},
	}}
}
