package history

import (
	"cmp"
	"time"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/journal"
)

// Act is one act: its outcome, or its intention where no outcome was written.
type Act struct {
	journal.Entry
	// Unfinished marks an act without an outcome, or one that a later daemon has
	// closed.
	Unfinished bool `json:"unfinished,omitempty"`
	// Again marks an act whose target another act was ending at the same time, and which
	// the sums do not count: the daemon and a sweep by hand were at it together.
	Again bool `json:"again,omitempty"`

	first    time.Time // when the earliest of its entries was written
	underWay bool      // the daemon that runs may still be at it, or a sweep by hand is
}

// At is when the act ended or, if that is unknown, when it began.
func (a *Act) At() time.Time { return cmp.Or(a.BegunAt, a.Time) }

// join adds an entry of the same act. An outcome counts more than the note that the
// act was given up, and that more than an intention.
func (a Act) join(entry journal.Entry) Act {
	if a.ID == "" || entry.Time.Before(a.first) {
		a.first = entry.Time
	}
	if a.ID == "" || knowledge(entry) >= knowledge(a.Entry) {
		a.Entry, a.Unfinished = entry, knowledge(entry) < knowsOutcome
	}
	return a
}

// knowsOutcome is the highest value of an entry's knowledge of its act.
const knowsOutcome = 2

func knowledge(entry journal.Entry) int {
	switch {
	case entry.Phase == journal.PhaseIntend:
		return 0
	case entry.Result == journal.ResultUnfinished:
		return 1
	}
	return knowsOutcome
}

// outcome is the result of the act, in a word.
func (a *Act) outcome() string {
	switch {
	case a.underWay:
		return "under way"
	case a.Unfinished:
		return journal.ResultUnfinished
	case a.Again:
		return string(done.AlreadyGone)
	}
	return a.Result
}

// markTogether marks each act on a target that began before another act had ended that target.
func markTogether(acts []Act) {
	ended := ends{}
	for i := range acts {
		ended.mark(&acts[i])
	}
}

// ends are when the targets of acts ended, by boot and id.
type ends map[string]time.Time

// mark is [markTogether] for the next act.
func (e ends) mark(a *Act) {
	id := a.BootID + " " + a.TargetID
	at, before := e[id]
	switch {
	case a.Unfinished || !done.Result(a.Result).Reaped():
	case before && a.first.Before(at):
		a.Again = true
	default:
		e[id] = a.At()
	}
}

// Sums count acts and what they freed.
type Sums struct {
	Reaped      int    `json:"reaped"`
	FreedBytes  uint64 `json:"freed_bytes"`
	AlreadyGone int    `json:"already_gone"`
	LeftAlone   int    `json:"left_alone"`
	Failed      int    `json:"failed"`
	Unfinished  int    `json:"unfinished"`

	underWay int // of Unfinished
}

func (s *Sums) add(a *Act) {
	if a.Unfinished {
		s.Unfinished++
		if a.underWay {
			s.underWay++
		}
		return
	}
	switch done.Result(a.outcome()) {
	case done.Exited, done.Killed:
		s.Reaped++
		s.FreedBytes += a.FreedBytes
	case done.AlreadyGone:
		s.AlreadyGone++
	case done.Changed, done.Refused:
		s.LeftAlone++
	default:
		s.Failed++
		s.FreedBytes += a.FreedBytes
	}
}

// Day is the sums of one day, in local time.
type Day struct {
	Day string `json:"day"`
	Sums
}
