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
	return t.gatewayAbove(n, func(above *Node) bool { return above.State.IsGoing() })
}

// GatewayOf is the outermost gateway of a user above a node: its pin keeps that node too. nil if there is none.
func (t *Tree) GatewayOf(n *Node, user string) *Node {
	return t.gatewayAbove(n, func(above *Node) bool { return user != "" && above.User == user })
}

func (t *Tree) gatewayAbove(n *Node, is func(*Node) bool) *Node {
	var around *Node
	t.Walk(func(above *Node, _ int) bool {
		isAbove := around == nil && above.Key != n.Key && holds(above.Children, n.Key)
		if isAbove && above.Kind == KindGateway && is(above) {
			around = above
		}
		return around == nil
	})
	return around
}
