package history

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/word"
)

// Query selects acts. The zero value selects all.
type Query struct {
	// From and To bound the time that is shown of an act, To excluded; zero is no bound.
	From, To time.Time
	// Around tells that From and To are a minute before and after a moment. An act is within
	// that minute if it began or ended in it.
	Around time.Time
	PID    int    // that had this process in its tree
	Name   string // a glob for the name of the target or of its container, or an id
	Rule   string
	// Newest is how many of the acts are told singly, the last ones; 0 is all. The sums are of all.
	Newest int
}

// aroundMinute selects the acts within a minute of a moment.
func (q Query) aroundMinute(at time.Time) Query {
	q.Around, q.From, q.To = at, at.Add(-time.Minute), at.Add(time.Minute)
	return q
}

// filter is the query in the journal's form. Whether an act is too late shows only
// after all its entries were read.
func (q Query) filter() journal.Filter {
	return journal.Filter{Since: q.From, Choose: q.chooses}
}

func (q Query) chooses(entry *journal.Entry) bool {
	thing := ThingOf(entry)
	return (q.Rule == "" || q.Rule == entry.Rule) &&
		(q.PID == 0 || thing.Is(strconv.Itoa(q.PID))) &&
		(q.Name == "" || thing.IsMeant(q.Name))
}

// ThingOf is what an entry is about, as a word of the command line means it.
func ThingOf(entry *journal.Entry) word.Thing {
	thing := word.Thing{ID: entry.TargetID, Name: entry.Name}
	if c := entry.Container; c != nil {
		thing.Container = strings.TrimPrefix(c.Name, "/")
		if c.PID > 0 {
			thing.Members = append(thing.Members, fmt.Sprintf("%d:", c.PID)) // its start was not recorded
		}
	}
	thing.Members = append(thing.Members, entry.Parts()...)
	return thing
}

// History is the acts of a query.
type History struct {
	Query    Query
	Path     string  // the journal's file
	Acts     []Act   // the oldest first
	Torn     int     // lines that were cut short
	Problems []error // files that could not be read
	Missing  Missing

	asOf    time.Time // when the daemon was asked; zero if it was not
	waiting []string  // what the daemon is to end after something else, and has not begun to
}

// Read reads the acts of a query from a journal.
func Read(path string, q Query) *History {
	source := journal.History{Path: path}
	h := &History{Query: q, Path: journal.File(path)}
	acts := map[string]Act{}
	for entry, err := range source.Read(q.filter()) {
		if err != nil {
			h.Problems = append(h.Problems, err)
			continue
		}
		acts[entry.ID] = acts[entry.ID].join(entry)
	}
	for _, a := range acts {
		if q.To.IsZero() || a.At().Before(q.To) || !q.Around.IsZero() && a.first.Before(q.To) {
			h.Acts = append(h.Acts, a)
		}
	}
	slices.SortFunc(h.Acts, func(a, b Act) int {
		return cmp.Or(a.At().Compare(b.At()), cmp.Compare(a.ID, b.ID))
	})
	markTogether(h.Acts)
	h.Torn = source.Torn()
	return h
}

// newest is the history with those acts alone that are told singly.
func (h *History) newest() *History {
	newest := *h
	if n := h.Query.Newest; n > 0 && n < len(h.Acts) {
		newest.Acts = h.Acts[len(h.Acts)-n:]
	}
	return &newest
}

// Names are the names of all that a journal tells of, each once. A file that cannot be read is
// left out.
func Names(path string) []string {
	return named(path, func(entry *journal.Entry) string { return entry.Name })
}

// Rules are the names of all rules by which a journal tells of acts, each once. A file that cannot be
// read is left out.
func Rules(path string) []string {
	return named(path, func(entry *journal.Entry) string { return entry.Rule })
}

// named are the names that the entries of a journal have, each once.
func named(path string, of func(*journal.Entry) string) (names []string) {
	for entry, err := range (&journal.History{Path: path}).Read(journal.Filter{}) {
		if name := of(&entry); err == nil && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Whole reports that everything that was written could be read.
func (h *History) Whole() bool { return len(h.Problems) == 0 && h.Torn == 0 }

// stillAt is how long an act without an outcome may still be running, but for one with a
// long grace.
const stillAt = 2 * time.Minute

// markUnderWay marks the acts that a daemon is carrying out: those that it says, and those
// that were begun a short time ago, which it may not have said yet.
func (h *History) markUnderWay(daemon state.Daemon, said []serve.Begun, now time.Time) {
	for i := range h.Acts {
		a := &h.Acts[i]
		isSaid := slices.ContainsFunc(said, func(b serve.Begun) bool { return b.Target == a.TargetID })
		isItsOwn := a.Reaper == "" && daemon.MayHaveBegun(a.Time) && (isSaid || a.isRecent(now))
		a.underWay = a.underWay || a.Phase == journal.PhaseIntend && isItsOwn
	}
	if q := h.Query; !q.To.IsZero() || !q.From.IsZero() && now.Sub(q.From) < stillAt { // their intentions may be left out
		return
	}
	for _, begun := range said {
		entry := journal.Entry{TargetID: begun.Target, Name: begun.Name, Rule: begun.Rule}
		isWritten := slices.ContainsFunc(h.Acts, func(a Act) bool { return a.underWay && a.TargetID == begun.Target })
		if !isWritten && !begun.Imminent && h.Query.chooses(&entry) {
			h.waiting = append(h.waiting, human.Safe(begun.Name+" "+cmp.Or(begun.Handle, human.Handle(begun.Target))))
		}
	}
}

// markByHand marks the acts of sweeps by hand that still run.
func (h *History) markByHand(sweeps func(*journal.Entry) bool) {
	for i := range h.Acts {
		a := &h.Acts[i]
		a.underWay = a.Phase == journal.PhaseIntend && a.Reaper != "" && sweeps(&a.Entry)
	}
}

// isRecent reports that an act without an outcome may still be running, as far as its time
// tells.
func (a *Act) isRecent(now time.Time) bool { return now.Sub(a.Time) < stillAt }

// Sums count all acts.
func (h *History) Sums() Sums {
	var all Sums
	for i := range h.Acts {
		all.add(&h.Acts[i])
	}
	return all
}

// Days sum up each day on which something was done.
func (h *History) Days() []Day {
	days := []Day{}
	for i := range h.Acts {
		day := h.Acts[i].At().Local().Format(time.DateOnly)
		if len(days) == 0 || days[len(days)-1].Day != day {
			days = append(days, Day{Day: day})
		}
		days[len(days)-1].add(&h.Acts[i])
	}
	return days
}

// document is a history as JSON.
type document struct {
	Version  int    `json:"version"`
	Journal  string `json:"journal"`
	Complete bool   `json:"complete"`
	// TornLines were cut short; Unwritten outcomes could not be written yet by the
	// daemon that runs.
	TornLines int    `json:"torn_lines"`
	Unwritten uint64 `json:"unwritten"`
	Summary   Sums   `json:"summary"`
	Days      []Day  `json:"days"`
	// Entries are left out where sums of days are asked for. OlderEntries counts those that
	// are left out because only the newest are asked for; the sums count them.
	Entries      *[]Act `json:"entries,omitempty"`
	OlderEntries int    `json:"older_entries,omitempty"`
}

// version is that of the document, and of each line of a stream.
const version = 1

// JSON is the history as one JSON object; with onlyDays without the single acts.
func (h *History) JSON(onlyDays bool) ([]byte, error) {
	d := document{
		Version: version, Journal: h.Path, Complete: h.Whole() && h.Missing.Unwritten == 0,
		TornLines: h.Torn, Unwritten: h.Missing.Unwritten, Summary: h.Sums(), Days: h.Days(),
	}
	if !onlyDays {
		newest := h.newest()
		entries := append([]Act{}, newest.Acts...)
		d.Entries, d.OlderEntries = &entries, len(h.Acts)-len(entries)
	}
	return json.Marshal(d)
}
