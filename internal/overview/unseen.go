package overview

import (
	"cmp"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
)

// IsUnproven reports a thing that this user keeps because somebody may use it who cannot be seen from here, or
// something below it: who sees more decides by that.
func (n *Node) IsUnproven() bool {
	return n.isUnseen() || n.State == StateReported && slices.ContainsFunc(n.Guards, func(v graph.Veto) bool { return v.Guard == graph.GuardUnproven })
}

// isUnclearToUser reports a thing that a user who is not root keeps, because nothing which that user may read proves
// whose it is.
func (m *maker) isUnclearToUser(t *thing) bool {
	isUnknown := t.Target.Kind != graph.KindSession && t.Target.Finding == graph.FindingNone && t.Target.Owner.Liveness == graph.LivenessUnknown
	isKept := t.Decision == policy.Keep && t.Rule == "" && t.Protected == nil && t.Target.OnlyUnseen()
	return isUnknown && isKept && m.snapshot != nil && m.snapshot.Host.UID.Or(0) != 0 && t.Target.RootMaySeeMore()
}

// isUpToRoots reports a thing on which root's daemon decides, as that sees more of it.
func (t Teller) isUpToRoots(n *Node) bool {
	return n.RootSeesMore && n.State == StateKept && t.UpTo == RootsDaemon
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

// UpTo returns the state of a node that a rule of this user would stop, but whose end another user's
// daemon decides.
func UpTo(daemon string) string { return "up to " + daemon }

// Undecided are the words for a node on which the daemon of UpTo decides. What may be in use the policy keeps, by what
// is seen here: who sees more decides.
func (t Teller) Undecided(n *Node) Words {
	if n.isUnseen() {
		return Words{Text: MayBeInUse + ", " + strings.TrimSuffix(t.UpTo, "'s daemon") + " decides", Tone: ToneWaits}
	}
	return Words{Text: UpTo(t.UpTo), Tone: ToneWaits}
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
