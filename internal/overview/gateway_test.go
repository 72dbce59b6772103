package overview

import (
	"strings"
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
		{hubs, StatePending, "reaperd sweep --now 50"}, {hubs, StatePinned, "reaperd sweep --now 60"},
		{Owner{Liveness: graph.LivenessGone}, StatePending, "reaperd sweep --now 50"}, // a daemon that has just started knows no owner
	} {
		below := Node{Key: "server:60:1", Kind: KindServer, PID: 60, State: StatePending, Owner: row.owner}
		hub := Node{Key: "gateway:50:1", Kind: KindGateway, PID: 50, State: row.state, Children: []Node{below}}
		ended := Node{Key: "gone:44:1", Kind: KindGone, PID: 44, State: StateKept, Children: []Node{hub}}
		tree := Tree{Mode: policy.ModeEnforce, Branches: []Branch{{Name: BranchLeaked, Nodes: []Node{ended}}}}
		if got := tree.StopCommand(&below, below.Typed()); got.Line != row.want {
			t.Errorf("of %+v, the gateway is %s: %q, want %q", row.owner, row.state, got.Line, row.want)
		}
		if got := tree.StopCommand(&hub, hub.Typed()); got.Line != map[State]string{StatePending: "reaperd sweep --now 50"}[row.state] {
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

// TestWhatThisUserKeepsForWhomItCannotSeeIsUpToWhoSeesMore: root's daemon may stop it meanwhile.
func TestWhatThisUserKeepsForWhomItCannotSeeIsUpToWhoSeesMore(t *testing.T) {
	unproven := Node{Kind: KindGateway, State: StateReported, Finding: graph.FindingOrphaned, Guards: []graph.Veto{{Guard: graph.GuardUnproven}}}
	guarded := unproven
	guarded.Guards = []graph.Veto{{Guard: graph.GuardInUse}}
	unseen := Node{Kind: KindServer, State: StateKept, Owner: Owner{Liveness: graph.LivenessLive}}
	unclear := Node{Kind: KindServer, State: StateKept, RootSeesMore: true}
	used := unseen
	used.Owner.PID = 44
	for _, row := range []struct {
		world string
		node  Node
		want  string
	}{{"a gateway with something below it that may be in use", unproven, "up to root's daemon"}, {"that may be in use", unseen, "may be in use, root decides"}, {"of which nothing read here proves whose it is", unclear, "up to root's daemon"}, {"what listens and is in use", guarded, "orphaned"}, {"what a process uses that is seen", used, "in use by somebody"}} {
		in := Place{Branch: BranchLeaked}
		if got := (Teller{UpTo: RootsDaemon}).Words(&row.node, in).Text; got != row.want {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
		if got := (Teller{Acts: true}).Words(&row.node, in).Text; strings.Contains(got, "root") {
			t.Errorf("%s, and no other daemon decides: %q", row.world, got)
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
