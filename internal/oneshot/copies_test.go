package oneshot

import (
	"slices"
	"testing"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

func TestANamedOlderCopyIsKeptForAReason(t *testing.T) {
	asks := &policy.Threshold{Action: policy.ActionReport, Wants: "an idle time of 30m"}
	older := func(pid int, action policy.Action) policy.Verdict {
		p := &inventory.Process{PID: pid, Start: 1}
		t := &graph.Target{ID: p.ID().String(), Kind: graph.KindServer, Name: "fetch", Finding: graph.FindingDuplicate, Root: p, Members: []*inventory.Process{p}}
		threshold := *asks
		threshold.Action = action
		return policy.Verdict{Target: t, Threshold: &threshold}
	}
	newer := older(12, policy.ActionReport)
	newer.Target.Finding = graph.FindingNone
	reported := []policy.Verdict{older(10, policy.ActionReport), older(11, policy.ActionReport), newer}
	for _, row := range []struct {
		world    string
		verdicts []policy.Verdict
		order    Order
		want     string // empty is no note
	}{
		{"one", reported, Order{Named: []string{"10"}}, "note: fetch 10 is an older copy: a sweep stops it only with --duplicates, and once it has an idle time of 30m"},
		{"both", reported, Order{Named: []string{"fetch"}}, "note: fetch 10 and fetch 11 are older copies: a sweep stops them only with --duplicates, and once they have an idle time of 30m"},
		{"the rule acts by itself", []policy.Verdict{older(10, policy.ActionTerminate)}, Order{Named: []string{"10"}},
			"note: fetch 10 is an older copy: a sweep stops it once it has an idle time of 30m"},
		{"it was asked for, and is told by the plan", reported, Order{Named: []string{"10"}, Ends: policy.Switches{Duplicates: true}}, ""},
		{"the newest copy", reported, Order{Named: []string{"12"}}, ""},
		{"nothing is named", reported, Order{}, ""},
	} {
		sight := &Sight{}
		sight.View.Graph, sight.View.Verdicts = &graph.Graph{}, row.verdicts
		var want []string
		if row.want != "" {
			want = []string{row.want}
		}
		if got := (&Sweep{Sight: sight, Order: row.order}).copyNotes(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", row.world, got, want)
		}
	}
}
