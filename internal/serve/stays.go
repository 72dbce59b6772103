package serve

import (
	"cmp"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/overview"
)

// Stay is one thing that has a finding or is pinned, and that stays.
type Stay struct {
	ID      string        `json:"id"`
	Kind    overview.Kind `json:"kind"`
	Name    string        `json:"name"`
	Handle  string        `json:"handle"` // the shortest word that names it
	Finding graph.Finding `json:"finding,omitempty"`
	Owner   string        `json:"owner,omitempty"` // "claude-code 44"
	User    string        `json:"user,omitempty"`
	// Holds counts what a session holds, and what stays with it: "2 servers".
	Holds string `json:"holds,omitempty"`
	Why   string `json:"why"`
	// Pinned reports that a person's pin keeps it, its own or that of another thing.
	Pinned bool `json:"pinned,omitempty"`
	// UsersPin is the word for a container that nobody owns, and whose pin by the daemon's user is all that
	// keeps this: root's daemon does not go by it.
	UsersPin string `json:"users_pin,omitempty"`
	// OwnPolicy reports what nobody is known to own, and only protect in a policy of the daemon's user keeps: root's
	// daemon does not go by it.
	OwnPolicy bool `json:"own_policy,omitempty"`
}

// staysIn are the things of a tree that stay: what nobody owns first, else in the tree's
// order. What is only pinned with its session is left out.
func staysIn(tree overview.Tree) []Stay {
	leaked, others := []Stay{}, []Stay{}
	pinned := "" // the identity of the pinned session whose nodes follow
	tree.Walk(func(n *overview.Node, depth int) bool {
		if depth == 0 {
			pinned = ""
		}
		why := n.Stays()
		switch {
		case why == "" || n.Target == "" || n.Next.EndsWith != "" || pinned != "" && n.Finding == graph.FindingNone:
		case n.Owner.Liveness == graph.LivenessGone:
			leaked = append(leaked, stayOf(tree, n, why))
		default:
			others = append(others, stayOf(tree, n, why))
		}
		if n.Kind == overview.KindSession && n.State == overview.StatePinned {
			pinned = n.Target
		}
		return true
	})
	return append(leaked, others...)
}

func stayOf(tree overview.Tree, n *overview.Node, why string) Stay {
	s := Stay{ID: n.Target, Kind: n.Kind, Name: n.Name, Handle: n.Typed(), Finding: n.Finding, Owner: n.Owner.String(), User: cmp.Or(n.User, tree.Top(n.Key).User), Why: why, Pinned: n.State == overview.StatePinned && !n.Marked}
	if n.Kind == overview.KindSession && n.Totals.Things() > 0 {
		s.Holds = n.Totals.String()
	}
	s.OwnPolicy = tree.OwnPolicy && n.IsKeptByProtect()
	if pin := tree.UsersPin(n); pin != nil {
		s.UsersPin = pin.Typed()
	}
	return s
}
