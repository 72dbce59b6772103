//go:build linux

package farm_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
)

// atRest is the time between two looks after which a session that did nothing counts as
// idle.
const atRest = 6 * time.Second

// soonIdle is the shipped policy, which reports idle sessions, with a shorter time.
const soonIdle = `version: 1
extends: builtin
mode: enforce
rules:
  - {name: idle-sessions, for: 1s, grace: 1s, match: {idle_for: 3s}}
`

// endingIdle is a policy that ends idle sessions.
const endingIdle = `version: 1
extends: builtin
mode: enforce
rules:
  - {name: too-long, for: 1s, grace: 1s, match: {kind: session, idle_for: 3s}, action: terminate}
`

// sessions returns two sessions, each on a terminal of its own and with two servers. One
// does nothing; a server of the other works.
func sessions() []actor.Part {
	atWork := cast.Server("work", cast.NPX+"mcp-server-search", actor.Socket)
	atWork.Busy = true
	idle := cast.Claude("idle", cast.Server("notes", cast.NPX+"mcp-server-notes", actor.Socket), cast.Memory("memory", actor.Pipe))
	return []actor.Part{idle, cast.Claude("busy", atWork, cast.Memory("memory-2", actor.Pipe))}
}

// idles waits until a scan reports a session as idle, and returns that scan. The kernel keeps
// the time of a terminal's last use to eight seconds (drivers/tty/tty_io.c), so that a
// new session idles only then.
func idles(t *testing.T, live *farm.Live, name string) (report string) {
	t.Helper()
	farm.EventuallyWithin(t, time.Minute, name+" is called idle", func() bool {
		report = live.Tell(t, "scan", "--settle", atRest.String())
		return isIdle(report, live.Being(t, name).PID)
	})
	return report
}

// isIdle reports that a report calls a session idle.
func isIdle(report string, session int) bool {
	for line := range strings.Lines(report) {
		if strings.HasPrefix(line, fmt.Sprintf("claude-code %d ", session)) && strings.Contains(line, " idle ") {
			return true
		}
	}
	return false
}

// shown fails unless a report contains all of the texts.
func shown(t *testing.T, report string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(report, want) {
			t.Errorf("no %q in\n%s", want, report)
		}
	}
}

func TestAnIdleSessionIsShownWithWhatItHoldsAndLeftAlone(t *testing.T) {
	farm.Within(t, farm.World{Rules: soonIdle, Settle: atRest, Parts: sessions(), Answers: []string{"busy memory-2-npm"}}, func(t *testing.T, live *farm.Live) {
		report, busy := idles(t, live, "idle"), live.Being(t, "busy").PID
		shown(t, report, "; 2 idle, ", "Stop idle sessions: reaperd sweep --idle-over ", "resume: claude --resume", fmt.Sprintf("claude-code %d  ", busy))
		if isIdle(report, busy) {
			t.Errorf("a session at work is called idle:\n%s", report)
		}
		live.Check(t) // the sweep ends no process: Reap is empty
		live.World.Rules = "version: 1\nextends: builtin\nmode: enforce\n"
		live.Check(t)
	})
}

func TestASessionThatIdlesIsEndedWhereSomebodyWroteIt(t *testing.T) {
	farm.Inside(t, farm.Tini, func(t *testing.T) {
		live := farm.Raise(t, farm.World{
			Rules: endingIdle, Settle: atRest, Parts: sessions(), Answers: []string{"busy memory-2-npm"},
			Reap: []string{"idle", "notes", cast.Chain("memory")},
		})
		idles(t, live, "idle")
		live.Check(t)
		shown(t, live.Tell(t, "history", "--all"), "claude-code ", "mcp-server-notes")
		shown(t, live.Tell(t, "scan", "--settle", "1s"), "all in use. Nothing to do.")
	})
}

func TestAnIdleSessionsContainerIsCountedAndGoesWithIt(t *testing.T) {
	farm.Demand(t, farm.NoEngine())
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		engine := farm.StartEngine(t, live)
		idle := cast.Claude("idle", engine.Run("held", actor.Pipe))
		idle.Cwd = "home" // whatever the length of the test's own folder, the line is not cut
		engine.Up(t, idle, "held")
		busy := engine.Run("used", actor.Pipe)
		atWork := cast.Server("work", cast.NPX+"mcp-server-search", actor.Socket)
		atWork.Busy = true
		engine.Up(t, cast.Claude("busy", busy, atWork), "used")
		live.World = farm.World{Rules: soonIdle, Settle: atRest, Answers: []string{"busy used-client"}}
		idles(t, live, "idle")
		live.Check(t)
		live.World.Rules, live.World.Reap = endingIdle, []string{"idle", "held-client", "held"}
		live.Check(t)
	})
}

// TestAnIdleSessionsContainerThatOthersCouldHaveGoesWithIt: another session's docker run is older and of the same image,
// so only what that needs tells whose the container is.
func TestAnIdleSessionsContainerThatOthersCouldHaveGoesWithIt(t *testing.T) {
	farm.Demand(t, farm.NoEngine())
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		engine := farm.StartEngine(t, live)
		atWork := cast.Server("work", cast.NPX+"mcp-server-search", actor.Socket)
		atWork.Busy = true
		engine.Up(t, cast.Claude("busy", engine.Run("used", actor.Pipe), atWork), "used")
		engine.Up(t, cast.Claude("idle", engine.Run("held", actor.Pipe)), "held")
		live.World = farm.World{Rules: endingIdle, Settle: atRest, Answers: []string{"busy used-client"}, Reap: []string{"idle", "held-client", "held"}}
		idles(t, live, "idle")
		live.Through(t, func() *farm.Report {
			shown(t, live.Tell(t, "sweep", "--yes", "--settle", atRest.String()), "Stopped ")
			return live.Scan(t)
		})
	})
}
