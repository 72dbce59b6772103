package page

import (
	"slices"
	"testing"

	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

// TestTheSheetOfAnOlderCopyInUseTellsWhatItsRuleWillDo, and says once that it is one.
func TestTheSheetOfAnOlderCopyInUseTellsWhatItsRuleWillDo(t *testing.T) {
	n := session(44, 3000, server(45))
	it := &n.Children[0]
	it.Rests, it.Reason = true, `an older copy: rule "duplicates" asks for an idle time of 30m, and it has 2m`
	it.Next.Awaits = overview.Awaits{Rule: "duplicates", Origin: "built-in:90", Action: policy.ActionReport, Wants: "an idle time of 30m"}
	a, found := newAbout(Input{Now: noon, Tree: tree(sessions(n))}, it.Key)
	if want := `rule "duplicates" asks for an idle time of 30m, and it has 2m`; !found || a.Reason != want {
		t.Errorf("%q, want %q", a.Reason, want)
	}
	if next := (fact{"next", "rule duplicates only reports it once it has an idle time of 30m (built-in:90)"}); !slices.Contains(a.Facts, next) {
		t.Errorf("no %v in %v", next, a.Facts)
	}
}
