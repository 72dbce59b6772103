package oneshot

import (
	"slices"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/sweep"
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

// TestASessionsNameWithDuplicatesMeansItsOlderCopies: the session and its newest copies stay, and
// so do the copies of others.
func TestASessionsNameWithDuplicatesMeansItsOlderCopies(t *testing.T) {
	codex := graph.Owner{Kind: graph.OwnerSession, Name: "codex", ID: inventory.ID{PID: 9, Start: 1}, Liveness: graph.LivenessLive}
	gemini := codex
	gemini.Name, gemini.ID.PID = "gemini", 8
	of := func(owner graph.Owner, pid int, finding graph.Finding) policy.Verdict {
		p := &inventory.Process{PID: pid, Start: 1}
		v := policy.Verdict{Target: &graph.Target{ID: p.ID().String(), Kind: graph.KindServer, Name: "fetch", Finding: finding, Owner: owner, Root: p, Members: []*inventory.Process{p}, Idle: inventory.Known(time.Hour)}}
		if finding == graph.FindingDuplicate {
			v.Rule, v.Decision = "duplicates", policy.Reap
		}
		if pid == 11 {
			v.Target.Generation = 1
		}
		return v
	}
	session := policy.Verdict{Rule: "duplicates", Target: &graph.Target{ID: codex.ID.String(), Kind: graph.KindSession, Name: "codex", Root: &inventory.Process{PID: 9, Start: 1}}}
	for _, row := range []struct {
		world    string
		named    []string
		switches policy.Switches
		want     []string // reaped
		nothing  string
	}{
		{"by its name", []string{"codex"}, policy.Switches{Duplicates: true}, []string{"10:1"}, "codex 9 stays."},
		{"by its PID", []string{"9"}, policy.Switches{Duplicates: true}, []string{"10:1"}, "codex 9 stays."},
		{"without the switch", []string{"codex"}, policy.Switches{}, nil, "codex 9 stays."},
		{"another, which has none", []string{"claude-code"}, policy.Switches{Duplicates: true}, nil, "claude-code stays: it neither is an older copy that does nothing, nor has one."},
		{"the newest copy", []string{"11"}, policy.Switches{Duplicates: true}, nil, "fetch 11 stays: it is the newest copy, and --duplicates stops older ones only."},
		{"a server without copies", []string{"13"}, policy.Switches{Duplicates: true}, nil, "fetch 13 stays: it neither is an older copy that does nothing, nor has one."},
		{"two newest copies", []string{"11", "13"}, policy.Switches{Duplicates: true}, nil, "fetch 11 and fetch 13 stay: none of them is an older copy that does nothing, or has one."},
	} {
		sight := &Sight{sweeper: &sweep.Sweeper{}, Policy: &policy.Policy{}}
		sight.View.Verdicts = []policy.Verdict{session, of(codex, 10, graph.FindingDuplicate), of(codex, 11, graph.FindingNone), of(gemini, 12, graph.FindingDuplicate), of(gemini, 13, graph.FindingNone)}
		sight.View.Graph = &graph.Graph{Snapshot: &inventory.Snapshot{}}
		for i := range sight.View.Verdicts {
			sight.View.Graph.Targets = append(sight.View.Graph.Targets, sight.View.Verdicts[i].Target)
		}
		s := &Sweep{Sight: sight, Order: Order{Named: row.named, Rules: []string{"duplicates"}, Ends: row.switches}}
		var reaped []string
		for _, v := range s.narrowed() {
			if v.Decision == policy.Reap {
				reaped = append(reaped, v.Target.ID)
			}
		}
		if got := s.nothing(); !slices.Equal(reaped, row.want) || got != row.nothing {
			t.Errorf("%s: reaped %v, want %v; %q, want %q", row.world, reaped, row.want, got, row.nothing)
		}
	}
}
