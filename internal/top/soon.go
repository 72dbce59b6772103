package top

import (
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/overview"
)

// soon are the sessions that a rule soon stops if they go on doing nothing, the first of them in front.
func (m Model) soon() []*overview.Node {
	var soon []*overview.Node
	m.tree.Walk(func(n *overview.Node, _ int) bool {
		if n.StopsSoon(m.now) && !m.isPinned(n) {
			soon = append(soon, n)
		}
		return true
	})
	slices.SortStableFunc(soon, func(a, b *overview.Node) int { return a.Next.AheadAt.Compare(b.Next.AheadAt) })
	return soon
}

// soonText counts these sessions and tells when they stop; empty if there is none. The page has them among
// what goes next.
func (m Model) soonText() string {
	soon := m.soon()
	if len(soon) == 0 {
		return ""
	}
	n, text := len(soon), human.Count(len(soon), "session")
	if soon[n-1].Next.AheadAt.Sub(soon[0].Next.AheadAt) >= time.Second {
		n, text = 1, text+": the first"
	}
	in := " soon"
	if at := m.ahead(soon[0].Next.AheadAt); !at.IsZero() {
		in = " in " + m.countdown(at)
	}
	return text + " " + m.verb(n, false) + in + " if " + human.Verb(n, "it goes", "they go") + " on doing nothing"
}

// soonIdle counts those of these sessions that are idle, and their memory: they are told with when they stop.
func (m Model) soonIdle() (n int, bytes uint64) {
	for _, session := range m.soon() {
		n, bytes = n+session.Totals.IdleSessions, bytes+session.Totals.IdleBytes
	}
	return n, bytes
}
