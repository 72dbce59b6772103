package serve

import (
	"slices"
	"testing"

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
