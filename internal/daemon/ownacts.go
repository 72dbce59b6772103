package daemon

import (
	"sync"

	"github.com/reaperd/reaperd/internal/journal"
)

// ownActs are the acts of this daemon whose outcomes are not read from the journal yet.
// Sweeps publish them; the journal must not bring them again. It is safe for concurrent
// use.
type ownActs struct {
	mu  sync.Mutex
	ids map[string]bool
}

func (a *ownActs) begins(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ids == nil {
		a.ids = map[string]bool{}
	}
	a.ids[id] = true
}

// has reports whether an act is this daemon's and goes on.
func (a *ownActs) has(id string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.ids[id]
}

// ends reports whether an act is this daemon's, and forgets it.
func (a *ownActs) ends(id string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	own := a.ids[id]
	delete(a.ids, id)
	return own
}

// recorder is the journal of the daemon's own acts.
type recorder struct {
	*journal.Journal
	own *ownActs
}

// Intend records what the daemon is about to do.
func (r recorder) Intend(entry journal.Entry) error {
	r.own.begins(entry.ID)
	err := r.Journal.Intend(entry)
	if err != nil {
		r.own.ends(entry.ID)
	}
	return err
}

// Done records what came of an act. A runner that exits with its container has an outcome
// without an intention: nothing was to be done to it.
func (r recorder) Done(entry journal.Entry) error {
	r.own.begins(entry.ID)
	err := r.Journal.Done(entry)
	if err != nil {
		r.own.ends(entry.ID)
	}
	return err
}
