package history

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
)

// Missing is why a journal that does not name something proves nothing. The zero
// value is that nothing is missing.
type Missing struct {
	Unread    bool   // lines were cut short, or files could not be read
	Foreign   bool   // the system daemon keeps a journal of its own, which was not read
	Unwritten uint64 // entries that the daemon that runs could not write
}

// MissingFrom is what is missing from the journal of a state directory beside what
// could not be read. Of a journal that was named, the system daemon's is no part.
func MissingFrom(ctx context.Context, dir state.Dir, named, unread bool) Missing {
	_, foreign := state.ForeignDaemon()
	return Missing{Unread: unread, Foreign: foreign && !named, Unwritten: unwritten(ctx, dir)}
}

// askWait is how long the daemon may take to say what it could not write.
const askWait = 2 * time.Second

// unwritten is how many entries the daemon could not write since it runs; 0 where
// none runs, or it does not answer.
func unwritten(ctx context.Context, dir state.Dir) uint64 {
	ctx, cancel := context.WithTimeout(ctx, askWait)
	defer cancel()
	daemon, err := serve.Ask(ctx, dir.Socket())
	if err != nil {
		return 0
	}
	return daemon.JournalWriteErrors
}

// None reports that nothing is missing: what the journal does not name was not
// touched.
func (m Missing) None() bool { return m == Missing{} }

// Untouched is what can be said of what no entry names: the denial, or, where
// reaperd may have touched it all the same, only that the journal is silent.
func (m Missing) Untouched(denial, silence string) string {
	text := denial
	if m.Foreign || m.Unwritten > 0 {
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

func (m Missing) unwrittenText() string {
	return fmt.Sprintf("the daemon could not write %s to its journal", human.Count(int(m.Unwritten), "entry"))
}

// Nothing says that nothing was done, as far as that is known.
func (h *History) Nothing() string {
	q := h.Query
	what := "anything"
	switch {
	case q.PID > 0:
		what = fmt.Sprintf("process %d", q.PID)
	case q.Name != "":
		what = "anything named " + q.Name
	}
	if q.Rule != "" {
		what += " by rule " + q.Rule
	}
	denial, silence := "reaperd never touched "+what, "the journal tells of nothing done to "+what
	if period := q.period(); period != "" {
		denial, silence = "reaperd did not touch "+what+period, silence+period
	}
	if _, err := os.Stat(h.Path); err != nil {
		where := ": there is no journal at " + h.Path
		denial, silence = denial+where, silence+where
	}
	return h.Missing.Untouched(denial, silence) + "."
}

// period is the time asked for, as it goes behind a verb.
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

// Remarks are what else there is to say about an answer, one line each.
func (h *History) Remarks() []string {
	var remarks []string
	for _, problem := range h.Problems {
		remarks = append(remarks, fmt.Sprintf("warning: %v", problem))
	}
	if h.Torn > 0 {
		remarks = append(remarks, TornText(h.Path, h.Torn))
	}
	if h.Missing.Unwritten > 0 && len(h.Acts) > 0 {
		remarks = append(remarks, "warning: "+h.Missing.unwrittenText()+": acts may be missing here")
	}
	if n := h.Sums().Unfinished; n > 0 {
		remarks = append(remarks, fmt.Sprintf("note: %s begun and not finished: reaperd was ended in between, or is at it", human.Count(n, "act")))
	}
	return remarks
}

// TornText warns of lines that were cut short.
func TornText(path string, lines int) string {
	verb := "were"
	if lines == 1 {
		verb = "was"
	}
	return fmt.Sprintf("warning: journal %s: %s %s cut short and left out", path, human.Count(lines, "line"), verb)
}
