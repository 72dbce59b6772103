package daemon

import (
	"context"
	"os"
	"os/user"
	"slices"
	"strconv"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/state"
)

// Past is a journal as one user may read it.
type Past struct {
	file    string
	reader  account.Reader
	torn    int
	problem error // why a part of it could not be read
}

// PastIn is a journal, with all that this user can read of it.
func PastIn(file string) *Past { return &Past{file: file, reader: account.Reader{UID: os.Geteuid()}} }

func (a asker) past() *Past { return &Past{file: a.journal, reader: a.reader} }

// History implements [account.Asker].
func (a asker) History(ctx context.Context, query account.Period) (*account.History, error) {
	h, err := a.past().History(ctx, query)
	if err != nil {
		return nil, err
	}
	if a.lost != nil && a.past().seesAll() {
		h.Unwritten = a.lost()
		h.Complete = h.Complete && h.Unwritten == 0
	}
	if newest, _ := a.newest(); len(h.Lines) == 0 && query.Rule != "" && newest != nil && newest.policy != nil {
		return h, known(newest.policy, []string{query.Rule})
	}
	return h, nil
}

// Record implements [account.Asker].
func (a asker) Record(ctx context.Context, since time.Time, tell func(journal.Entry)) error {
	return a.past().Record(ctx, since, tell)
}

// History is what the journal tells of a period.
func (p *Past) History(_ context.Context, query account.Period) (*account.History, error) {
	entries := p.entries(journal.Filter{Since: query.Since})
	h := account.HistoryOf(entries, query, p.home())
	h.Complete = p.problem == nil
	if p.problem != nil {
		h.Unread = "a part of the journal could not be read"
	}
	if p.seesAll() {
		h.Journal, h.TornLines, h.Complete = journal.File(p.file), p.torn, p.isWhole()
	}
	if p.seesAll() && p.problem != nil {
		h.Unread = p.problem.Error()
	}
	return h, nil
}

// Record calls tell with each entry since a moment, and then with new ones, until ctx ends.
func (p *Past) Record(ctx context.Context, since time.Time, tell func(journal.Entry)) error {
	for entry, err := range (&journal.History{Path: p.file}).Follow(ctx, journal.Filter{Since: since, Choose: p.mayRead}) {
		if err != nil {
			return human.Failed("", "%w", err)
		}
		tell(entry)
	}
	return nil
}

// entries are those that the reader may see, the newest first.
func (p *Past) entries(filter journal.Filter) (entries []journal.Entry) {
	chosen, source := filter.Choose, journal.History{Path: p.file}
	filter.Choose = func(e *journal.Entry) bool { return p.mayRead(e) && (chosen == nil || chosen(e)) }
	for entry, err := range source.Read(filter) {
		if err != nil {
			p.problem = err
			continue
		}
		entries = append(entries, entry)
	}
	p.torn = source.Torn()
	slices.Reverse(entries)
	return entries
}

func (p *Past) isWhole() bool { return p.problem == nil && p.torn == 0 }

// mayRead reports an entry about what was the reader's.
func (p *Past) mayRead(e *journal.Entry) bool {
	of := inventory.Fact[int]{}
	if e.UID != nil {
		of = inventory.Known(*e.UID)
	}
	return p.seesAll() || p.reader.Sees(of, "")
}

// seesAll reports root, and a user whose own decider this is: that sees, and keeps, nothing of
// anybody else's.
func (p *Past) seesAll() bool { return p.reader.UID == 0 || p.reader.UID == os.Geteuid() }

// home is the home of the reader, for short paths.
func (p *Past) home() human.Home {
	if p.reader.UID == os.Geteuid() {
		return state.Home()
	}
	if known, err := user.LookupId(strconv.Itoa(p.reader.UID)); err == nil {
		return human.Home(known.HomeDir)
	}
	return ""
}
