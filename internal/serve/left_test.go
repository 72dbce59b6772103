package serve

import (
	"testing"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
)

func TestTheStateTellsWhoLeftWhat(t *testing.T) {
	w := &world{}
	w.judged(gone("codex"), graph.FindingOrphaned, policy.Pending)
	w.judged(gone("codex"), graph.FindingOrphaned, policy.Pending)
	w.judged(graph.Owner{}, graph.FindingNone, policy.Keep)
	m := published(t, w.update())
	server := New(Options{Metrics: m})
	leavers := server.state().Leavers
	if len(leavers) != 1 || leavers[0].Name != "codex" || len(leavers[0].Left) != 2 || leavers[0].Left[0].ID != w.verdicts[0].Target.ID || leavers[0].Left[0].Handle == "" {
		t.Errorf("%+v", leavers)
	}
	fresh, _ := newTestMetrics()
	if leavers := New(Options{Metrics: fresh}).state().Leavers; leavers == nil || len(leavers) > 0 {
		t.Errorf("before the first look: %v", leavers)
	}
}
