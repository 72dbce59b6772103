package report

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
)

func TestWhatIsPendingIsShownWithTheSessionThatLeftIt(t *testing.T) {
	in := waitingForTheDaemon(policy.ActionTerminate)
	for name, want := range map[string]bool{"the evidence does not name it": true, "the evidence names it": false} {
		for i := range in.Verdicts {
			for j := range in.Verdicts[i].Target.Evidence {
				e := &in.Verdicts[i].Target.Evidence[j]
				*e = graph.Evidence{Check: e.Check, Says: e.Says, Proof: e.Proof, Text: "nobody holds the other end of its stdin"}
				if !want {
					e.Text = "the claude-code 44 that started it is gone"
				}
			}
		}
		var out strings.Builder
		if err := Table(&out, in, Options{Width: 120}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(out.String(), "   left by claude-code 44\n") == 1; got != want {
			t.Errorf("%s, said %t:\n%s", name, got, out.String())
		}
	}
}

func TestWhatGoesIsShownWithTheSessionThatLeftIt(t *testing.T) {
	left := graph.Evidence{Check: graph.CheckAncestor, Says: graph.SaysOrphaned, Proof: true, Text: "its parent is tini 1"}
	for owner, want := range map[string]bool{"codex": true, "": false} {
		w := newWorld("linux", 4)
		target := orphaned(w.server("fetch", 31, time.Hour, megabyte, "fetch"), gone(owner, 7, time.Minute))
		target.Evidence = []graph.Evidence{left}
		w.decide(target, policy.Reap, "orphaned-servers", policy.ActionTerminate)
		var out strings.Builder
		if err := Table(&out, w.input(), Options{Width: 120}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(out.String(), "   left by codex 7\n"); got != want {
			t.Errorf("owner %q, said %t:\n%s", owner, got, out.String())
		}
	}
}

func TestWhatOnlyOneSessionLeftIsNotSaidOfBoth(t *testing.T) {
	in := waitingForTheDaemon(policy.ActionTerminate)
	for i := range in.Verdicts {
		in.Verdicts[i].Target.Evidence = nil
	}
	in.Verdicts[0].Target.Owner.Name = ""
	var out strings.Builder
	if err := Table(&out, in, Options{Width: 120}); err != nil {
		t.Fatal(err)
	}
	if strings.Count(out.String(), "left by claude-code 44: fetch 101\n") != 1 {
		t.Errorf("both are said to be left by it:\n%s", out.String())
	}
}

// TestARowIsShownWithTheSessionThatLeftIt though nobody knows who left another row.
func TestARowIsShownWithTheSessionThatLeftIt(t *testing.T) {
	w := newWorld("linux", 4)
	left := graph.Evidence{Check: graph.CheckAncestor, Says: graph.SaysOrphaned, Proof: true, Text: "its parent is tini 1"}
	for pid, name := range map[int]string{31: "fetch", 32: "fetch", 33: "git"} {
		owner := gone("codex", 7, time.Minute)
		if name == "git" {
			owner = gone("", 0, time.Minute)
		}
		target := orphaned(w.server(name, pid, time.Hour, megabyte, name), owner)
		target.Evidence = []graph.Evidence{left}
		w.decide(target, policy.Reap, "orphaned-servers", policy.ActionTerminate)
	}
	var out strings.Builder
	if err := Table(&out, w.input(), Options{Width: 120}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, "   left by codex 7: 2 x fetch 31 32\n") || strings.Count(got, "left by") != 1 {
		t.Errorf("it is not said of fetch alone:\n%s", got)
	}
}
