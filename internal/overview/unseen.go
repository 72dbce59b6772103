package overview

import (
	"slices"

	"github.com/reaperd/reaperd/internal/graph"
)

// IsUnproven reports a thing that this user keeps because somebody may use it who cannot be seen from here, or
// something below it: who sees more decides by that.
func (n *Node) IsUnproven() bool {
	return n.isUnseen() || n.State == StateReported && slices.ContainsFunc(n.Guards, func(v graph.Veto) bool { return v.Guard == graph.GuardUnproven })
}

// isUnseen reports a thing that may be in use, by a process that cannot be seen.
func (n *Node) isUnseen() bool {
	return n.State == StateKept && n.Owner.Liveness == graph.LivenessLive && n.Owner.PID == 0 && n.Owner.Name == ""
}

// MayBeInUse reports a thing of which nobody knows whether it is in use. Of a container without its docker run one of
// several lives.
func (n *Node) MayBeInUse() bool {
	return n.isUnseen() && (n.Kind != KindContainer || n.RunMayBeUsed)
}

// tellContainers tells the containers of a docker run that may be in use.
func (n *Node) tellContainers() {
	for i := range n.Children {
		n.Children[i].RunMayBeUsed = n.Children[i].Kind == KindContainer && n.Kind == KindServer && n.MayBeInUse()
	}
}
