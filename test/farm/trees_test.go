//go:build linux

package farm_test

import (
	"testing"
	"time"

	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
)

// openclawRelay plays openclaw's helper. It passes a server's stdio on over pipes of its
// own, and does not end at the end of its input.
func openclawRelay(name string, inner actor.Part) actor.Part {
	part := cast.Node(name, "$W/home/.npm-global/lib/node_modules/openclaw/dist/process/supervisor/service-child-relay.js")
	part.Stdin, part.Stdout, part.Does, part.IgnoreEOF = actor.Pipe, actor.Pipe, actor.Relay, true
	part.Children = []actor.Part{inner}
	return part
}

// openclaw plays the client that starts such relays.
func openclaw(name string, children ...actor.Part) actor.Part {
	part := cast.Session(name, "openclaw", children...)
	part.Argv = cast.Retitled("openclaw-tui")
	return part
}

// A relay of a known kind is no client. It is reaped with the server whose stdio it holds.
// The same relay below a live client stays.
func TestALeakedRelayGoesWithItsTree(t *testing.T) {
	farm.Run(t, farm.World{
		Parts: []actor.Part{
			openclaw("killed", openclawRelay("relay", cast.Memory("memory", actor.Pipe)),
				openclawRelay("relay-2", cast.Deaf(cast.Server("dialpad", "$W/home/dialpad/mcp-server.js", actor.Socket)))),
			openclaw("alive", openclawRelay("relay-3", cast.Memory("memory-3", actor.Pipe))),
		},
		Kill:    []string{"killed"},
		Parents: map[string]string{"relay": "init", "memory-npm": "relay", "relay-2": "init", "dialpad": "relay-2"},
		Answers: []string{"alive relay-3"},
		Reap:    []string{"relay " + cast.Chain("memory"), "relay-2 dialpad"},
	})
}

// A server opens a person's own browser for a login, and another over pipes. They are no
// part of the server, nor is an editor. A browser that the server drives is, and so is a
// helper whose stdin and stdout the server holds.
func TestABrowserOpenedForALoginOutlivesTheServer(t *testing.T) {
	opened := func(name string, argv ...string) actor.Part {
		return actor.Part{Name: name, Exe: argv[0], Argv: argv, Stdin: actor.Null, Stdout: actor.Null, Setsid: true}
	}
	browser := opened("browser", "chromium", "--no-first-run", "https://login.example.com/device")
	browser.Children = []actor.Part{{Name: "renderer", Exe: "chromium", Argv: []string{"chromium", "--type=renderer"}}}
	helper := opened("helper", "login-helper", "--wait")
	overPipes := func(name string, argv ...string) actor.Part {
		part := opened(name, argv...)
		part.Stdin, part.Stdout = actor.Pipe, actor.Pipe
		return part
	}
	work, editor := overPipes("work", "chromium", "--profile", "work"), overPipes("editor", "godot", "-e")
	driven, worker := overPipes("driven", "chromium", "--remote-debugging-pipe"), overPipes("worker", "indexer", "--stdio")
	server := cast.Deaf(cast.Server("server", cast.NPX+"mcp-server-calendar", actor.Socket))
	server.Children = []actor.Part{browser, helper, work, editor, driven, worker}
	farm.Inside(t, farm.Tini, func(t *testing.T) {
		live := farm.Raise(t, farm.World{
			Parts:   []actor.Part{cast.Claude("killed", server)},
			Parents: map[string]string{"browser": "server", "helper": "server", "work": "server", "editor": "server", "driven": "server", "worker": "server", "renderer": "browser"},
			Reap:    []string{"server driven worker"},
		})
		live.KillAll(t, []string{"killed"})
		live.Check(t)
		live.World.Reap, live.World.Parents = nil, map[string]string{"browser": "init", "helper": "init", "work": "init", "editor": "init", "renderer": "browser"}
		live.Check(t)
	})
}

// held returns a server and a gateway. Once their client has gone, the gateway alone holds
// the server's stdin. The gateway has one more server below it.
func held(suffix string) []actor.Part {
	return []actor.Part{cast.Memory("memory"+suffix, actor.Pipe), {
		Name: "gateway" + suffix, Exe: "docker-mcp", Argv: []string{"docker", "mcp", "gateway", "run"},
		Stdin: actor.Pipe, Stdout: actor.Pipe, Holds: []string{"memory" + suffix + "-npm"}, Does: actor.Server, IgnoreEOF: true,
		Children: []actor.Part{cast.UVX("git"+suffix, "mcp-server-git", actor.Socket)},
	}}
}

// A pin keeps an orphaned gateway. The server whose stdin only that gateway holds stays
// too, without a pin of its own. A gateway without a pin is reaped with its servers.
func TestAPinnedGatewayKeepsTheServerItHolds(t *testing.T) {
	pinned := held("")
	pinned[1].Env = []string{"REAPERD_KEEP=the nightly jobs share it"}
	farm.Run(t, farm.World{
		Parts:    []actor.Part{cast.Claude("killed", append(pinned, held("-2")...)...)},
		Kill:     []string{"killed"},
		Parents:  map[string]string{"gateway": "init", "memory-npm": "init", "gateway-2": "init", "memory-2-npm": "init"},
		Answers:  []string{"gateway git-uv"},
		Reap:     []string{"gateway-2", cast.Chain("memory-2"), "git-2-uv git-2"},
		Findings: map[string]string{"gateway": "orphaned"},
	})
}

// impatientToo also has no waiting time for a gateway that a live session has let go of.
const impatientToo = farm.Impatient + "  - {name: disconnected-gateways, for: 1s, grace: 1s}\n"

// A live session has closed its ends of three servers. Those that listen may still be
// called over their port, and stay. A gateway that does not listen is reaped with its
// servers.
func TestWhatALiveSessionHasLetGoOf(t *testing.T) {
	listener := cast.Listening(cast.Dropped(cast.Deaf(cast.Server("listener", cast.NPX+"mcp-server-everything", actor.Socket))), "tcp")
	gateway := func(name string, children ...actor.Part) actor.Part {
		return actor.Part{
			Name: name, Exe: "docker-mcp", Argv: []string{"docker", "mcp", "gateway", "run"},
			Stdin: actor.Pipe, Stdout: actor.Pipe, Does: actor.Server, IgnoreEOF: true, Children: children,
		}
	}
	farm.Run(t, farm.World{
		Rules: impatientToo,
		Parts: []actor.Part{cast.Claude("claude", listener,
			cast.Dropped(gateway("old", cast.Memory("memory", actor.Pipe))),
			cast.Dropped(cast.Listening(gateway("listening", cast.Memory("memory-2", actor.Pipe)), "tcp")),
			gateway("new", cast.Memory("memory-3", actor.Pipe)))},
		Answers:  []string{"claude new", "new memory-3-npm", "listening memory-2-npm"},
		Findings: map[string]string{"listener": "disconnected", "old": "disconnected", "listening": "disconnected", "new": "none"},
		Reap:     []string{"old", cast.Chain("memory")},
		Settle:   12 * time.Second, // longer than a client may take to close
	})
}
