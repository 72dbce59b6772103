package top

import (
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/overview"
)

// state describes the state of a row in a few words. A folded row describes what is below
// it.
func (m Model) state(r row) (string, Tone) {
	n := r.node
	if r.open == folded && n.Totals.Going() > 0 && !isGoing(n.State) {
		return human.Number(n.Totals.Going()) + " " + m.going(human.Verb(n.Totals.Going(), "stops", "stop"), dueAt(n)), overview.ToneWaits
	}
	if m.isPinned(n) && n.Outcome == "" && n.State != overview.StateReaping { // pinned by a key since the look
		return "pinned", overview.ToneLives
	}
	if r.place.Pinned && n.State != overview.StateReaping && n.Kind != overview.KindProcess { // its session, by a key since the look
		return "pinned with session", overview.ToneLives
	}
	words := m.teller().Words(n, r.place)
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

// going says that things stop, or would stop if nobody acts, and when. A due of zero
// means now.
func (m Model) going(stops string, due time.Time) string {
	if !m.acting() {
		stops = "would stop"
	}
	if due.IsZero() {
		return stops + " now"
	}
	return stops + " in " + m.countdown(due)
}

// acting reports whether a daemon acts on the tree.
func (m Model) acting() bool { return m.from == Daemon && m.tree.Acts() }

// ahead returns at if it is in the future, else zero.
func (m Model) ahead(at time.Time) time.Time { return m.teller().Ahead(at) }

// counts returns the end of a row's countdown; zero if the row has none.
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

// countdown returns the time until due, as text.
func (m Model) countdown(due time.Time) string {
	left, _ := m.left(due)
	return human.Span(left)
}

// left returns the time until due, rounded up to the unit of the countdown: seconds below
// an hour, else minutes.
func (m Model) left(due time.Time) (left, unit time.Duration) {
	left, unit = due.Sub(m.now), time.Second
	if left > time.Hour {
		unit = time.Minute
	}
	return (left + unit - 1).Truncate(unit), unit
}

// changes returns when the text of a countdown changes next.
func (m Model) changes(due time.Time) time.Time {
	if due.IsZero() {
		return due
	}
	left, unit := m.left(due)
	return due.Add(unit - left)
}
