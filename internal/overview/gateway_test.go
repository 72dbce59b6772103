package overview

import (
	"testing"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
)

// TestWhatNoSweepStopsWithoutItsGatewayNamesThat in the command that stops it.
func TestWhatNoSweepStopsWithoutItsGatewayNamesThat(t *testing.T) {
	owner := Owner{Name: "mcp-hub", PID: 50, Liveness: graph.LivenessGone}
	for state, want := range map[State]string{StatePending: "reaperd sweep --now 50", StatePinned: "reaperd sweep --now 60"} {
		below := Node{Key: "server:60:1", Kind: KindServer, PID: 60, State: StatePending, Owner: owner}
		hub := Node{Key: "gateway:50:1", Kind: KindGateway, PID: 50, State: state, Children: []Node{below}}
		tree := Tree{Mode: policy.ModeEnforce, Branches: []Branch{{Name: BranchLeaked, Nodes: []Node{hub}}}}
		if got := tree.StopCommand(&below, below.Typed()); got.Line != want {
			t.Errorf("the gateway is %s: %q, want %q", state, got.Line, want)
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
