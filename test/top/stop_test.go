//go:build linux

package top_test

import (
	"testing"

	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
)

// TestADuplicateIsStoppedAsBySweepsSwitch: the policy only reports it.
func TestADuplicateIsStoppedAsBySweepsSwitch(t *testing.T) {
	newest := cast.Memory("newest", actor.Socket)
	newest.Children[0].Children[0].Busy = true // so the older one is not the one that its client uses
	world := farm.World{
		Name:  "a live session has a server twice",
		Parts: []actor.Part{cast.Claude("claude", cast.Memory("older", actor.Socket), newest)},
		Rules: "version: 1\nextends: builtin\nmode: enforce\nrules:\n  - {name: duplicates, for: 1s, grace: 1s, match: {kind: [server, container], finding: duplicate, idle_for: 1s}}\n",
	}
	within(t, world, func(t *testing.T, live *farm.Live) {
		top := run(t, live.Command(t, "top"))
		top.shows("in use, older copy", "1 of them older copies")
		top.types("n\r", "an older copy of what claude-code")
		top.types("G", "reaperd sweep --duplicates")
		top.types("x", "Stop 1 older copy", "y yes, n no")
		daemon.Live(t, live, "older", "newest")
		top.types("y", "Stopped 1")
		daemon.Gone(t, live, "older", "older-npm", "older-sh")
		daemon.Live(t, live, "claude", "newest", "newest-npm", "newest-sh")
		top.shows("1 MCP server, in use. Nothing to do.")
		top.types("e", "The last day", "you stopped mcp-server-memory")
		top.types("q", "Nothing to do.")
		top.types("q")
		top.ends(0)
	})
}

// TestAnIdleSessionIsStoppedAsItsDaemonRemembersIt: two looks of top are too close to each
// other to see that it idles.
func TestAnIdleSessionIsStoppedAsItsDaemonRemembersIt(t *testing.T) {
	world := farm.World{Name: "a session does nothing", Parts: []actor.Part{cast.Claude("claude", cast.Memory("notes", actor.Pipe))}}
	within(t, world, func(t *testing.T, live *farm.Live) {
		const rules = "version: 1\nextends: builtin\nmode: enforce\nschedule: '@every 2s'\nrules:\n  - {name: idle-sessions, match: {idle_for: 3s}}\n"
		d := daemon.Start(t, live, daemon.Options{Policy: rules})
		top := run(t, d.Command(t.Context(), "top", "--settle", "1s"))
		top.shows("MCP server idle")
		top.types("/claude\r", "p pin  x stop")
		top.types("x", "Stop 1 session with 1 MCP server", "y yes, n no")
		daemon.Live(t, live, "claude", "notes", "notes-npm", "notes-sh")
		top.types("y", "Stopped 1 session")
		daemon.Gone(t, live, "claude", "notes", "notes-npm", "notes-sh")
		top.types("\x1b", "No MCP servers here.")
		top.types("q")
		top.ends(0)
	})
}

// TestASessionThatBeganAfterAnEarlierStopIsStoppedAsItsDaemonRemembersIt: what top saw for that stop
// says nothing of it.
func TestASessionThatBeganAfterAnEarlierStopIsStoppedAsItsDaemonRemembersIt(t *testing.T) {
	world := farm.World{Name: "a session does nothing", Parts: []actor.Part{cast.Claude("claude", cast.Memory("notes", actor.Pipe))}}
	within(t, world, func(t *testing.T, live *farm.Live) {
		const rules = "version: 1\nextends: builtin\nmode: enforce\nschedule: '@every 2s'\nrules:\n  - {name: idle-sessions, match: {idle_for: 3s}}\n"
		d := daemon.Start(t, live, daemon.Options{Policy: rules})
		top := run(t, d.Command(t.Context(), "top", "--settle", "1s"))
		top.shows("MCP server idle")
		top.types("/claude\r", "p pin  x stop")
		top.types("x", "Stop 1 session", "y yes, n no")
		top.types("n", "Nothing stopped.")
		live.Start(t, []actor.Part{cast.Session("codex", "codex", cast.Memory("late", actor.Pipe))})
		top.types("\x1b/\x15codex\r", "idle 10s")
		top.types("gj", "p pin  x stop")
		top.types("x", "Stop 1 session", "y yes, n no")
		top.types("y", "Stopped 1 session")
		daemon.Gone(t, live, "codex", "late", "late-npm", "late-sh")
		daemon.Live(t, live, "claude", "notes", "notes-npm", "notes-sh")
		top.types("q")
		top.ends(0)
	})
}

// TestALeakIsStoppedBeforeItsTime: the rule would let it wait for an hour.
func TestALeakIsStoppedBeforeItsTime(t *testing.T) {
	within(t, leak(), func(t *testing.T, live *farm.Live) {
		d := daemon.Start(t, live, daemon.Options{Policy: anHour})
		top := run(t, d.Command(t.Context(), "top", "--settle", "1s"))
		top.shows("LEAKED", "stops in")
		top.types("n", "p pin  x stop")
		top.types("x", "Stop 1 MCP server", "mcp-server-memory")
		top.types("n", "Nothing stopped.")
		daemon.Live(t, live, "left", "left-npm", "left-sh")
		top.types("g", "x stop all")
		top.types("x", "Stop 1 MCP server", "mcp-server-memory")
		top.types("y", "Stopped 1")
		daemon.Gone(t, live, "left", "left-npm", "left-sh")
		daemon.Live(t, live, "claude", "files", "files-npm", "files-sh")
		top.shows("Nothing to do.")
		top.types("q")
		top.ends(0)
	})
}

const anHour = "version: 1\nextends: builtin\nmode: enforce\nschedule: '@every 2s'\nrules:\n  - {name: orphaned-servers, for: 1h, grace: 1s}\n"

// TestWhatIsInUseSaysSoAtOnce: two looks would take ten minutes here.
func TestWhatIsInUseSaysSoAtOnce(t *testing.T) {
	within(t, leak(), func(t *testing.T, live *farm.Live) {
		d := daemon.Start(t, live, daemon.Options{Policy: anHour})
		top := run(t, d.Command(t.Context(), "top", "--settle", "10m"))
		top.shows("LEAKED", "in use")
		top.types("G", "p pin  n next")
		top.types("x", "is in use by claude-code")
		daemon.Live(t, live, "claude", "files", "files-npm", "files-sh")
		top.types("k", "p pin  n next")
		top.types("p", "Pinned claude", "p unpin")
		top.types("G", "p unpin")
		top.types("p", "stays: it belongs to claude-code")
		top.types("q", "LEAKED")
		top.types("q")
		top.ends(0)
	})
}
