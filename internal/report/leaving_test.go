package report

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/usage"
)

// TestWhatGoesIsNotSaidToGoIfSomebodyActed: an act on it has begun, by the daemon or by hand.
func TestWhatGoesIsNotSaidToGoIfSomebodyActed(t *testing.T) {
	world := func(action policy.Action, others ...policy.Decision) Input {
		w := newWorld("linux", 6)
		leaves := w.decide(orphaned(w.server("gitlab", 100, time.Hour, 10*megabyte, ""), gone("claude-code", 44, time.Hour)), policy.Reap, "orphaned-containers", action)
		leaves.UnderWay, leaves.Reason = true, `it is `+action.GoingOn()+`, by rule "orphaned-containers"`
		for i, decision := range others {
			v := w.decide(orphaned(w.server("fetch", 200+i, time.Hour, 10*megabyte, ""), gone("claude-code", 44, time.Hour)), decision, "orphaned-servers", policy.ActionTerminate)
			v.Needs, v.Held, v.AtOnce = 30*time.Second, time.Second, true
		}
		return w.input()
	}
	for _, row := range []struct {
		world     string
		in        Input
		want, not []string
	}{
		{"it alone", world(policy.ActionRemove), []string{"orphaned. 1 server is being removed.\n", "BEING REMOVED · rule orphaned-containers ", "left by claude-code 44"}, []string{"ould ", "reaperd sweep", "reaperd pin"}},
		{"another is due", world(policy.ActionTerminate, policy.Reap), []string{"Would stop 1 and free 10 MB. Nothing touched. 1 server is being stopped.\n", "BEING STOPPED · rule", "WOULD STOP · rule", "stop it, asks first", "reaperd explain 200"}, nil},
		{"another is pending", world(policy.ActionTerminate, policy.Pending), []string{"two looks gave 1s. 1 server is being stopped.\n", "BEING STOPPED", "PENDING", "hint: reaperd sweep --now "}, []string{"WOULD STOP"}},
	} {
		var table strings.Builder
		if err := Table(&table, row.in, Options{Width: 120, UTF8: true}); err != nil {
			t.Fatal(err)
		}
		for _, want := range row.want {
			if !strings.Contains(table.String(), want) {
				t.Errorf("%s: no %q in\n%s", row.world, want, table.String())
			}
		}
		for _, not := range row.not {
			if strings.Contains(table.String(), not) {
				t.Errorf("%s: %q in\n%s", row.world, not, table.String())
			}
		}
	}
	in := world(policy.ActionRemove)
	var text strings.Builder
	if err := Explain(&text, in, in.Verdicts[0].Target.ID, Options{Width: 120}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"gitlab 100 is orphaned. It is being removed (rule orphaned-containers).\n", "rule       orphaned-containers, ", "keep it    too late: its end has begun\n"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	begun := &in.Verdicts[0]
	begun.Grace, begun.For, begun.Held = 25*time.Second, 20*time.Second, 21*time.Second
	data, err := ExplainJSON(in, begun.Target.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"under_way": true,`, `"for_seconds": 20,`, `"grace_seconds": 25,`, `"held_seconds": 21`} {
		if !strings.Contains(string(data), want) {
			t.Errorf("no %q in\n%s", want, data)
		}
	}
	if got := explained(t, in, begun.Target.ID); !strings.Contains(got, "it has 25s to exit by itself; then SIGKILL kills it\n") {
		t.Error(got)
	}
	begun.Grace, begun.For, begun.Held = 0, 0, 0 // another program's act
	if data, err = ExplainJSON(in, begun.Target.ID); err != nil || strings.Contains(string(data), "_seconds\": 0") {
		t.Errorf("what is not known is told as zero, %v, in\n%s", err, data)
	}
	if strings.Contains(text.String(), "would") {
		t.Errorf("it goes, in\n%s", text.String())
	}
}

// TestWhatGoesWithItsSessionIsToldByItWhileThatIsStopped: nothing is wrong with it itself.
func TestWhatGoesWithItsSessionIsToldByItWhileThatIsStopped(t *testing.T) {
	w, session := idleHolder(time.Hour)
	w.keep(session)
	held := &w.verdicts[0]
	held.Decision, held.UnderWay, held.Rule, held.Action, held.Reason = policy.Reap, true, "idle-end", policy.ActionTerminate, "the tree that it comes from is being stopped"
	if got, want := explained(t, w.input(), held.Target.ID), "fetch 40 goes with codex 12. It is being stopped (rule idle-end).\n"; !strings.HasPrefix(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
}

// TestAPinKeepsNothingOfWhatIsBeingStopped, and no screen says that it does: neither of what is pinned nor of what that
// holds.
func TestAPinKeepsNothingOfWhatIsBeingStopped(t *testing.T) {
	w, session := idleHolder(time.Hour)
	w.decide(session, policy.Reap, "idle-end", policy.ActionTerminate).UnderWay = true
	session.Vetoes = []graph.Veto{{Guard: graph.GuardPinned, Text: "reaperd pin keeps it"}}
	held := &w.verdicts[0]
	held.Decision, held.UnderWay, held.With, held.Rule, held.Action = policy.Reap, true, session.ID, "idle-end", policy.ActionTerminate
	held.Target.Vetoes = []graph.Veto{{Guard: graph.GuardPinned, For: session.ID, Text: "it belongs to codex 12, which is pinned"}}
	in := w.input()
	for id, want := range map[string]string{session.ID: "It is being stopped (rule idle-end). It is pinned.\n", held.Target.ID: "It is being stopped (rule idle-end). codex 12 is pinned.\n"} {
		if got := strings.ReplaceAll(explained(t, in, id), "\nidle", " idle"); !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if got := table(t, in); strings.Contains(got, "kept") || !strings.Contains(got, ", pinned") {
		t.Error(got)
	}
	held.UnderWay = false
	if got := explained(t, in, held.Target.ID); !strings.Contains(got, "kept in any case") {
		t.Errorf("its end has not begun, in\n%s", got)
	}
}

// TestASessionThatIsBeingStoppedIsAsIdleAsWhenThatBegan: what its end does to it is no use of it.
func TestASessionThatIsBeingStoppedIsAsIdleAsWhenThatBegan(t *testing.T) {
	w, session := idleHolder(44 * time.Second)
	session.Since = noon.Add(-44 * time.Second)
	p := w.sessions[0].Process
	tree := usage.Tree{Processes: []*inventory.Process{p}}
	w.sessions[0].Activity = usage.Activity{}.Next(usage.Tree{}, inventory.Moment{At: noon.Add(-time.Second)}).Next(tree, inventory.Moment{At: noon})
	verdict := w.decide(session, policy.Reap, "idle-end", policy.ActionTerminate)
	verdict.UnderWay, verdict.Grace, verdict.Reason = true, 6*time.Second, `it is being stopped, by rule "idle-end"`
	held := &w.verdicts[0]
	held.Decision, held.UnderWay, held.With, held.Rule, held.Action = policy.Reap, true, session.ID, "idle-end", policy.ActionTerminate
	in := w.input()
	if got, want := explained(t, in, session.ID), "idle       for 44s, since 2026-11-26 09:39:16\n"; !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
	if got, want := table(t, in), "codex 12  idle 44s  "; !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
	if got, want := table(t, in), "   with it: github container eager_fermi, fetch 40 and github 41\n   what has not ended by itself after 6s is killed\n"; !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
	stands := "it stands still until what it holds is gone; then it has 6s to exit by itself, or SIGKILL kills it\n"
	if got := explained(t, in, session.ID); !strings.Contains(got, stands) {
		t.Errorf("no %q in\n%s", stands, got)
	}
	if got := explained(t, in, held.Target.ID); strings.Contains(got, stands) {
		t.Errorf("what holds nothing waits for something in\n%s", got)
	}
	var wide strings.Builder
	if err := Table(&wide, in, Options{Width: 160, Wide: true}); err != nil || !strings.Contains(wide.String(), "being stopped  idle") {
		t.Errorf("%v, no decision in\n%s", err, wide.String())
	}
	data, err := JSON(in)
	if err != nil {
		t.Fatal(err)
	}
	if want := `"idle_seconds": 44,`; strings.Count(string(data), want) != 2 {
		t.Errorf("%q is not told of the session and of its target in\n%s", want, data)
	}
}

// TestASweepNamesWhatHadToBeKilledOfASession, and not only of what nobody owned.
func TestASweepNamesWhatHadToBeKilledOfASession(t *testing.T) {
	w, session := idleHolder(time.Hour)
	w.decide(session, policy.Reap, "idle-end", policy.ActionTerminate)
	held := &w.verdicts[0]
	held.Decision, held.With, held.Rule, held.Action = policy.Reap, session.ID, "idle-end", policy.ActionTerminate
	w.outcome(session, policy.ActionTerminate, done.Exited, "", 0)
	w.outcome(held.Target, policy.ActionTerminate, done.Killed, "1 process was killed after 5s", 0)
	in := w.input()
	in.Command = "sweep"
	if got, want := table(t, in), "   had to be killed: fetch 40\n"; !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
}

// TestWhatIsWatchedALastTimeIsAboutToBeStopped: a pin still keeps it, and every screen says so.
func TestWhatIsWatchedALastTimeIsAboutToBeStopped(t *testing.T) {
	w, session := idleHolder(time.Hour)
	verdict := w.decide(session, policy.Reap, "idle-end", policy.ActionTerminate)
	verdict.UnderWay, verdict.Imminent, verdict.Grace = true, true, 6*time.Second
	held := &w.verdicts[0]
	held.Decision, held.UnderWay, held.Imminent, held.With, held.Rule, held.Action = policy.Reap, true, true, session.ID, "idle-end", policy.ActionTerminate
	in := w.input()
	shown := table(t, in)
	for _, want := range []string{"1 server and 1 session are about to be stopped.", "ABOUT TO BE STOPPED · rule idle-end", "   reaperd pin 12 keeps it\n   what has not ended"} {
		if !strings.Contains(shown, want) {
			t.Errorf("no %q in\n%s", want, shown)
		}
	}
	for _, id := range []string{session.ID, held.Target.ID} {
		got := explained(t, in, id)
		for _, want := range []string{"It is about to be stopped (rule idle-end).", "keep it    reaperd pin 12\n"} {
			if !strings.Contains(got, want) {
				t.Errorf("no %q in\n%s", want, got)
			}
		}
		if strings.Contains(got, "stands still") || strings.Contains(got, "too late") {
			t.Error(got)
		}
	}
	if data, err := JSON(in); err != nil || strings.Count(string(data), `"imminent": true`) != 2 {
		t.Errorf("%v, in\n%s", err, data)
	}
	session.Vetoes = []graph.Veto{{Guard: graph.GuardPinned, Text: "reaperd pin keeps it"}}
	if got := table(t, in); strings.Contains(got, "reaperd pin 12 keeps it") || !strings.Contains(got, ", pinned") {
		t.Errorf("it has been pinned since, in\n%s", got)
	}
}
