package overview

import (
	"cmp"

	"github.com/reaperd/reaperd/internal/graph"
)

// PinnedWithSession is the state of a thing that stays because its session is pinned.
const PinnedWithSession = "pinned with session"

// pinned tells whether a node is pinned itself, or kept with something that is.
func pinned(n *Node, in Place) string {
	switch {
	case in.Pinned:
		return PinnedWithSession
	case n.KeptWith.Target != "":
		return n.KeptWith.String()
	case in.KeptWith.Target != "" && in.KeptWith.Target != n.Target:
		return in.KeptWith.String()
	case n.Marked && n.Kind == KindContainer:
		return "kept by its label"
	case n.Marked:
		return "kept by REAPERD_KEEP"
	}
	return "pinned"
}

// String tells that something is kept with the pinned thing.
func (k Keeper) String() string { return "kept with " + cmp.Or(k.Title, "what is pinned") }

// MayGo reports a thing that nobody alive is known to own.
func (n *Node) MayGo() bool { return n.Owner.Liveness != graph.LivenessLive || n.MayBeInUse() }
