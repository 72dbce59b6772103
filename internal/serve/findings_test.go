package serve

import (
	"slices"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// TestACountNamesTheSessionsOfWhatItCounts: not those that left things of another count.
func TestACountNamesTheSessionsOfWhatItCounts(t *testing.T) {
	left := func(pid int) graph.Owner {
		owner := gone("claude-code")
		if pid > 0 {
			owner.ID = inventory.ID{PID: pid, Start: 1}
		}
		return owner
	}
	var w world
	codex := w.session("codex")
	gateway := w.target(graph.KindGateway, codex)
	w.judged(left(727), graph.FindingOrphaned, policy.Pending)
	w.judged(left(258), graph.FindingOrphaned, policy.Pending)
	w.judged(left(727), graph.FindingOrphaned, policy.Pending)
	w.judged(left(0), graph.FindingOrphaned, policy.Pending)
	w.judged(left(300), graph.FindingOrphaned, policy.Reap)
	w.judged(graph.Owner{Kind: graph.OwnerGateway, ID: gateway.Root.ID(), Liveness: graph.LivenessLive}, graph.FindingDuplicate, policy.Keep)
	w.judged(graph.Owner{Name: "bash", Kind: graph.OwnerProcess, ID: inventory.ID{PID: 5, Start: 1}, Liveness: graph.LivenessLive}, graph.FindingDisconnected, policy.Keep)
	counts := published(t, w.update()).current().Findings
	for _, want := range []Count{
		{Finding: graph.FindingOrphaned, Client: "claude-code", Decision: "pending", Number: 4, SessionPIDs: []int{258, 727}},
		{Finding: graph.FindingOrphaned, Client: "claude-code", Decision: "reap", Number: 1, SessionPIDs: []int{300}},
		{Finding: graph.FindingDuplicate, Client: "codex", Decision: "keep", Number: 1, SessionPIDs: []int{codex.ID.PID}},
		{Finding: graph.FindingDisconnected, Client: "other", Program: "bash", Decision: "keep", Number: 1, SessionPIDs: []int{5}},
	} {
		want.Kind = graph.KindServer
		at := slices.IndexFunc(counts, want.isLike)
		if at < 0 || counts[at].Number != want.Number || !slices.Equal(counts[at].SessionPIDs, want.SessionPIDs) {
			t.Errorf("want %+v among %+v", want, counts)
		}
	}
}

// TestAnOlderCopyThatARuleStopsOnceItIsIdleForLongEnoughIsListed, with when that is at the earliest.
func TestAnOlderCopyThatARuleStopsOnceItIsIdleForLongEnoughIsListed(t *testing.T) {
	var w world
	codex := w.session("codex")
	rests := func(action policy.Action, idle time.Duration) string {
		v := w.judged(codex, graph.FindingDuplicate, policy.Keep)
		v.Rule, v.Target.Idle = "", inventory.Known(idle)
		v.Threshold = &policy.Threshold{Rule: "duplicates", Action: action, IdleFor: 30 * time.Minute}
		return v.Target.ID
	}
	later, sooner := rests(policy.ActionTerminate, 26*time.Minute), rests(policy.ActionTerminate, 29*time.Minute)
	rests(policy.ActionReport, 29*time.Minute)
	listed := published(t, w.update()).current().Resting
	if len(listed) != 2 || listed[0].ID != sooner || listed[1].ID != later || !listed[0].DueAt.Equal(noon.Add(time.Minute)) || listed[0].Rule != "duplicates" {
		t.Errorf("%+v", listed)
	}
}
