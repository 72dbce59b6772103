package overview

import (
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
)

// Continue adds to a tree what an earlier one of the same host knew: which session left the
// things that leaked, since when, and since when guards keep what rules would end. A reader
// who looks by itself after a daemon has ended has not seen these sessions.
func (t Tree) Continue(before *Tree) Tree {
	if before.BootID != t.BootID {
		return t
	}
	t.Refusals = slices.Clone(t.Refusals)
	for i := range t.Refusals {
		t.Refusals[i].At = before.refusedAt(t.Refusals[i])
	}
	t.Branches = slices.Clone(t.Branches)
	leaked := t.Branch(BranchLeaked)
	if leaked == nil {
		return t
	}
	var nodes []Node
	for _, node := range leaked.Nodes {
		unknown := node
		unknown.Children = nil
		for _, child := range node.Children {
			left := before.leftBy(child.Key)
			if left == nil || node.Name != "" && left.Key != node.Key {
				unknown.Children = append(unknown.Children, child)
				continue
			}
			nodes = adopt(nodes, left, child)
		}
		if len(unknown.Children) > 0 {
			nodes = append(nodes, unknown)
		}
	}
	for i := range nodes {
		nodes[i].sum()
	}
	leaked.Nodes = nodes
	return t
}

// refusedAt returns since when a refusal holds that may be in an earlier tree too.
func (t *Tree) refusedAt(r Refusal) time.Time {
	i := slices.IndexFunc(t.Refusals, func(before Refusal) bool { return before.Key == r.Key && before.Guard == r.Guard })
	if i < 0 || r.Guard == "" {
		return r.At
	}
	return t.Refusals[i].At
}

// leftBy returns the node of the session that had left a thing; nil if it is not known.
func (t *Tree) leftBy(key string) *Node {
	if left := t.Top(key); left != nil && left.Kind == KindGone && left.Name != "" {
		return left
	}
	return nil
}

// adopt puts a thing below the node of the session that left it, which is added to nodes
// if it is not among them.
func adopt(nodes []Node, left *Node, child Node) []Node {
	at := slices.IndexFunc(nodes, func(n Node) bool { return n.Key == left.Key })
	if at < 0 {
		session := *left
		session.Children = nil
		at, nodes = len(nodes), append(nodes, session)
	}
	for i := range left.Children {
		was := &left.Children[i]
		if was.Key != child.Key {
			continue
		}
		child.Owner = was.Owner
		if was.Finding == child.Finding && child.Finding != graph.FindingNone && was.FindingSince.Before(child.FindingSince) {
			child.FindingSince = was.FindingSince
		}
	}
	nodes[at].Children = append(nodes[at].Children, child)
	return nodes
}
