package top

import (
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

// state describes the state of a row in a few words. A folded row describes what is below
// it.
func (m Model) state(r row) (string, Tone) {
	n := r.node
	if r.sumsUp() {
		alone := []overview.Branch{{Nodes: []overview.Node{*n}}}
		if reaping(alone[0].Nodes) > 0 {
			return m.firstOf(alone, n.Totals.Going(), n.Totals.Going()), overview.ToneGoes
		}
		if now, next := m.dueNow(alone); now > 0 && now < n.Totals.Going() && !next.IsZero() {
			return human.Number(now) + " now, " + m.laterText(alone, n.Totals.Going()-now, next), overview.ToneWaits
		}
		if m.isFirst(alone, dueAt(n)) {
			return "first of " + human.Number(n.Totals.Going()) + " in " + m.countdown(dueAt(n)), overview.ToneWaits
		}
		return human.Number(n.Totals.Going()) + " " + m.fate(n.Totals.Going(), onlyRemoved(alone, time.Time{}), dueAt(n)), overview.ToneWaits
	}
	if m.isPinned(n) && n.Outcome == "" && n.State != overview.StateReaping { // pinned by a key since the look
		return "pinned", overview.ToneLives
	}
	if r.place.Pinned && n.State != overview.StateReaping && n.Kind != overview.KindProcess { // its session, by a key since the look
		return overview.PinnedWithSession, overview.ToneLives
	}
	words := m.teller().Words(n, r.place)
	if n.State == overview.StateReported && n.Outcome == "" { // else nothing tells that it stays
		words.Text += words.More
	}
	if !words.Due.IsZero() {
		words.Text += " in " + m.countdown(words.Due)
	}
	if !words.Since.IsZero() {
		words.Text += " " + human.Span(m.age(words.Since)) + " ago"
	}
	return words.Text, words.Tone
}

// sumsUp reports a folded row whose state is that of what is going below it.
func (r row) sumsUp() bool {
	n := r.node
	return r.open == folded && n.Totals.Going() > 0 && !n.State.IsGoing()
}

func (m Model) teller() overview.Teller {
	return overview.Teller{IdleUntil: m.second(), Now: m.now, Acts: m.acting()}
}

// fate says that n things that are going stop, or are removed, or would if nobody acts, and
// when. A due of zero means now.
func (m Model) fate(n int, removed bool, due time.Time) string {
	text := m.verb(n, removed)
	if due.IsZero() {
		return text + " now"
	}
	return text + " in " + m.countdown(due)
}

// isFirst reports whether something below branches is due after a moment to come.
func (m Model) isFirst(branches []overview.Branch, first time.Time) bool {
	if m.ahead(first).IsZero() {
		return false
	}
	later := false
	tree := overview.Tree{Branches: branches}
	tree.Walk(func(n *overview.Node, _ int) bool {
		later = later || n.State == overview.StatePending && n.Next.DueAt.Sub(first) >= time.Second
		return !later
	})
	return later
}

func (m Model) verb(n int, removed bool) string {
	switch {
	case m.acting() && removed:
		return human.Are(n) + " removed"
	case m.acting():
		return human.Verb(n, "stops", "stop")
	case removed:
		return "would be removed"
	}
	return "would stop"
}

// onlyRemoved reports whether all that is going below branches, or all of it that is due by a moment, is
// a container that is removed.
func onlyRemoved(branches []overview.Branch, by time.Time) bool {
	only := true
	tree := overview.Tree{Branches: branches}
	tree.Walk(func(n *overview.Node, _ int) bool {
		isMeant := (n.State.IsGoing() || n.Next.EndsWith != "") && (by.IsZero() || !n.Next.DueAt.After(by))
		only = only && (!isMeant || n.Next.Action == policy.ActionRemove)
		return only
	})
	return only
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
	case r.sumsUp():
		return m.ahead(dueAt(n))
	case n.State == overview.StateIdle, n.State == overview.StateKept:
		return m.ahead(n.Next.AheadAt)
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
// ten minutes, else minutes.
func (m Model) left(due time.Time) (left, unit time.Duration) {
	left, unit = due.Sub(m.now), time.Second
	if left > 10*time.Minute {
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
