package overview

import (
	"slices"

	"github.com/reaperd/reaperd/internal/graph"
)

// isOnlyProtected reports a thing that only the policy's protect keeps: no guard does that root's daemon has too, and
// what is unclear may not be so to root.
func (t *thing) isOnlyProtected() bool {
	if t.Target.Kind == graph.KindSession || !t.isProtected() || t.EndsWith != "" {
		return false
	}
	keepsToo := func(v graph.Veto) bool {
		return v.Guard != graph.GuardProtected && v.Guard != graph.GuardForeign && v.Guard != graph.GuardUnproven
	}
	return (t.Target.Finding != graph.FindingNone || t.Target.RootMaySeeMore()) &&
		!slices.ContainsFunc(slices.Concat(t.Target.Vetoes, t.Vetoes), keepsToo)
}

// IsKeptByProtect reports a thing that nobody alive is known to own, and only the policy's protect keeps.
func (n *Node) IsKeptByProtect() bool { return n.OnlyProtected && n.State == StateKept && n.MayGo() }

// OnlyOwnPolicyKeeps reports a thing that only the protect of a user's own policy keeps, where root's daemon decides:
// that goes by root's policy.
func (t Teller) OnlyOwnPolicyKeeps(n *Node) bool {
	return t.OwnPolicy && t.UpTo == RootsDaemon && n.IsKeptByProtect()
}
