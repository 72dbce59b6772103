package report

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
)

// idleEnd is a session that a rule stops for being idle, with two copies of a server.
func idleEnd(decision policy.Decision) Input {
	w := copies(1, false)
	session := &w.sessions[0]
	session.Target = &graph.Target{ID: "12:120", Kind: graph.KindSession, Name: "codex", Root: session.Process, Finding: graph.FindingIdle}
	head := w.decide(session.Target, decision, "idle-end", policy.ActionTerminate)
	if decision == policy.Reap {
		for i := range w.verdicts {
			if v := &w.verdicts[i]; v.Target.Kind == graph.KindServer {
				v.Decision, v.Rule, v.Action, v.Grace, v.With, v.Reason = policy.Reap, "idle-end", policy.ActionTerminate, head.Grace, "12:120", `it goes with codex 12, by rule "idle-end"`
			}
		}
	}
	in := w.input()
	in.Due = map[string]time.Time{"12:120": noon.Add(2 * time.Minute)}
	return in
}

// TestWhatGoesWithItsSessionIsExplainedByIt: nothing says that the session lives on, and the
// command to stop it names the session.
func TestWhatGoesWithItsSessionIsExplainedByIt(t *testing.T) {
	for _, row := range []struct {
		world    string
		decision policy.Decision
		mode     policy.Mode
		want     []string
	}{
		{"its time is over", policy.Reap, policy.ModeEnforce, []string{
			"fetch 30 goes with codex 12, which is idle. reaperd would stop it (rule idle-end).\n", "\nstop now   reaperd sweep 12\n",
			"would do   SIGTERM to 30, SIGKILL after 5s, then look again\n           codex 12 ends, and all that it holds goes with it\n"}},
		{"its time is over, and the policy only reports", policy.Reap, policy.ModeReport, []string{
			"\nstop it    the policy says mode: report, so nothing stops it but reaperd sweep --mode enforce 12\n"}},
		{"its time is not over", policy.Pending, policy.ModeEnforce, []string{
			"fetch 30 is held by codex 12, which is idle, and goes with it in 2m (rule idle-end).\n"}},
	} {
		in := idleEnd(row.decision)
		in.Policy.Mode = row.mode
		var out strings.Builder
		if err := Explain(&out, in, "30:300", Options{Width: 120}); err != nil {
			t.Fatal(err)
		}
		for _, want := range row.want {
			if got := out.String(); !strings.Contains(got, want) || strings.Contains(got, "lives on") || strings.Contains(got, "by rule \"") {
				t.Errorf("%s: no %q in\n%s", row.world, want, got)
			}
		}
	}
}

// TestTheWayToStopWhatIsDueNamesIt: where the policy only reports too.
func TestTheWayToStopWhatIsDueNamesIt(t *testing.T) {
	w := newWorld("linux", 4)
	target := w.decide(orphaned(w.server("git", 41, time.Hour, megabyte, "git"), gone("pi", 9, time.Hour)), policy.Reap, "orphaned-servers", policy.ActionTerminate).Target
	in := w.input()
	in.Policy.Mode = policy.ModeReport
	var out strings.Builder
	if err := Explain(&out, in, target.ID, Options{Width: 120}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, "so nothing stops it but reaperd sweep --mode enforce 41\n") {
		t.Errorf("got\n%s", got)
	}
}
