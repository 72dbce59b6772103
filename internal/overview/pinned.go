package overview

import (
	"cmp"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
)

// RootsDaemon is the daemon that decides what becomes of the things of all users.
const RootsDaemon = "root's daemon"

// PinnedNotForRoot is the state of a thing that its user has pinned: root's daemon takes it, unless root has
// pinned it too, which a user cannot see.
const PinnedNotForRoot = "pinned, root decides"

// PinnedNotFor is the state of a thing of a user that root has pinned: that user's daemon does not go by it.
func PinnedNotFor(user string) string { return "pinned, " + human.Safe(user) + " decides" }

// pinnedWords are the words for what a pin keeps. Where root's daemon decides, a user's pin of a container
// keeps it from that user's sweeps only.
func (t Teller) pinnedWords(n *Node, in Place) Words {
	switch {
	case t.UpTo != RootsDaemon:
	case n.OnlyUserKeeps():
		return Words{Text: PinnedNotForRoot, Tone: ToneWaits}
	case n.KeptWith.OnlyUser && n.MayGo():
		return t.Undecided(n)
	}
	return Words{Text: pinned(n, in), Tone: ToneLives}
}

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

// IsKeptByNoPinOf reports a thing of which another user's daemon that decides ignores a pin of a user: a container, or
// what is another user's. An empty user is not known.
func (n *Node) IsKeptByNoPinOf(user string) bool {
	return n.Kind == KindContainer || user != "" && n.User != "" && n.User != user
}

// MayGo reports a thing that nobody alive is known to own.
func (n *Node) MayGo() bool { return n.Owner.Liveness != graph.LivenessLive || n.MayBeInUse() }

// OnlyUserKeeps reports a container that nobody alive is known to own, and only the pin of its user keeps: root's
// daemon does not go by such a pin.
func (n *Node) OnlyUserKeeps() bool {
	own := n.KeptWith.Target == "" && !n.Marked && n.PinnedBy == ""
	return n.Kind == KindContainer && n.State == StatePinned && own && n.MayGo()
}

// UsersPin is the node whose pin by its user is all that keeps a node, where root's daemon does not go by
// it; nil if another thing keeps it.
func (t *Tree) UsersPin(n *Node) *Node {
	switch {
	case n.OnlyUserKeeps():
		return n
	case n.KeptWith.OnlyUser && n.MayGo():
		return t.OfTarget(n.KeptWith.Target)
	}
	return nil
}
