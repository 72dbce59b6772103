package top

import (
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/overview"
)

// moreUnseen counts what stands below that heading and may be in use; empty if there is none.
func (m Model) moreUnseen() string {
	branch := m.tree.Branch(overview.BranchLeaked)
	if branch == nil {
		return ""
	}
	all, leaked := branch.Totals, branch.Totals.Leaked()
	n, text := all.Things()-leaked.Things(), ""
	if n > 0 {
		text = human.Number(n) + " more " + overview.MayBeInUse
	}
	if bytes := all.MemoryBytes - leaked.MemoryBytes; n > 0 && bytes > 0 {
		text += ", " + human.Bytes(bytes)
	}
	return text
}

// unproven counts what leaked below branches, and what this user keeps and the daemon that decides may not: below it
// something may be in use.
func (m Model) unproven(branches []overview.Branch) (n int) {
	if m.upTo() == "" {
		return 0
	}
	tree := overview.Tree{Branches: branches}
	tree.Walk(func(node *overview.Node, _ int) bool {
		if node.IsUnproven() && node.State == overview.StateReported {
			n++
		}
		return true
	})
	return n
}
