package serve

import (
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/overview"
)

// Leaver is a session that has ended and left targets behind.
type Leaver struct {
	Name  string          `json:"name"`
	Kind  graph.OwnerKind `json:"kind,omitempty"`
	PID   int             `json:"pid,omitempty"`
	ID    string          `json:"id,omitempty"`   // empty if it was never seen
	Since time.Time       `json:"since,omitzero"` // when it was first seen gone
	Left  []Left          `json:"left"`
}

// Left is one target that a session left behind.
type Left struct {
	ID     string        `json:"id"`
	Kind   overview.Kind `json:"kind"`
	Name   string        `json:"name"`
	Handle string        `json:"handle"` // the shortest word that names it
}

// leaversIn are the sessions of a tree that have ended, are known by name, and left
// something.
func leaversIn(tree overview.Tree) []Leaver {
	leavers := []Leaver{}
	leaked := tree.Branch(overview.BranchLeaked)
	if leaked == nil {
		return leavers
	}
	for i := range leaked.Nodes {
		n := &leaked.Nodes[i]
		if left := leftBelow(n); n.Kind == overview.KindGone && n.Name != "" && len(left) > 0 {
			leavers = append(leavers, Leaver{Name: n.Name, Kind: n.Owner.Kind, PID: n.PID, ID: idOfGone(n), Since: n.Owner.Since, Left: left})
		}
	}
	return leavers
}

// leftBelow are the targets below a node: what it left, and the containers of that.
func leftBelow(n *overview.Node) (left []Left) {
	for i := range n.Children {
		child := &n.Children[i]
		if child.Target != "" {
			left = append(left, Left{ID: child.Target, Kind: child.Kind, Name: child.Name, Handle: child.Handle})
		}
		left = append(left, leftBelow(child)...)
	}
	return left
}

// idOfGone is the identity of a session that has ended; empty if it was never seen.
func idOfGone(gone *overview.Node) string {
	id := strings.TrimPrefix(gone.Key, string(overview.KindGone)+":")
	if _, err := inventory.ParseID(id); err != nil {
		return ""
	}
	return id
}
