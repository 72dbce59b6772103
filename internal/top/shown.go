package top

import (
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/overview"
)

// shown sums up the servers and containers that a filter shows of a row and below it.
type shown struct {
	things int
	bytes  uint64
}

// shownOf sums up rows at a depth of the tree: each has told what is shown below it.
func shownOf(rows []row, depth int) (sum shown) {
	for _, r := range rows {
		if len(r.trunk) == depth {
			sum.things, sum.bytes = sum.things+r.shown.things, sum.bytes+r.shown.bytes
		}
	}
	return sum
}

// and adds a node that shows for what the filter finds below it.
func (s shown) and(n *overview.Node) shown {
	switch n.Kind {
	case overview.KindServer, overview.KindGateway, overview.KindContainer:
		s.things, s.bytes = s.things+1, s.bytes+n.MemoryBytes
	case overview.KindSession, overview.KindOwner, overview.KindService, overview.KindGone, overview.KindProcess:
	}
	return s
}

// part tells how much of what a row holds is shown: "2 of 5 shown"; empty if that is all of it, or none.
func (r row) part() string {
	all := r.branch.Totals.Things()
	if r.node != nil {
		all = r.node.Totals.Things()
	}
	if r.shown.things == 0 || r.shown.things == all {
		return ""
	}
	return human.Number(r.shown.things) + " of " + human.Number(all) + " shown"
}

// memory tells how much memory the shown uses; empty if that is unknown.
func (s shown) memory() string {
	if s.bytes == 0 {
		return ""
	}
	return ", " + human.Bytes(s.bytes)
}
