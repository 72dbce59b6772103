package top

import (
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/overview"
)

// withEnd adds to lines about the end of pins that the daemon now stops what they kept, and
// what of it something else keeps.
func (m Model) withEnd(what Said, lines []string) []string {
	overdue := slices.DeleteFunc(slices.Clone(what.Targets), func(target string) bool {
		return slices.Contains(what.Stays, target) || !m.isOverdue(target)
	})
	if what.Do != Unpin || len(lines) == 0 {
		return lines
	}
	lines = slices.Clone(lines)
	if len(overdue) > 0 && m.acting() {
		lines[0] = strings.TrimSuffix(lines[0], ".") + ": the daemon stops " + human.Them(len(overdue), len(what.Targets)) + " now."
	}
	lines[0] += what.Keeps
	return lines
}

// isOverdue reports whether a target without a pin is due by the last look.
func (m Model) isOverdue(target string) bool {
	n := m.tree.OfTarget(target)
	if n == nil {
		return false
	}
	if above := m.tree.Top(n.Key); above != n && m.isPinned(above) { // pinned with its session
		return false
	}
	switch n.State {
	case overview.StateDue:
		return true
	case overview.StatePending:
		return n.Next.Beyond == 0 && m.isPast(n.Next.DueAt)
	case overview.StatePinned:
		return m.isPast(n.Next.DueUnpinned)
	case overview.StateKept, overview.StateIdle, overview.StateReported, overview.StateReaping:
	}
	return false
}

func (m Model) isPast(at time.Time) bool { return !at.IsZero() && !at.After(m.now) }
