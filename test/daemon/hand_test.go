//go:build linux

package daemon_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
)

// decoded runs a command with `-o json`, which must succeed, and decodes its answer.
func decoded(t *testing.T, d *daemon.Daemon, into any, args ...string) {
	t.Helper()
	out := d.Does(t, append(args, "-o", "json")...)
	if err := json.Unmarshal([]byte(out), into); err != nil {
		t.Fatalf("reaperd %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// history is the part of `reaperd history -o json` that these tests read.
type history struct {
	Summary struct {
		Reaped     int `json:"reaped"`
		Unfinished int `json:"unfinished"`
	} `json:"summary"`
	Entries []struct {
		Target     string `json:"target"`
		Result     string `json:"result"`
		Rule       string `json:"rule"`
		Unfinished bool   `json:"unfinished"`
		Tree       []struct {
			PID int `json:"pid"`
		} `json:"tree"`
	} `json:"entries"`
}

func TestWhatIsPinnedIsKeptUntilItIsUnpinned(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		live.Start(t, []actor.Part{three("pinned"), one("killed"), one("alive")})
		d := daemon.Start(t, live, daemon.Options{Policy: enforcing("@every 1s", "1s")})
		leaf := live.Being(t, "pinned-memory") // any process of a tree stands for the tree
		d.Does(t, "pin", strconv.Itoa(leaf.PID), "--reason", "a demo")
		live.KillAll(t, []string{"pinned", "killed"})
		daemon.Gone(t, live, "killed-server", "pinned-files", "pinned-files-npm", "pinned-pipe")
		d.AwaitMore(t, 2)
		daemon.Live(t, live, "pinned-memory-npm", "pinned-memory-sh", "pinned-memory", "alive", "alive-server")

		if target, ok := d.Report(t).Of(leaf); !ok || target.Decision != "keep" || !strings.Contains(string(target.Vetoes), "pinned") {
			t.Errorf("the report is to show the pin: got %v", target)
		}
		if d.Metric(t, "reaperd_vetoes_total", `guard="pinned"`) == 0 {
			t.Error("the veto of the pin is not counted")
		}
		var pins struct{ Pins []struct{ Reason string } }
		if decoded(t, d, &pins, "pins"); len(pins.Pins) != 1 || pins.Pins[0].Reason != "a demo" {
			t.Errorf("pins: got %+v", pins)
		}

		d.Does(t, "unpin", strconv.Itoa(leaf.PID))
		daemon.Gone(t, live, "pinned-memory-npm", "pinned-memory-sh", "pinned-memory")
	})
}

func TestAPauseStopsActsAndAResumeLetsThemGoOn(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		live.Start(t, []actor.Part{one("killed"), one("alive")})
		d := daemon.Start(t, live, daemon.Options{Policy: enforcing("@every 1s", "1s")})
		d.Does(t, "pause", "1h", "--reason", "a migration")
		live.KillAll(t, []string{"killed"})
		farm.Eventually(t, "it would be reaped", func() bool {
			return d.Metric(t, "reaperd_findings", `finding="orphaned"`, `decision="reap"`) == 1
		})
		d.AwaitMore(t, 2)
		daemon.Live(t, live, "killed-server", "alive-server")
		if told, _ := d.Status(t); told.Decider.Rests != account.Paused || told.Decider.PausedUntil.IsZero() {
			t.Errorf("status: rests %q until %s", told.Decider.Rests, told.Decider.PausedUntil)
		}
		if out := d.Does(t, "status"); !strings.Contains(out, "Paused until ") || !strings.Contains(out, " (a migration)") {
			t.Errorf("status: got %s", out)
		}
		if outcomes, unfinished := d.Journal(t); len(outcomes)+len(unfinished) != 0 {
			t.Errorf("journal: %v %v", outcomes, unfinished)
		}

		d.Kill(t) // a pause outlasts a restart of the daemon
		again := daemon.Start(t, live, daemon.Options{Policy: enforcing("@every 1s", "1s")})
		again.AwaitMore(t, 3)
		daemon.Live(t, live, "killed-server")
		again.Does(t, "resume")
		daemon.Gone(t, live, "killed-server")
		daemon.Live(t, live, "alive", "alive-server")
	})
}

func TestStatusTellsWellFromUnwellFromNotThere(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		d := daemon.Start(t, live, daemon.Options{Policy: reporting})
		farm.Eventually(t, "status says that it is well", func() bool { code, _, _ := d.Run(t, "status"); return code == 0 })
		d.Kill(t)
		if code, out, talk := d.Run(t, "status"); code != 3 {
			t.Errorf("status of a killed one: exit %d, want 3\n%s%s", code, out, talk)
		}
		unwell := daemon.Launch(t, live, daemon.Options{Policy: broken})
		farm.Eventually(t, "status says that it is not well", func() bool { code, _, _ := unwell.Run(t, "status"); return code == 1 })
		unwell.Kill(t)
	})
}

func TestWhatWasReapedCanBeAskedFor(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		live.Start(t, []actor.Part{three("killed"), one("other"), one("alive")})
		d := daemon.Start(t, live, daemon.Options{Policy: enforcing("@every 60s", "1m")})
		live.KillAll(t, []string{"killed"})
		daemon.Gone(t, live, nine("killed")...)
		farm.Eventually(t, "the outcomes are journalled", func() bool { outcomes, _ := d.Journal(t); return len(outcomes) == 3 })

		leaf, root := live.Being(t, "killed-memory"), live.Being(t, "killed-memory-npm")
		var past history
		decoded(t, d, &past, "history", "--pid", strconv.Itoa(leaf.PID))
		if len(past.Entries) != 1 || past.Entries[0].Target != root.String() || past.Entries[0].Result != "exited" ||
			past.Entries[0].Rule != "orphaned-servers" || len(past.Entries[0].Tree) != 3 {
			t.Errorf("history --pid %d: got %+v", leaf.PID, past)
		}
		if out := d.Does(t, "explain", strconv.Itoa(leaf.PID)); !strings.Contains(out, "orphaned-servers") {
			t.Errorf("explain of what was reaped: got %s", out)
		}

		other := live.Being(t, "other")
		live.KillAll(t, []string{"other"}) // reaperd does not end sessions
		daemon.Gone(t, live, "other-server")
		decoded(t, d, &past, "history", "--pid", strconv.Itoa(other.PID))
		if len(past.Entries) != 0 {
			t.Errorf("history of what was not touched: got %+v", past)
		}
		var fate struct{ Journal, Held []json.RawMessage }
		decoded(t, d, &fate, "explain", strconv.Itoa(other.PID))
		if len(fate.Journal) != 0 || len(fate.Held) != 1 {
			t.Errorf("explain of a session that left a server: got %d acts on it and %d on what it had", len(fate.Journal), len(fate.Held))
		}
		if out := d.Does(t, "explain", strconv.Itoa(other.PID)); !strings.Contains(out, "ended: 1 server stopped") || strings.Contains(out, "never touched") {
			t.Errorf("explain of a session that left a server: got %s", out)
		}
		if code, out, _ := d.Run(t, "explain", "4194303"); code != 1 || !strings.Contains(out, "never touched it") {
			t.Errorf("explain of what was not touched: exit %d, got %s", code, out)
		}
	})
}

// TestATellingShapeThatOnlyTheDaemonHasSeenIsKnownToAllCommands: nothing in the server's name
// or configuration tells that it is one, but that a session held its stdin and stdout. So it is
// only likely to be one.
func TestATellingShapeThatOnlyTheDaemonHasSeenIsKnownToAllCommands(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		live.Start(t, []actor.Part{cast.Claude("killed", cast.Deaf(cast.Server("helper", "$W/home/dev/own/tool.js", actor.Socket)))})
		d := daemon.Start(t, live, daemon.Options{Policy: enforcing("@every 1s", "1s")})
		d.AwaitMore(t, 2)
		live.KillAll(t, []string{"killed"})
		pid := strconv.Itoa(live.Being(t, "helper").PID)
		farm.Eventually(t, "the daemon has it as pending", func() bool { return len(d.Pending(t)) == 1 })
		for _, row := range []struct{ command, says string }{
			{"explain " + pid, "is leaked: claude-code"},
			{"scan " + pid, "1 MCP server leaked"},
			{"sweep --dry-run --settle 0 " + pid, "needs 10m of watching"},
			{"pin " + pid, "Pinned tool " + pid},
		} {
			_, out, talk := d.Run(t, strings.Fields(row.command)...)
			if !strings.Contains(out, row.says) || strings.Contains(out+talk, "no MCP server") {
				t.Errorf("%s: no %q in\n%s%s", row.command, row.says, out, talk)
			}
		}
	})
}

// TestATellingShapeOutlivesTheDaemonThatSawIt: commands and the next daemon know what the first saw leak, and leave
// alone what a session holds by then. What is only likely to be a server waits until it was watched at rest.
func TestATellingShapeOutlivesTheDaemonThatSawIt(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		live.Start(t, []actor.Part{
			cast.Claude("killed", cast.Deaf(cast.Server("left", "$W/home/dev/own/tool.js", actor.Socket))),
			cast.Claude("alive", cast.Deaf(cast.Server("used", "$W/home/dev/own/other.js", actor.Socket))),
		})
		d := daemon.Start(t, live, daemon.Options{Policy: enforcing("@every 1s", "1s")})
		d.AwaitMore(t, 2)
		live.KillAll(t, []string{"killed"})
		farm.Eventually(t, "the daemon has it as pending", func() bool { return len(d.Pending(t)) == 1 })
		d.Kill(t)
		if code, out, talk := d.Run(t, "scan", "tool"); code != 0 || !strings.Contains(out, "1 MCP server leaked") {
			t.Errorf("a scan after the daemon was killed: exit %d\n%s%s", code, out, talk)
		}
		if _, out, talk := d.Run(t, "sweep", "--dry-run"); !strings.Contains(out, "needs 10m of watching") {
			t.Errorf("a sweep after the daemon was killed\n%s%s", out, talk)
		}
		again := daemon.Start(t, live, daemon.Options{Policy: enforcing("@every 1s", "1s")})
		again.AwaitMore(t, 3)
		daemon.Live(t, live, "alive", "used", "left")
		if pending := again.Pending(t); len(pending) != 1 || pending[0].PID != live.Being(t, "left").PID {
			t.Errorf("pending: %+v, want what was left alone", pending)
		}
	})
}
