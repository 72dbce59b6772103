package overview

import "github.com/reaperd/reaperd/internal/graph"

// IsLeftOver reports an owner that nobody owns any more, and that still runs: a leaked gateway.
func (t *Tree) IsLeftOver(o Owner) bool {
	found := false
	t.Walk(func(n *Node, _ int) bool {
		found = found || n.Kind == KindGateway && n.PID == o.PID
		return !found
	})
	return found && o.PID != 0 && o.Liveness == graph.LivenessGone
}

// GatewayAround is the outermost gateway above a server in the tree that goes, now or later: no sweep stops the
// server without it. nil if there is none.
func (t *Tree) GatewayAround(n *Node) *Node {
	if n.Kind != KindServer && n.Kind != KindGateway {
		return nil
	}
	var around *Node
	t.Walk(func(above *Node, _ int) bool {
		isAbove := around == nil && above.Key != n.Key && holds(above.Children, n.Key)
		if isAbove && above.Kind == KindGateway && above.State.IsGoing() {
			around = above
		}
		return around == nil
	})
	return around
}
