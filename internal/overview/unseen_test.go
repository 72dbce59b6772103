package overview

import (
	"testing"

	"github.com/reaperd/reaperd/internal/graph"
)

// TestTheContainerOfADockerRunThatMayBeInUseMayBeToo, as it is of the same user, and that of one that a session uses is in use.
func TestTheContainerOfADockerRunThatMayBeInUseMayBeToo(t *testing.T) {
	for _, row := range []struct {
		seen, want bool
	}{{false, true}, {true, false}} {
		w := newWorld()
		owner := graph.Owner{Liveness: graph.LivenessLive}
		if row.seen {
			owner = w.session("codex", 5)
		}
		runner := w.server("github", 10, owner)
		runner.Target.User = "dev"
		w.container("github", 1, graph.Owner{Liveness: graph.LivenessLive}).Target.Runner = runner.Target.ID
		tree := Make(w.Input)
		container := tree.first(func(n *Node) bool { return n.Kind == KindContainer })
		if tree.Runner(container) == "" {
			t.Errorf("the container is not below its docker run:\n%s", drawn(tree))
		}
		if container.User != "dev" {
			t.Errorf("its docker run is of user dev, and it of %q", container.User)
		}
		if got := container.MayBeInUse(); got != row.want {
			t.Errorf("its docker run is seen to be used: %v; the container may be in use: %v", row.seen, got)
		}
	}
}

// TestAPinProvesNoUse: what may be in use may be so still, and is not counted as leaked.
func TestAPinProvesNoUse(t *testing.T) {
	for _, state := range []State{StateKept, StatePinned} {
		n := Node{Kind: KindServer, State: state, Owner: Owner{Liveness: graph.LivenessLive}}
		n.sum()
		if !n.MayBeInUse() || n.Totals.Leaked().Servers != 0 {
			t.Errorf("%s: may be in use %v, %+v leaked", state, n.MayBeInUse(), n.Totals.Leaked())
		}
	}
}

// TestAPauseStopsNothingMore while something is being stopped.
func TestAPauseStopsNothingMore(t *testing.T) {
	for state, want := range map[State]string{StateDue: "nothing", StateReaping: "nothing more"} {
		tree := Tree{Branches: []Branch{{Nodes: []Node{{Key: "server:1:1", State: state}}}}}
		if got := tree.NothingMore(); got != want {
			t.Errorf("%s: %q is stopped", state, got)
		}
	}
}
