package overview

import (
	"cmp"
	"slices"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
)

// IsUnproven reports a thing that this user keeps because somebody may use it who cannot be seen from here, or
// something below it: who sees more decides by that.
func (n *Node) IsUnproven() bool {
	return n.isUnseen() || n.State == StateReported && slices.ContainsFunc(n.Guards, func(v graph.Veto) bool { return v.Guard == graph.GuardUnproven })
}

// isUnseen reports a thing that may be in use, by a process that cannot be seen.
func (n *Node) isUnseen() bool {
	return (n.State == StateKept || n.State == StatePinned) && n.Owner.Liveness == graph.LivenessLive && n.Owner.PID == 0 && n.Owner.Name == ""
}

// MayBeInUse reports a thing of which nobody knows whether it is in use. Of a container without its docker run one of
// several lives.
func (n *Node) MayBeInUse() bool {
	return n.isUnseen() && (n.Kind != KindContainer || n.RunMayBeUsed)
}

// tellContainers tells the containers below a server whose they are, and whether their docker run may be in use.
func (n *Node) tellContainers() {
	for i := range n.Children {
		if c := &n.Children[i]; c.Kind == KindContainer {
			c.User, c.RunMayBeUsed = cmp.Or(c.User, n.User), n.Kind == KindServer && n.MayBeInUse()
		}
	}
}

// MayBeInUse is the state of a thing of which nobody knows whether it is in use.
const MayBeInUse = "may be in use"

// InUseBelow is why a thing stays of which something below may be in use.
const InUseBelow = MayBeInUse + " below it"

// Apart counts servers and containers, and apart from them what may be in use: "3 servers, 2 more may be in use".
func (t Totals) Apart() string {
	unseen, leaked := t.UnseenServers+t.UnseenContainers, t.Leaked()
	switch {
	case unseen == 0:
		return t.String()
	case leaked.Things() == 0:
		return t.String() + " that " + MayBeInUse
	}
	return leaked.String() + ", " + human.Number(unseen) + " more " + MayBeInUse
}
