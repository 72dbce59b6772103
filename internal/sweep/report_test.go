package sweep

import (
	"testing"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
)

// TestAReportHasTheSessionsThatARuleComesTo, and those that are spared for what they hold: people are told of both
// before they have a finding.
func TestAReportHasTheSessionsThatARuleComesTo(t *testing.T) {
	quiet := func(id string) *graph.Target {
		return &graph.Target{ID: id, Kind: graph.KindSession, Incidental: true}
	}
	view := View{Verdicts: []policy.Verdict{
		{Target: quiet("works")}, {Target: quiet("comes"), Ahead: &policy.Ahead{Rule: "idle-end"}}, {Target: quiet("bound"), Bound: &graph.Veto{Guard: graph.GuardPinned}},
	}}
	in := view.Report(&policy.Policy{})
	if len(in.Verdicts) != 2 || in.Verdicts[0].Target.ID != "comes" || in.Verdicts[1].Target.ID != "bound" {
		t.Errorf("%+v", in.Verdicts)
	}
}
