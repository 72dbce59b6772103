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

// gatewayAround is the gateway that goes, now or later, with a server in its tree: no sweep stops the server
// without it. nil if none does.
func (t *Tree) gatewayAround(n *Node) *Node {
	var around *Node
	t.Walk(func(gateway *Node, _ int) bool {
		if gateway.Kind == KindGateway && gateway.State.IsGoing() && n.Kind == KindServer && gateway.PID == n.Owner.PID {
			around = gateway
		}
		return around == nil
	})
	return around
}
