//go:build linux

package farm_test

import (
	"os"
	"testing"
	"time"

	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
)

// Each row of this file is a way to use a server that was once overlooked: somebody uses it by one
// channel alone, and nothing goes; then that channel is closed, and the server goes.
//
//	| what is in use | its row |
//	| --- | --- |
//	| a program that a server opened for its user | TestABrowserOpenedForALoginOutlivesTheServer |
//	| the everyday browser that inherited the server's stdio | TestAnEverydayBrowserWithTheServersStdio |
//	| a container over the engine's API, and a batch in one | package engine: TestAContainerStartedOverTheAPI, TestABatchOverTheAPIBesideKilledRuns |
//	| an exec over the API or of compose whose input has ended | package graph: TestAnExecOverTheAPIWorksOn |
//	| a new run of a unit, in the group of an orphan | package reap: TestWhatAnotherControlGroupGainsIsNotKilled |
//	| an unknown agent and its server, wired by a shell that is gone | "a ring" |
//	| named pipes, between two calls | "two named pipes" |
//	| a connection that is not accepted yet | "a backlog" |
//	| a batch over TCP | "half a TCP connection" |
//	| a server below a wrapper whose own stdio is gone | "a holder who cannot be seen" |
//	| a job that a session started itself | package leaks: TestAJobThatAKilledSessionStarted |
//	| a younger server that was handed an end | "a younger server" |
//	| ends that no table of a process shows | "the queue of a socket", "a thread's own table" |
//	| a descriptor beside stdin and stdout | "a socket pair beside" and the three rows after it |
//	| an agent at work that is called like a server | "an agent called like a server" |
//	| a server on a port below a gateway | "a gateway above a port" |
//	| a server that calls what its session runs | "a connection to what a session runs" |
//	| a batch behind a wrapper | "a wrapped server that answers to a file" |
//	| a server that another has started for good | "a daemon that a server has started" |
//	| a batch whose filter writes | "answers that a filter may write away" |
//	| a server that somebody debugs | package scan: TestADebuggerIsSeen |
type channel struct {
	farm.World
	// Control is what must go at once, beside what is kept. Close closes the channel, and then all
	// of Reap must go.
	Control []string
	Close   func(t *testing.T, live *farm.Live)
}

// killing closes a channel by the end of whoever has it.
func killing(names ...string) func(*testing.T, *farm.Live) {
	return func(t *testing.T, live *farm.Live) {
		t.Helper()
		live.KillAll(t, names)
	}
}

// unlinking takes the names of FIFOs away.
func unlinking(names ...string) func(*testing.T, *farm.Live) {
	return func(t *testing.T, live *farm.Live) {
		t.Helper()
		for _, name := range names {
			if err := os.Remove(live.Folder.Path("run", name+".fifo")); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// left is a server that outlives the end of its input.
func left(name string, stream actor.Stream) actor.Part {
	return cast.Deaf(cast.Server(name, cast.NPX+"mcp-server-"+name, stream))
}

// wired gives a part other streams.
func wired(part actor.Part, stdin, stdout actor.Stream) actor.Part {
	part.Stdin, part.Stdout = stdin, stdout
	return part
}

// agent is a client that nobody knows, with no terminal.
func agent(name string, children ...actor.Part) actor.Part {
	return actor.Part{Name: name, Exe: "toiler", Argv: []string{"toiler", "--work"}, Stdin: actor.Null, Stdout: actor.Null, Setsid: true, Children: children}
}

// handed is a server that its agent has had started by somebody who is gone.
func handed(name string, stream actor.Stream) actor.Part {
	return actor.Part{Name: name + "-start", Exe: "sh", Argv: []string{"sh", "./start.sh"}, Stdin: stream, Stdout: stream, Does: actor.Launcher,
		Children: []actor.Part{left(name, actor.Inherit)}}
}

// hidden is a server that has a copy of the other end of its own stdin, and an agent who has
// another where no table of a process shows it.
func hidden(where string) []actor.Part {
	server := wired(left("server", actor.Inherit), actor.Named("question"), actor.Named("nobody"))
	server.Holds = []string{"question"}
	keeper := agent("agent")
	keeper.Holds, keeper.Hides = []string{"question"}, where
	return []actor.Part{cast.Launched(server, keeper)}
}

// answering is a server behind npm whose input has ended, and that answers to somewhere.
func answering(name string, stdout actor.Stream) actor.Part {
	server := left(name, actor.Inherit)
	server.Stdout = stdout
	return wired(actor.Part{Name: name + "-npm", Exe: "node", Argv: cast.Retitled("npm exec mcp-server-" + name), Does: actor.Wrapper, Children: []actor.Part{server}},
		actor.Named("nobody-asks-"+name), actor.Named("nobody-reads-"+name))
}

// piped is a pipeline of a server and a filter, whose shell and outer ends are gone.
func piped(name, filter string, args ...string) []actor.Part {
	reader := actor.Part{Name: name + "-filter", Exe: filter, Argv: append([]string{filter}, args...), Stdin: actor.Named("answer-" + name), Stdout: actor.Named("nobody-reads-" + name), Does: actor.Drain}
	return []actor.Part{cast.Launched(wired(left(name, actor.Inherit), actor.Named("nobody-asks-"+name), actor.Named("answer-"+name)), reader)}
}

// beside is a server that has something beside its stdin and stdout.
func beside(name, what string) actor.Part {
	part := left(name, actor.Socket)
	part.Beside = []string{what}
	return part
}

// closing is longer than a client may take to close a server.
const closing = 12 * time.Second

func channels() []channel {
	gateway := cast.Deaf(cast.Server("gateway", cast.NPX+"mcp-hub", actor.Socket))
	gateway.Children = []actor.Part{cast.Listening(cast.Server("server", cast.NPX+"mcp-server-everything", actor.Pipe), "tcp")}
	broker := cast.Listening(actor.Part{Name: "broker", Exe: "toiler", Argv: []string{"toiler", "--broker"}, Stdin: actor.Null, Stdout: actor.Null}, "unix")
	calling := left("server", actor.Pipe)
	calling.Does, calling.Calls = actor.Client, "broker"
	starter := left("plain", actor.Pipe)
	starter.Children = []actor.Part{cast.Daemon(cast.Server("daemon", cast.NPX+"b-mcp", actor.Null, "--daemon"))}
	younger := left("younger", actor.Pipe)
	younger.Holds = []string{"server"}
	older := agent("older")
	older.Beside = []string{"pair"}
	chatbot := runner(actor.Part{Name: "agent", Exe: "python3", Argv: []string{"python3", "$W/home/dev/tutorial/mcp_chatbot.py"}, Children: []actor.Part{left("server", actor.Pipe)}})
	wrapper := wired(actor.Part{Name: "wrapper", Exe: "node", Argv: cast.Retitled("npm exec mcp-server-fetch"), Beside: []string{"stdin", "stdout"},
		Children: []actor.Part{wired(left("server", actor.Inherit), actor.Passed(3), actor.Passed(4))}}, actor.Named("nobody-writes"), actor.Named("nobody-reads"))
	start := actor.Part{Name: "start", Exe: "sh", Argv: []string{"sh", "./start.sh"}, Stdin: actor.Socket, Stdout: actor.Socket, UID: cast.Ordinary, Does: actor.Launcher, Children: []actor.Part{wrapper}}
	return []channel{{
		World: farm.World{Name: "a ring", Reap: []string{"server"}, Kill: []string{"shell"}, Parts: []actor.Part{cast.Shell("shell",
			wired(cast.Node("agent", "/home/dev/agent.js"), actor.Named("answer"), actor.Named("question")), wired(left("server", actor.Inherit), actor.Named("question"), actor.Named("answer")))}},
		Close: killing("agent"),
	}, {
		World: farm.World{Name: "two named pipes", Reap: []string{"server"}, Parts: []actor.Part{cast.Launched(left("server", actor.Fifo))}},
		Close: unlinking("server.0", "server.1"),
	}, {
		World: farm.World{Name: "a backlog", Reap: []string{"server"}, Parts: []actor.Part{agent("agent", handed("server", actor.Backlog))}},
		Close: killing("agent"),
	}, {
		World: farm.World{Name: "half a TCP connection", Reap: []string{"server"}, Parts: []actor.Part{agent("agent", handed("server", actor.Half))}},
		Close: killing("agent"),
	}, {
		World: farm.World{Name: "a holder who cannot be seen", User: cast.Ordinary, Reap: []string{"wrapper server"}, Parts: []actor.Part{agent("agent", start)}},
		Close: killing("agent"),
	}, {
		World: farm.World{Name: "a younger server", Settle: closing, Reap: []string{"server"}, Parts: []actor.Part{cast.Claude("claude", cast.Dropped(left("server", actor.Pipe)), younger)}},
		Close: killing("younger"),
	}, {
		World: farm.World{Name: "the queue of a socket", Reap: []string{"server"}, Parts: hidden("queue")},
		Close: killing("agent"),
	}, {
		World: farm.World{Name: "a thread's own table", Reap: []string{"server"}, Parts: hidden("thread")},
		Close: killing("agent"),
	}, {
		World:   farm.World{Name: "a socket pair beside", Settle: closing, Reap: []string{"server"}, Parts: []actor.Part{cast.Claude("claude", cast.Dropped(beside("server", "pair")), cast.Dropped(left("plain", actor.Pipe)))}},
		Control: []string{"plain"},
		Close:   killing("claude"),
	}, {
		World: farm.World{Name: "a socket pair beside, of which an older process has inherited the end", Settle: closing, Reap: []string{"server"},
			Parts: []actor.Part{cast.Claude("claude", older, cast.Dropped(beside("server", "pair older")))}},
		Close: killing("claude"),
	}, {
		World: farm.World{Name: "a named pipe beside", Reap: []string{"server"}, Kill: []string{"claude"}, Parts: []actor.Part{cast.Claude("claude", beside("server", "fifo"))}},
		Close: unlinking("server.beside"),
	}, {
		World:   farm.World{Name: "a connection to what a session runs", Settle: closing, Reap: []string{"server"}, Parts: []actor.Part{cast.Claude("claude", broker, cast.Dropped(calling), cast.Dropped(left("plain", actor.Pipe)))}},
		Control: []string{"plain"},
		Close:   killing("broker"),
	}, {
		World:   farm.World{Name: "a wrapped server that answers to a file", Parts: []actor.Part{cast.Launched(answering("server", actor.File), answering("plain", actor.Inherit))}},
		Control: []string{"plain-npm plain"},
		Close:   killing(),
	}, {
		World:   farm.World{Name: "a daemon that a server has started", Kill: []string{"claude"}, Parts: []actor.Part{cast.Claude("claude", starter)}},
		Control: []string{"plain"},
		Close:   killing(),
	}, {
		World:   farm.World{Name: "answers that a filter may write away", Parts: append(piped("server", "logger", "-t", "mcp"), piped("plain", "grep", "result")...)},
		Control: []string{"plain plain-filter"},
		Close:   killing(),
	}, {
		World: farm.World{Name: "an agent called like a server", Kill: []string{"runner"}, Parts: []actor.Part{chatbot}, Answers: []string{"agent server"}, Reap: []string{"server"}},
		Close: killing("agent"),
	}, {
		World: farm.World{Name: "a gateway above a port", Kill: []string{"claude"}, Parts: []actor.Part{cast.Claude("claude", gateway)}, Answers: []string{"gateway server"}, Reap: []string{"gateway"}},
		Close: killing("server"),
	}}
}

// TestWhatIsUsedByOneChannelAlone keeps it while that is open, and ends it once that is closed.
func TestWhatIsUsedByOneChannelAlone(t *testing.T) {
	t.Parallel()
	for _, row := range channels() {
		t.Run(row.Name, func(t *testing.T) {
			world, reap := row.World, row.Reap
			world.Reap = row.Control
			farm.Within(t, world, func(t *testing.T, live *farm.Live) {
				live.KillAll(t, world.Kill)
				live.Check(t)
				row.Close(t, live)
				live.World.Reap, live.World.Answers = reap, nil
				live.Check(t)
			})
		})
	}
}

// TestAnEverydayBrowserWithTheServersStdio: a launcher starts it in a session of its own, and hands
// on what it has. The server goes, its driven browser too, and the person's stays.
func TestAnEverydayBrowserWithTheServersStdio(t *testing.T) {
	opened := func(name string, argv ...string) actor.Part {
		return actor.Part{Name: name, Exe: argv[0], Argv: argv, Setsid: true}
	}
	server := left("server", actor.Socket)
	server.Children = []actor.Part{
		opened("everyday", "chromium", "https://login.example.com/device"),
		opened("driven", "chromium", "--remote-debugging-pipe", "about:blank"),
	}
	farm.Run(t, farm.World{
		Parts:   []actor.Part{cast.Claude("claude", server)},
		Kill:    []string{"claude"},
		Parents: map[string]string{"server": "init", "everyday": "server", "driven": "server"},
		Reap:    []string{"server driven"},
	})
}

// TestABrowserThatIsDrivenOverAPort has no connection but its server's: it is leaked with the server.
func TestABrowserThatIsDrivenOverAPort(t *testing.T) {
	browser := cast.Listening(actor.Part{Name: "browser", Exe: "chromium", Argv: []string{"chromium", "--headless", "--remote-debugging-port=0"}, Stdin: actor.Null, Stdout: actor.Null}, "tcp")
	server := left("server", actor.Pipe)
	server.Does, server.Calls, server.Children = actor.Client, "browser", []actor.Part{browser}
	farm.Run(t, farm.World{Parts: []actor.Part{cast.Claude("claude", server)}, Kill: []string{"claude"}, Findings: map[string]string{"server": "orphaned"}})
}
