package top

import (
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/overview"
)

// row is one line of the tree: a node, or the head of a branch.
type row struct {
	key    string
	node   *overview.Node   // nil for a branch
	branch *overview.Branch // the branch that contains the row
	// trunk tells, for each level above, whether the line of the tree continues there.
	// last means that no sibling follows.
	trunk []bool
	last  bool
	place overview.Place
	shown shown // what a filter shows of it and below it; without one that is not counted
	open  depth
	most  depth // how far it can be unfolded
}

// depth tells how far a node is unfolded.
type depth int

const (
	folded    depth = iota
	things          // shows the servers and containers below it
	processes       // shows its own processes too
)

// listed returns the rows of the tree after folding, filter and sort.
func (m Model) listed() []row {
	if !m.looked {
		return nil
	}
	var rows []row
	for _, branch := range m.branches() {
		head := row{key: headKey(branch.Name), branch: branch, most: things}
		head.open = m.openOf(head.key, things)
		below := m.below(level{branch: branch, place: overview.Place{Branch: branch.Name}}, branch.Nodes, head.open > folded)
		if len(below) == 0 && (m.filter != "" || len(branch.Nodes) == 0) {
			continue
		}
		if m.filter != "" {
			head.shown = shownOf(below, 0)
		}
		rows = append(append(rows, head), below...)
	}
	return rows
}

// headKey is the key of the heading of a branch.
func headKey(name overview.BranchName) string { return "branch:" + string(name) }

// branches returns the branches of the tree, the leaked one first: people come for it,
// and it is short or missing.
func (m Model) branches() []*overview.Branch {
	var branches []*overview.Branch
	for _, name := range []overview.BranchName{overview.BranchLeaked, overview.BranchSessions, overview.BranchOthers, overview.BranchUnclear} {
		if branch := m.tree.Branch(name); branch != nil {
			branches = append(branches, branch)
		}
	}
	return branches
}

func (m Model) openOf(key string, usual depth) depth {
	if d, set := m.opened[key]; set {
		return d
	}
	return usual
}

// level is where in the tree some rows are.
type level struct {
	trunk  []bool // of the rows, as in [row]
	branch *overview.Branch
	place  overview.Place
}

// below returns the rows of nodes, and those unfolded below them. If open is false, it
// returns only rows that match the filter.
func (m Model) below(l level, nodes []overview.Node, open bool) []row {
	listed := m.sorted(m.found(l, nodes, open))
	var rows []row
	for i, found := range listed {
		n := found.node
		r := row{key: n.Key, node: n, branch: l.branch, trunk: l.trunk, last: i == len(listed)-1, most: mostOf(n), place: l.place}
		r.open = m.openOf(n.Key, usual(n))
		under := m.unfolded(r, found.itself)
		switch {
		case m.filter == "":
		case found.itself:
			r.shown = shown{n.Totals.Things(), n.Memory()}
		default:
			r.shown = shownOf(under, len(l.trunk)+1).and(n)
		}
		rows = append(append(rows, r), under...)
	}
	return rows
}

// placeBelow returns the place of a row below a node, which a key may have pinned since the
// look.
func (m Model) placeBelow(place overview.Place, n *overview.Node) overview.Place {
	place = place.Below(n)
	place.Pinned = place.Pinned || n.Kind == overview.KindSession && m.isPinned(n)
	return place
}

// unfolded returns the rows below a row. itself means that the row matches the filter:
// then the filter hides nothing below it.
func (m Model) unfolded(r row, itself bool) []row {
	under := level{trunk: append(slices.Clone(r.trunk), !r.last), branch: r.branch, place: m.placeBelow(r.place, r.node)}
	inner := m
	if itself {
		inner.filter = ""
	}
	own, other := split(r.node.Children)
	switch r.open {
	case processes:
		return inner.below(under, r.node.Children, true)
	case things:
		if inner.filter != "" && m.anyFound(under, own) {
			return inner.below(under, r.node.Children, false)
		}
		return inner.below(under, other, true)
	}
	if inner.filter == "" {
		return nil
	}
	return inner.below(under, r.node.Children, false)
}

// split separates a node's own processes from its other children.
func split(children []overview.Node) (own, other []overview.Node) {
	first := slices.IndexFunc(children, func(n overview.Node) bool { return n.Kind != overview.KindProcess })
	if first < 0 {
		return children, nil
	}
	return children[:first], children[first:]
}

func mostOf(n *overview.Node) depth {
	own, other := split(n.Children)
	switch {
	case len(own) > 0:
		return processes
	case len(other) > 0:
		return things
	}
	return folded
}

// manyLeft is the number of things from which on an ended session starts folded.
const manyLeft = 5

// usual returns how far a node is unfolded at first: servers and containers show, except
// for the long list of an ended session.
func usual(n *overview.Node) depth {
	_, other := split(n.Children)
	if len(other) == 0 || n.Kind == overview.KindGone && len(other) >= manyLeft {
		return folded
	}
	return things
}

// found is a node that the filter shows.
type found struct {
	node   *overview.Node
	itself bool // it matches by itself, and not only something below it
}

// found returns the nodes that show. Without a filter these are all, or none if open is
// false.
func (m Model) found(l level, nodes []overview.Node, open bool) []found {
	var all []found
	for i := range nodes {
		n := &nodes[i]
		switch {
		case m.filter == "":
			if open {
				all = append(all, found{node: n})
			}
		case m.matches(l, n):
			all = append(all, found{n, true})
		case m.anyFound(m.under(l, n), n.Children):
			all = append(all, found{n, false})
		}
	}
	return all
}

func (m Model) anyFound(l level, nodes []overview.Node) bool {
	return slices.ContainsFunc(nodes, func(n overview.Node) bool {
		return m.matches(l, &n) || m.anyFound(m.under(l, &n), n.Children)
	})
}

// under returns the level below a node, as far as the filter needs it.
func (m Model) under(l level, n *overview.Node) level {
	l.place = m.placeBelow(l.place, n)
	return l
}

// matches reports whether each word of the filter occurs in one of a node's texts, or in
// those of its row.
func (m Model) matches(l level, n *overview.Node) bool {
	texts := strings.ToLower(strings.Join(append([]string{
		n.Name, n.Handle, n.Target, n.ContainerID, n.Image, n.Cwd, n.TTY, n.User, n.Owner.String(),
		string(n.Kind), string(n.State), string(n.Finding), n.Next.Rule, n.Typed(), m.stateWords(l, n),
	}, n.Argv...), "\n"))
	for word := range strings.FieldsSeq(strings.ToLower(m.filter)) {
		if !strings.Contains(texts, word) {
			return false
		}
	}
	return true
}

// stateWords are the words of a node's state and of its branch, without times: who looks for
// a PID does not mean them.
func (m Model) stateWords(l level, n *overview.Node) string {
	state, _ := m.state(row{node: n, branch: l.branch, place: l.place, open: things})
	return overview.Words{Text: state}.Sought() + " " + l.place.Sought()
}
