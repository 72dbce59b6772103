package top

import (
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/overview"
)

// second is the present moment in whole seconds: ages count by it, so that all of a screen change at once.
func (m Model) second() time.Time { return m.now.Truncate(time.Second) }

// age is the time since a moment.
func (m Model) age(at time.Time) time.Duration { return max(m.second().Sub(at), 0) }

// ages returns when the text of an age changes next.
func (m Model) ages(at time.Time) time.Time {
	if at.IsZero() {
		return at
	}
	step := human.Step(m.age(at))
	next := at.Add(m.age(at).Truncate(step) + step)
	return next.Add(time.Second - 1).Truncate(time.Second)
}

// countsUp are the moments since which the screen tells the time.
func (m Model) countsUp() []time.Time {
	switch {
	case m.mode == paging && m.page.shows == detailsPage:
		return agesIn(m.tree.Find(m.page.about))
	case m.mode == paging, m.mode == asking:
		return nil
	}
	var all []time.Time
	hasUp := m.columns().up > 0
	for _, r := range m.shownRows() {
		if r.node == nil {
			continue
		}
		if hasUp {
			all = append(all, r.node.UpSince())
		}
		all = append(all, m.sinceIn(r))
	}
	return all
}

// agesIn are the moments since which the details of a node tell the time.
func agesIn(n *overview.Node) []time.Time {
	switch {
	case n == nil:
		return nil
	case n.Kind == overview.KindGone:
		return []time.Time{n.Owner.Since}
	case n.Use != "":
		return []time.Time{n.StartedAt}
	}
	return []time.Time{n.StartedAt, n.IdleSince, n.ServersIdleSince}
}

// sinceIn is the moment since which the state of a row tells the time; zero if it tells none.
func (m Model) sinceIn(r row) time.Time {
	if n := r.node; n.State == overview.StateIdle || n.Rests {
		return n.IdleSince
	}
	return m.teller().Words(r.node, r.place).Since
}
