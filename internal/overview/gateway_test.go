package overview

import (
	"testing"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
)

// TestWhatNoSweepStopsWithoutItsGatewayNamesThat in the command that stops it.
func TestWhatNoSweepStopsWithoutItsGatewayNamesThat(t *testing.T) {
	hubs := Owner{Name: "mcp-hub", PID: 50, Liveness: graph.LivenessGone}
	for _, row := range []struct {
		owner Owner
		state State
		want  string
	}{
		{hubs, StatePending, "reaperd sweep 50"}, {hubs, StatePinned, "reaperd sweep 60"},
		{Owner{Liveness: graph.LivenessGone}, StatePending, "reaperd sweep 50"}, // a daemon that has just started knows no owner
	} {
		below := Node{Key: "server:60:1", Kind: KindServer, PID: 60, State: StatePending, Owner: row.owner}
		hub := Node{Key: "gateway:50:1", Kind: KindGateway, PID: 50, State: row.state, Children: []Node{below}}
		ended := Node{Key: "gone:44:1", Kind: KindGone, PID: 44, State: StateKept, Children: []Node{hub}}
		tree := Tree{Mode: policy.ModeEnforce, Branches: []Branch{{Name: BranchLeaked, Nodes: []Node{ended}}}}
		if got := tree.StopCommand(&below, below.Typed()); got.Line != row.want {
			t.Errorf("of %+v, the gateway is %s: %q, want %q", row.owner, row.state, got.Line, row.want)
		}
		if got := tree.StopCommand(&hub, hub.Typed()); got.Line != map[State]string{StatePending: "reaperd sweep 50"}[row.state] {
			t.Errorf("the gateway itself is %s: %q", row.state, got.Line)
		}
	}
}

// TestALeakedGatewayIsNoOwnerThatHasEnded: it runs, and has a node of its own.
func TestALeakedGatewayIsNoOwnerThatHasEnded(t *testing.T) {
	tree := Tree{Branches: []Branch{{Name: BranchLeaked, Nodes: []Node{{Key: "gateway:50:1", Kind: KindGateway, PID: 50}, {Key: "server:60:1", Kind: KindServer, PID: 60}}}}}
	for _, row := range []struct {
		owner Owner
		want  bool
	}{
		{Owner{Name: "mcp-hub", PID: 50, Liveness: graph.LivenessGone}, true},
		{Owner{Name: "mcp-hub", PID: 50, Liveness: graph.LivenessLive}, false},
		{Owner{Name: "codex", PID: 44, Liveness: graph.LivenessGone}, false},
		{Owner{Name: "fetch", PID: 60, Liveness: graph.LivenessGone}, false},
		{Owner{Liveness: graph.LivenessGone}, false},
	} {
		if got := tree.IsLeftOver(row.owner); got != row.want {
			t.Errorf("%+v: %v", row.owner, got)
		}
	}
}

// TestWhatMayBeInUseIsNotCountedAsLeaked, although it hangs on what is; nor is what a guard keeps only reported.
func TestWhatMayBeInUseIsNotCountedAsLeaked(t *testing.T) {
	hub := Node{Kind: KindGateway, State: StateReported, MemoryBytes: 30, Next: Next{Rule: "r", Action: policy.ActionTerminate}, Guards: []graph.Veto{{Guard: graph.GuardUnproven}}, Children: []Node{
		{Kind: KindServer, State: StateKept, MemoryBytes: 20, Owner: Owner{Liveness: graph.LivenessLive}},
		{Kind: KindServer, State: StatePending, MemoryBytes: 7, Owner: Owner{Liveness: graph.LivenessGone}},
	}}
	for i := range hub.Children {
		hub.Children[i].sum()
	}
	hub.sum()
	if got := hub.Totals; got.Things() != 3 || got.MemoryBytes != 57 || got.Reported != 1 || got.Guarded != 1 {
		t.Errorf("%+v", got)
	}
	if got := hub.Totals.Leaked(); got.Things() != 2 || got.MemoryBytes != 37 {
		t.Errorf("leaked: %+v", got)
	}
}
