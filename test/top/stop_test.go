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
	world := farm.World{
		Name:  "a live session has a server twice",
		Parts: []actor.Part{cast.Claude("claude", cast.Memory("older", actor.Socket), cast.Memory("newest", actor.Socket))},
		Rules: "version: 1\nextends: builtin\nmode: enforce\nrules:\n  - {name: duplicates, for: 1s, grace: 1s, match: {kind: [server, container], finding: duplicate, idle_for: 1s}}\n",
	}
	within(t, world, func(t *testing.T, live *farm.Live) {
		top := run(t, live.Command(t, "top", "--every", "2s"))
		top.shows("older copy, reported", "in use", "1 only reported")
		top.types("n\r", "it only reports. x stops it")
		top.types("x", "As by reaperd sweep", "--duplicates", "Stop mcp-server-memory ")
		daemon.Live(t, live, "older", "newest")
		top.types("y", "topped")
		daemon.Gone(t, live, "older", "older-npm", "older-sh")
		daemon.Live(t, live, "claude", "newest", "newest-npm", "newest-sh")
		top.types("\x1b", "Nothing leaks")
		top.types("e", "Only what x stops in this top is told", "by hand: sweep --duplicates")
		top.types("q", "Nothing leaks")
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
		top.shows("session idle", "idle with session")
		top.types("/claude\r", "p pin  x stop")
		top.types("x", "As by reaperd sweep", "--idle-over", "y yes, n no")
		daemon.Live(t, live, "claude", "notes", "notes-npm", "notes-sh")
		top.types("y", "topped")
		daemon.Gone(t, live, "claude", "notes", "notes-npm", "notes-sh")
		top.types("\x1b", "0 sessions")
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
		top := run(t, d.Command(t.Context(), "top", "--settle", "1s", "--every", "1s"))
		top.shows("session idle")
		top.types("/claude\r", "p pin  x stop")
		top.types("x", "--idle-over", "y yes, n no")
		top.types("n", "Nothing stopped.")
		live.Start(t, []actor.Part{cast.Session("codex", "codex", cast.Memory("late", actor.Pipe))})
		top.types("\x1b/\x15codex\r", "idle 8s")
		top.types("gj", "p pin  x stop")
		top.types("x", "--idle-over", "y yes, n no")
		top.types("y", "topped")
		daemon.Gone(t, live, "codex", "late", "late-npm", "late-sh")
		daemon.Live(t, live, "claude", "notes", "notes-npm", "notes-sh")
		top.types("q")
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
		top.types("x", "As by reaperd sweep", "--now", "Stop mcp-server-memory")
		top.types("n", "Nothing stopped.")
		daemon.Live(t, live, "left", "left-npm", "left-sh")
		top.types("g", "x stop all")
		top.types("x", "As by reaperd sweep", "--now", "Stop mcp-server-memory")
		top.types("y", "topped")
		daemon.Gone(t, live, "left", "left-npm", "left-sh")
		daemon.Live(t, live, "claude", "files", "files-npm", "files-sh")
		top.types("\x1b", "Nothing leaks")
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
		top.types("G", "p pin  / filter")
		top.types("x", "is in use", "It ends with claude-code")
		daemon.Live(t, live, "claude", "files", "files-npm", "files-sh")
		top.types("q", "LEAKED")
		top.types("/claude\rp", "Pinned claude")
		top.types("/\x15\rG", "pinned with session")
		top.types("p", "is pinned with claude-code")
		top.types("p", "It stays: claude-code")
		top.types("q")
		top.ends(0)
	})
}
