package report

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
)

// TestWhatARuleTakesFromLiveSessionsIsSaidToBeTheirs, in its rows and before the question.
func TestWhatARuleTakesFromLiveSessionsIsSaidToBeTheirs(t *testing.T) {
	w := newWorld("linux", 4)
	session := w.session("claude-code", 151, time.Hour, "/home/dev/src", 0)
	for i, name := range []string{"fetch", "git"} {
		w.decide(owned(w.server(name, 157+i, time.Hour, 0, name), session, ""), policy.Reap, "all", policy.ActionTerminate)
	}
	left := orphaned(w.server("memory", 170, time.Hour, 0, "memory"), gone("codex", 44, time.Hour))
	in := w.input()
	var out strings.Builder
	if err := Plan(&out, in, screenOf(120)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"About to stop 2. They are in use.", "the rule names it, though claude-code 151 has it (both)"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	gateway := w.verdicts[1].Target
	below := owned(w.server("inner", 160, time.Hour, 0, "inner"), graph.Owner{Name: "git", Kind: graph.OwnerGateway, ID: gateway.Root.ID(), Liveness: graph.LivenessLive}, "")
	w.decide(below, policy.Reap, "all", policy.ActionTerminate).With = gateway.ID
	out.Reset()
	if err := Plan(&out, w.input(), screenOf(120)); err != nil || !strings.Contains(out.String(), "About to stop 3. They are in use.") {
		t.Errorf("%v: what goes with one of them is not counted in\n%s", err, out.String())
	}
	w.decide(left, policy.Reap, "all", policy.ActionTerminate)
	out.Reset()
	if err := Plan(&out, w.input(), screenOf(120)); err != nil || !strings.Contains(out.String(), "3 of them are in use.") {
		t.Errorf("%v in\n%s", err, out.String())
	}
}
