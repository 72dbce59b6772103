//go:build linux

// Package rows has the worlds of the farm: their processes, which of them are killed, and
// which reaperd must then reap. Package farm's tests run them with real processes, and
// test/mac on a simulated Mac.
package rows

import (
	"fmt"
	"time"

	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
)

// Orphaned are worlds with trees whose client was killed.
func Orphaned() []farm.World {
	return []farm.World{{
		Name: "npm exec chains over socket pairs outlive a killed client and another client uses the same servers",
		Parts: []actor.Part{
			cast.Claude("killed", cast.Memory("memory", actor.Socket), cast.Filesystem("files", actor.Socket, "/srv")),
			cast.Claude("alive", cast.Memory("memory-2", actor.Socket), cast.Filesystem("files-2", actor.Socket, "/srv")),
		},
		Kill:    []string{"killed"},
		Parents: map[string]string{"memory-npm": "init", "memory-sh": "memory-npm", "memory": "memory-sh"},
		Answers: []string{"alive memory-2-npm", "alive files-2-npm"},
		Reap:    []string{cast.Chain("memory"), cast.Chain("files")},
	}, {
		Name:  "the same below a first process of no known name",
		First: farm.Plain,
		Parts: []actor.Part{
			cast.Claude("killed", cast.Memory("memory", actor.Socket)),
			cast.Claude("alive", cast.Memory("memory-2", actor.Socket)),
		},
		Kill:    []string{"killed"},
		Parents: map[string]string{"memory-npm": "init"},
		Answers: []string{"alive memory-2-npm"},
		Reap:    []string{cast.Chain("memory")},
	}, {
		Name: "uv chains over pipes are adopted by a subreaper that is not the first process",
		Parts: []actor.Part{cast.SystemdUser(
			cast.Session("killed", "codex", cast.UVX("git", "mcp-server-git", actor.Pipe), cast.UVX("time", "mcp-server-time", actor.Pipe)),
			cast.Session("alive", "codex", cast.UVX("git-2", "mcp-server-git", actor.Pipe)),
		)},
		Kill:    []string{"killed"},
		Parents: map[string]string{"git-uv": "systemd-user", "git": "git-uv"},
		Answers: []string{"alive git-2-uv"},
		Reap:    []string{"git-uv git", "time-uv time"},
	}, {
		Name: "servers that ignore SIGTERM go all the same",
		Parts: []actor.Part{
			cast.Claude("killed", cast.Stubborn(cast.Memory("memory", actor.Socket)), cast.Stubborn(cast.UVX("git", "mcp-server-git", actor.Pipe))),
			cast.Claude("alive", cast.Stubborn(cast.Memory("memory-2", actor.Socket))),
		},
		Kill:    []string{"killed"},
		Answers: []string{"alive memory-2-npm"},
		Reap:    []string{cast.Chain("memory"), "git-uv git"},
	}, {
		Name: "orphans are adopted by a subreaper that no list names",
		Parts: []actor.Part{cast.Shell("shell", actor.Part{
			Name: "quayside", Exe: "quayside", Argv: []string{"quayside", "--keep"},
			Stdin: actor.TTY, Stdout: actor.TTY, Subreaper: true,
			Children: []actor.Part{
				cast.Claude("killed", cast.Memory("memory", actor.Socket)),
				cast.Claude("alive", cast.Memory("memory-2", actor.Socket)),
			},
		})},
		Kill:    []string{"killed"},
		Parents: map[string]string{"memory-npm": "quayside"},
		Answers: []string{"alive memory-2-npm"},
		Reap:    []string{cast.Chain("memory")},
	}, Copies(94)}
}

// Copies is a world with many copies of a server, of which one is in use.
func Copies(count int) farm.World {
	const script = "$W/home/dev/mcp-server/dist/index.js"
	world := farm.World{
		Name:    fmt.Sprintf("%d copies of one server of which one is in use", count),
		Kill:    []string{"killed"},
		Answers: []string{"alive used"},
	}
	var left []actor.Part
	for number := 1; number < count; number++ {
		name := fmt.Sprintf("copy-%02d", number)
		left = append(left, cast.Deaf(cast.Server(name, script, actor.Socket)))
		world.Reap = append(world.Reap, name)
	}
	world.Parts = []actor.Part{
		cast.Claude("killed", left...),
		cast.Claude("alive", cast.Deaf(cast.Server("used", script, actor.Socket))),
	}
	return world
}

// InUse are worlds with servers in use whose parents have ended or changed.
func InUse() []farm.World {
	return []farm.World{{
		Name: "leaves whose npm was killed still answer their client over its pipes",
		Parts: []actor.Part{func() actor.Part {
			codex := cast.Session("codex", "codex", cast.Memory("memory", actor.Pipe), cast.Filesystem("files", actor.Pipe, "/srv"))
			codex.Unwaited = true
			return codex
		}()},
		Kill:    []string{"memory-npm", "memory-sh", "files-npm"},
		Parents: map[string]string{"memory": "init", "files-sh": "init"},
		Answers: []string{"codex memory-npm", "codex files-npm"},
	}, {
		Name: "a session whose launcher died keeps all its servers",
		Parts: []actor.Part{cast.Shell("shell", actor.Part{
			Name: "launcher", Exe: "node", Argv: []string{"node", "$W/home/.npm-global/bin/codex"}, Does: actor.Wrapper,
			Children: []actor.Part{{
				Name: "codex", Exe: "home/.npm-global/lib/vendor/x86_64-unknown-linux-musl/bin/codex", Argv: []string{"codex"},
				Children: []actor.Part{cast.Memory("memory", actor.Pipe), cast.UVX("git", "mcp-server-git", actor.Pipe)},
			}},
		})},
		Kill:    []string{"launcher"},
		Parents: map[string]string{"codex": "init"},
		Answers: []string{"codex memory-npm", "codex git-uv"},
	}, {
		Name: "an app server that runs as a daemon has its servers over pipes",
		Parts: []actor.Part{cast.Launched(func() actor.Part {
			server := cast.Daemon(actor.Part{Name: "codex", Exe: "codex", Argv: []string{"codex", "app-server", "--listen", "unix://"}})
			server.Children = []actor.Part{cast.Memory("memory", actor.Pipe), cast.UVX("git", "mcp-server-git", actor.Pipe)}
			return cast.Listening(server, "unix")
		}())},
		Parents: map[string]string{"codex": "init"},
		Answers: []string{"codex memory-npm", "codex git-uv"},
	}, {
		Name: "a client that no list names has servers of well-known names",
		Parts: []actor.Part{cast.Launched(actor.Part{
			Name: "client", Exe: "brand-new-agent", Argv: []string{"brand-new-agent", "--work"},
			Children: []actor.Part{cast.Memory("memory", actor.Socket), cast.UVX("git", "mcp-server-git", actor.Pipe)},
		})},
		Parents: map[string]string{"client": "init"},
		Answers: []string{"client memory-npm", "client git-uv"},
	}, {
		Name: "three servers of one binary with different arguments are three servers",
		Parts: []actor.Part{cast.Claude("claude",
			cast.Filesystem("files-1", actor.Socket, "/srv/one"),
			cast.Filesystem("files-2", actor.Socket, "/srv/two"),
			cast.Filesystem("files-3", actor.Socket, "/srv/three"),
		)},
		Answers: []string{"claude files-1-npm", "claude files-2-npm", "claude files-3-npm"},
	}, {
		Name: "a live session stands below an orphaned server",
		Parts: []actor.Part{cast.Claude("killed", func() actor.Part {
			tmux := cast.Deaf(cast.Server("tmux", cast.NPX+"tmux-mcp", actor.Socket))
			tmux.Children = []actor.Part{cast.Claude("inner", cast.Memory("memory", actor.Socket))}
			return tmux
		}())},
		Kill:    []string{"killed"},
		Parents: map[string]string{"tmux": "init", "inner": "tmux"},
		Answers: []string{"inner memory-npm"},
	}, {
		Name: "a server whose first thread has exited answers its client",
		Parts: []actor.Part{
			cast.Claude("claude", cast.Leaderless(cast.Server("memory", cast.NPX+"mcp-server-memory", actor.Socket))),
		},
		Answers: []string{"claude memory"},
	}, {
		Name: "an orphan whose first thread has exited may go and nothing else does",
		Parts: []actor.Part{
			cast.Claude("killed", cast.Leaderless(cast.Deaf(cast.Server("memory", cast.NPX+"mcp-server-memory", actor.Socket))), cast.Memory("other", actor.Socket)),
			cast.Claude("alive", cast.Memory("memory-2", actor.Socket)),
		},
		Kill:    []string{"killed"},
		Either:  []string{"memory"},
		Answers: []string{"alive memory-2-npm"},
		Reap:    []string{cast.Chain("other")},
	}}
}

// Disconnected are worlds with servers whose streams a live session has closed.
func Disconnected() []farm.World {
	return []farm.World{{
		Name: "a session has let go of one server and uses another of the same name",
		Parts: []actor.Part{
			cast.Claude("claude", cast.Dropped(cast.Memory("memory", actor.Socket)), cast.Memory("memory-2", actor.Socket)),
		},
		Answers:  []string{"claude memory-2-npm"},
		Findings: map[string]string{"memory-npm": "disconnected"},
		Reap:     []string{cast.Chain("memory")},
		Settle:   12 * time.Second, // longer than a client may take to close
	}, {
		Name: "a server that its session closes just now is left to the session",
		Parts: []actor.Part{
			cast.Claude("claude", cast.Dropped(cast.Memory("memory", actor.Socket)), cast.Memory("memory-2", actor.Socket)),
		},
		Answers: []string{"claude memory-2-npm"},
	}}
}
