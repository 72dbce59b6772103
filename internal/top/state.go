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
		return human.Number(n.Totals.Going()) + " " + m.going(human.Verb(n.Totals.Going(), "stops", "stop"), dueAt(n)), overview.ToneWaits
	}
	if m.isPinned(n) && n.Outcome == "" && n.State != overview.StateReaping { // by a key, since the look
		return "pinned", overview.ToneLives
	}
	words := m.teller().Words(n, overview.Place{Branch: r.branch.Name, Idle: r.idle})
	if !words.Due.IsZero() {
		words.Text += " in " + m.countdown(words.Due)
	}
	return words.Text, words.Tone
}

func (m Model) teller() overview.Teller {
	return overview.Teller{Looked: m.tree.At, Now: m.now, Acts: m.acting()}
}

func isGoing(s overview.State) bool {
	return s == overview.StatePending || s == overview.StateDue || s == overview.StateReaping
}

// going says that several things stop, and when; without a time it is now. Where
// nobody acts it is what would happen.
func (m Model) going(stops string, due time.Time) string {
	if !m.acting() {
		stops = "would stop"
	}
	if due.IsZero() {
		return stops + " now"
	}
	return stops + " in " + m.countdown(due)
}

// acting reports whether a daemon acts on what is shown.
func (m Model) acting() bool { return m.from == Daemon && m.tree.Acts() }

// ahead is a time that has not come yet; zero where it has.
func (m Model) ahead(at time.Time) time.Time { return m.teller().Ahead(at) }

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
