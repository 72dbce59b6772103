package reap

import (
	"slices"
	"sync"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Shared is what plans that run at the same time have in common: the places, the
// readings of the process table, and which act works on which process. The zero value
// is ready for use.
type Shared struct {
	tables  tables
	begun   places // one for each tree that is open, also while it waits
	working places // one for each target that is worked on

	mu   sync.Mutex
	held map[inventory.ID]*Act
}

// Holds reports that an act works on the process: it is a planned member of its tree,
// or was found since. That lasts until [Shared.Forget].
func (s *Shared) Holds(id inventory.ID) bool { return s.holder(id) != nil }

func (s *Shared) holder(id inventory.ID) *Act {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held[id]
}

// Forget drops the processes of these acts. A caller that looks at the host meanwhile
// calls it after it has the acts' outcomes and before its next look: a look that was
// begun earlier may still show what they ended.
func (s *Shared) Forget(actionIDs []string) {
	if len(actionIDs) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, holder := range s.held {
		if slices.Contains(actionIDs, holder.ID) {
			delete(s.held, id)
		}
	}
}

// hold gives the trees of a plan to their acts. busy are the acts whose trees overlap
// with those of another plan's act.
func (s *Shared) hold(acts []Act) (busy map[*Act]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	busy = map[*Act]bool{}
	for i := range acts {
		busy[&acts[i]] = slices.ContainsFunc(acts[i].tree(), func(id inventory.ID) bool { return s.held[id] != nil })
	}
	if s.held == nil {
		s.held = map[inventory.ID]*Act{}
	}
	for i := range acts {
		for _, id := range acts[i].tree() {
			if act := &acts[i]; !busy[act] && !id.IsZero() {
				s.held[id] = act
			}
		}
	}
	return busy
}

// adopt gives an unplanned process to an act, and reports whether that act has it.
// The first act that asks gets it.
func (s *Shared) adopt(id inventory.ID, act *Act) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held[id] == nil {
		s.held[id] = act
	}
	return s.held[id] == act
}
