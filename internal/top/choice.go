package top

import (
	"slices"

	"github.com/reaperd/reaperd/internal/overview"
)

// choice is what the keys p and x act on.
type choice struct {
	node *overview.Node // nil for the heading of a branch
	// targets are the node's own, or those that an ended session left, or all that leak, but
	// for those that are being stopped.
	targets []string
	part    bool // a filter hides others of the group
	late    int  // how many are being stopped
}

// isGroup reports a choice of all that leaks, or of all that a session left.
func (c choice) isGroup() bool { return c.node == nil || c.node.Target == "" }

// all names a whole group, or the rest of one of which some is being stopped.
func (c choice) all(whole string) string {
	if c.late > 0 {
		return "the rest"
	}
	return whole
}

// chosen returns the choice under the cursor, or that whose page is open.
func (m Model) chosen() choice {
	r, _ := m.row()
	n := r.node
	if m.mode == paging {
		n = m.tree.Find(m.page.about)
	}
	switch {
	case n == nil && r.branch != nil && r.branch.Name == overview.BranchLeaked && m.mode != paging:
		return m.chosenBelow(groupOf(nil, r.branch.Nodes))
	case n == nil:
		return choice{}
	case n.Target != "" && n.State == overview.StateReaping:
		return choice{node: n, late: 1}
	case n.Target != "":
		return choice{node: n, targets: []string{n.Target}}
	case n.Kind == overview.KindGone && m.mode != paging:
		return m.chosenBelow(groupOf(n, n.Children))
	case n.Kind == overview.KindGone:
		return groupOf(n, n.Children)
	}
	return choice{node: n}
}

// chosenBelow narrows a group to the rows below the cursor that a filter shows. Where it shows
// none of them, the group itself matches it.
func (m Model) chosenBelow(group choice) choice {
	if m.filter == "" {
		return group
	}
	hidden := slices.DeleteFunc(slices.Clone(group.targets), func(target string) bool {
		return slices.ContainsFunc(m.rows, func(r row) bool { return r.node != nil && r.node.Target == target })
	})
	if len(hidden) == len(group.targets) {
		return group
	}
	group.part = len(hidden) > 0
	group.targets = slices.DeleteFunc(slices.Clone(group.targets), func(target string) bool { return slices.Contains(hidden, target) })
	return group
}

// targetsOf returns the targets among nodes and below them whose end has not begun.
func targetsOf(nodes []overview.Node) []string {
	var targets []string
	for _, n := range below(nodes) {
		if n.State != overview.StateReaping {
			targets = append(targets, n.Target)
		}
	}
	return targets
}

// groupOf is the choice of all among nodes and below them.
func groupOf(n *overview.Node, nodes []overview.Node) choice {
	return choice{node: n, targets: targetsOf(nodes), late: reaping(nodes)}
}

// reaping counts the targets among nodes and below them whose end has begun.
func reaping(nodes []overview.Node) int { return len(below(nodes)) - len(targetsOf(nodes)) }

// below returns the nodes that are targets, among nodes and below them.
func below(nodes []overview.Node) (targets []*overview.Node) {
	for i := range nodes {
		if nodes[i].Target != "" {
			targets = append(targets, &nodes[i])
		}
		targets = append(targets, below(nodes[i].Children)...)
	}
	return targets
}
