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
