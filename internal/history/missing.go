package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/neighbours"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
)

// Missing says why a journal that does not name something proves nothing. The zero
// value means that nothing is missing.
type Missing struct {
	Unread    bool   // lines were cut short, or files could not be read
	Unwritten uint64 // outcomes that the daemon that runs could not write yet
	// Beside are daemons of other users: each keeps a journal of its own, which was not read.
	Beside beside.Daemons
}

// MissingFrom finds what is missing from the journal of a state directory. unread
// says that parts of it could not be read. If the journal was named, those of
// other users' daemons do not count.
func MissingFrom(ctx context.Context, dir state.Dir, named, unread bool) Missing {
	return missingFrom(ctx, asked(ctx, dir), named, unread)
}

// missingFrom is [MissingFrom] with what the daemon has answered.
func missingFrom(ctx context.Context, is *serve.State, named, unread bool) Missing {
	missing := Missing{Unread: unread, Unwritten: is.JournalUnwritten}
	if !named {
		missing.Beside = neighbours.Daemons(ctx)
	}
	return missing
}

// AskDaemon completes a history by what the daemon of a state directory knows: which acts
// it is at, and what it could not write. named says that the journal was named, and sweeps that the sweep
// by hand which wrote an intention still runs.
func (h *History) AskDaemon(ctx context.Context, dir state.Dir, named bool, now time.Time, sweeps func(*journal.Entry) bool) {
	is := asked(ctx, dir)
	h.asOf = now
	h.Missing = missingFrom(ctx, is, named, !h.Whole())
	h.markByHand(sweeps)
	if daemon, runs, err := dir.Daemon(); runs && err == nil {
		h.markUnderWay(daemon, is.UnderWay, now)
	}
}

// askWait is how long the daemon may take to answer.
const askWait = 2 * time.Second

// asked is the answer of the running daemon; empty if none runs, or it does not answer.
func asked(ctx context.Context, dir state.Dir) *serve.State {
	ctx, cancel := context.WithTimeout(ctx, askWait)
	defer cancel()
	is, err := serve.Ask(ctx, dir.Socket())
	if err != nil {
		return &serve.State{}
	}
	return is
}

// None reports that nothing is missing: reaperd has not touched what the journal does
// not name.
func (m Missing) None() bool { return !m.Unread && m.Unwritten == 0 && len(m.Beside) == 0 }

// Untouched chooses the answer for a subject that no entry names: denial if the
// journal is complete, else silence, which only says that the journal does not name
// it.
func (m Missing) Untouched(denial, silence string) string {
	text := denial
	if len(m.Beside) > 0 || m.Unwritten > 0 {
		text = silence
	}
	if m.Unread {
		text += ", as far as its journal can be read"
	}
	if m.Unwritten > 0 {
		text += "; " + m.unwrittenText()
	}
	return text
}

// untouchedHere is Untouched for what one journal does not name: a sweep may have used another.
func (m Missing) untouchedHere(denial, silence string) string {
	text := m.Untouched(denial, silence)
	if m.None() {
		text += ", as far as its journal tells"
	}
	return text
}

func (m Missing) unwrittenText() string {
	return fmt.Sprintf("the daemon could not write %s to its journal", human.Count(int(m.Unwritten), "outcome"))
}

// ElsewhereNotes name the command that asks each journal that was not read.
func (m Missing) ElsewhereNotes(command string) []string {
	return m.Beside.Notes(beside.OwnJournal, command)
}

// Nothing says that no act was found, and in which journal: there may be others.
func (h *History) Nothing() string {
	q := h.Query
	text := "No act"
	switch {
	case q.PID > 0:
		text += fmt.Sprintf(" on process %d", q.PID)
	case q.Name != "":
		text += " on anything named " + q.Name
	}
	if q.Rule != "" {
		text += " by rule " + q.Rule
	}
	text += q.period() + h.where()
	if h.Missing.Unwritten > 0 {
		text += "; " + h.Missing.unwrittenText()
	}
	return text + "."
}

// where is the journal in which no act was found, behind the act.
func (h *History) where() string {
	_, err := os.Stat(h.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return " is known: there is no journal at " + h.Path
	case h.Missing.Unread:
		return " is in what can be read of the journal " + h.Path
	}
	return " is in the journal " + h.Path
}

// period is the queried time, in the form that follows a verb.
func (q Query) period() string {
	from, to := human.Moment(q.From.Local()), human.Moment(q.To.Local())
	switch {
	case !q.Around.IsZero():
		return " within a minute of " + human.Moment(q.Around.Local())
	case !q.From.IsZero() && !q.To.IsZero():
		return " from " + from + " to " + to
	case !q.From.IsZero():
		return " since " + from
	case !q.To.IsZero():
		return " before " + to
	}
	return ""
}

// Remarks are warnings about an answer, one line each.
func (h *History) Remarks() []string {
	var remarks []string
	for _, problem := range h.Problems {
		for line := range strings.SplitSeq(problem.Error(), "\n") {
			remarks = append(remarks, "warning: "+line)
		}
	}
	if h.Torn > 0 {
		remarks = append(remarks, TornText(h.Path, h.Torn))
	}
	if h.Missing.Unwritten > 0 && len(h.Acts) > 0 {
		remarks = append(remarks, "warning: "+h.Missing.unwrittenText()+": what came of those acts is missing here")
	}
	return slices.Concat(remarks, h.waitingRemarks(), h.unfinishedRemarks())
}

// waitingRemarks name the acts of the daemon that wait for another: the journal has nothing of them yet.
func (h *History) waitingRemarks() []string {
	n := len(h.waiting)
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("note: %s for the end of %s: %s", human.Count(n, "more act")+" "+human.Verb(n, "waits", "wait"), human.Verb(n, "another", "others"), human.List(h.waiting))}
}

// unfinishedRemarks tell of acts without an outcome. Those that the daemon is at say that
// themselves. An act of a short time ago may be that of a sweep by hand that goes on, where an older reaperd did not
// write which. What a later act has ended needs no remark.
func (h *History) unfinishedRemarks() []string {
	n, recent := 0, false
	for i := range h.Acts {
		if a := &h.Acts[i]; a.Unfinished && !a.underWay && !h.endedLater(a) {
			n, recent = n+1, recent || !h.asOf.IsZero() && a.Reaper == "" && a.isRecent(h.asOf)
		}
	}
	if n == 0 {
		return nil
	}
	why := "reaperd was ended in between"
	if recent {
		why += ", or a sweep by hand is at it"
	}
	return []string{fmt.Sprintf("note: %s begun and not finished: %s", human.Count(n, "act"), why)}
}

// endedLater reports an act whose target a later one has ended.
func (h *History) endedLater(a *Act) bool {
	return slices.ContainsFunc(h.Acts, func(later Act) bool {
		isSame := later.TargetID == a.TargetID && later.BootID == a.BootID
		return isSame && !later.Unfinished && done.Result(later.Result).Reaped() && later.At().After(a.At())
	})
}

// TornText warns of lines that are incomplete.
func TornText(path string, lines int) string {
	verb := "were"
	if lines == 1 {
		verb = "was"
	}
	return fmt.Sprintf("warning: journal %s: %s %s cut short and left out", path, human.Count(lines, "line"), verb)
}
