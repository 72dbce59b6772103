package top

import (
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/overview"
)

// state is what becomes of a row, in a few words. A folded one speaks for what is
// below it.
func (m Model) state(r row) (string, Tone) {
	n := r.node
	if r.open == folded && n.Totals.Going() > 0 && !isGoing(n.State) {
		return human.Number(n.Totals.Going()) + " " + m.going(human.Verb(n.Totals.Going(), "stops", "stop"), dueAt(n)), Waits
	}
	switch {
	case n.Outcome != "":
		return "not stopped", Goes // its page says why
	case n.State == overview.StateKept && n.Next.EndsWith != "":
		return "ends with container", Aside
	}
	if m.isPinned(n) && n.State != overview.StateReaping {
		return "pinned", Lives
	}
	switch n.State {
	case overview.StateReaping:
		return "stopping" + m.ellipsis(), Goes
	case overview.StateDue:
		return m.going("stops", time.Time{}), Goes
	case overview.StatePending:
		return m.pending(n), Waits
	case overview.StatePinned:
		return "pinned", Lives
	case overview.StateReported:
		return string(n.Finding), Waits
	case overview.StateIdle:
		return idleText(n, m.tree.At), Aside
	case overview.StateKept:
	}
	return m.kept(r)
}

func isGoing(s overview.State) bool {
	return s == overview.StatePending || s == overview.StateDue || s == overview.StateReaping
}

// going says that something stops, and when; without a time it is now. Where nobody
// acts it is what would happen.
func (m Model) going(stops string, due time.Time) string {
	when := ""
	if !due.IsZero() {
		when = " in " + m.countdown(due)
	}
	switch {
	case !m.acting():
		return "would stop" + when
	case when == "":
		return stops + " now"
	}
	return stops + when
}

// acting reports whether a daemon acts on what is shown.
func (m Model) acting() bool { return m.from == Daemon && m.tree.Acts() }

func (m Model) pending(n *overview.Node) string {
	switch {
	case n.Next.Beyond > 0:
		return "waits for a sweep"
	case n.Next.DueAt.IsZero():
		return "waits for a look"
	}
	return m.going("stops", m.ahead(n.Next.DueAt))
}

// ahead is a time that has not come yet; zero where it has.
func (m Model) ahead(at time.Time) time.Time {
	if at.After(m.now) {
		return at
	}
	return time.Time{}
}

func idleText(n *overview.Node, at time.Time) string {
	text := "idle"
	if !n.IdleSince.IsZero() {
		text += " " + human.Span(at.Sub(n.IdleSince))
	}
	if n.IdleAtLeast {
		text += " or more"
	}
	return text
}

// kept is the word for what nothing is done about.
func (m Model) kept(r row) (string, Tone) {
	n := r.node
	switch n.Kind {
	case overview.KindSession, overview.KindOwner, overview.KindService:
		return "live", Lives
	case overview.KindGone:
		if n.Owner.Since.IsZero() || n.Name == "" { // since when nobody knows who is gone, nobody knows
			return "ended", Aside
		}
		return "ended " + human.Span(m.tree.At.Sub(n.Owner.Since)) + " ago", Aside
	case overview.KindProcess:
		return "", Aside
	case overview.KindServer, overview.KindGateway, overview.KindContainer:
	}
	if r.branch.Name == overview.BranchSessions || r.branch.Name == overview.BranchOthers {
		return "in use", Lives
	}
	return "kept", Plain
}

// counts is when what a row counts down to comes; zero is that it does not count.
func (m Model) counts(r row) time.Time {
	switch n := r.node; {
	case n == nil || m.isPinned(n):
		return time.Time{}
	case r.open == folded && n.Totals.Going() > 0 && !isGoing(n.State):
		return m.ahead(dueAt(n))
	case n.State == overview.StatePending && n.Next.Beyond == 0:
		return m.ahead(n.Next.DueAt)
	}
	return time.Time{}
}

// countdown is the time until a moment.
func (m Model) countdown(due time.Time) string {
	left, _ := m.left(due)
	return human.Span(left)
}

// left is the time until a moment, rounded up to the unit that it is shown in:
// seconds below an hour, else minutes.
func (m Model) left(due time.Time) (left, unit time.Duration) {
	left, unit = due.Sub(m.now), time.Second
	if left > time.Hour {
		unit = time.Minute
	}
	return (left + unit - 1).Truncate(unit), unit
}

// changes is when a countdown shows something else.
func (m Model) changes(due time.Time) time.Time {
	if due.IsZero() {
		return due
	}
	left, unit := m.left(due)
	return due.Add(unit - left)
}
