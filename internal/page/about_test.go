package page

import (
	"slices"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

// TestTheSheetOfAnOlderCopyInUseTellsWhatItsRuleWillDo, and says once that it is one.
func TestTheSheetOfAnOlderCopyInUseTellsWhatItsRuleWillDo(t *testing.T) {
	n := session(44, 3000, server(45))
	it := &n.Children[0]
	it.Owner = overview.Owner{Name: "claude-code", PID: 44, Liveness: graph.LivenessLive}
	it.Rests, it.Reason = true, `an older copy: rule "duplicates" asks for an idle time of 30m, and it has 2m`
	it.Next.Awaits = overview.Awaits{Rule: "duplicates", Origin: "built-in:90", Action: policy.ActionReport, Wants: "an idle time of 30m"}
	a, found := newAbout(Input{Now: noon, Tree: tree(sessions(n))}, it.Key)
	if want := `rule "duplicates" asks for an idle time of 30m, and it has 2m`; !found || a.Reason != want {
		t.Errorf("%q, want %q", a.Reason, want)
	}
	if next := (fact{Name: "next", Text: "rule duplicates only reports it once it has an idle time of 30m (built-in:90)"}); !slices.Contains(a.Facts, next) {
		t.Errorf("no %v in %v", next, a.Facts)
	}
	if owner := (fact{"whose", "claude-code 44", "session:44:1"}); !slices.Contains(a.Facts, owner) {
		t.Errorf("no way up to its session in %v", a.Facts)
	}
}

// TestTheSheetOfWhatGoesWithItsSessionTellsWhen, and by which rule.
func TestTheSheetOfWhatGoesWithItsSessionTellsWhen(t *testing.T) {
	for _, row := range []struct {
		world string
		state overview.State
		due   time.Time
		want  string
	}{
		{"its session waits", overview.StatePending, noon.Add(90 * time.Second), "claude-code 44, with which it goes, stops at 2026-11-26 12:01:30 (rule idle-end)"},
		{"its session is due", overview.StateDue, noon, "claude-code 44, with which it goes, stops (rule idle-end)"},
		{"its session lives", overview.StateKept, time.Time{}, ""},
	} {
		n := session(44, 3000, server(45))
		n.State, n.Next.Rule, n.Next.DueAt = row.state, "idle-end", row.due
		a, _ := newAbout(Input{Now: noon, Tree: tree(sessions(n))}, n.Children[0].Key)
		next := ""
		for _, f := range a.Facts {
			if f.Name == "next" {
				next = f.Text
			}
		}
		if next != row.want {
			t.Errorf("%s: %q, want %q", row.world, next, row.want)
		}
	}
}
