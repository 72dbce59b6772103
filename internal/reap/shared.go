package reap

import (
	"slices"
	"sync"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Shared is what plans share that are carried out at the same time: the places,
// the readings of the process table, and which act has which process. The zero
// value is ready for use.
type Shared struct {
	tables  tables
	begun   places // one for each tree that is open, also while it waits
	working places // one for each target that is worked on

	mu   sync.Mutex
	held map[inventory.ID]*Action
}

// Holds reports whether an act has the process: a planned member of its tree, or one
// that it found since. It has it until [Shared.Forget].
func (s *Shared) Holds(id inventory.ID) bool { return s.holder(id) != nil }

func (s *Shared) holder(id inventory.ID) *Action {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held[id]
}

// Forget lets go of what these acts have, by their ids. Whoever looks at the host
// beside them calls it when he has their outcomes and before he looks anew: what they
// ended may still stand in a look that was begun before.
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

// hold gives the trees of a plan to their acts, and returns the acts that cannot have
// theirs, because another plan's act has some of it.
func (s *Shared) hold(actions []Action) (busy map[*Action]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	busy = map[*Action]bool{}
	for i := range actions {
		busy[&actions[i]] = slices.ContainsFunc(actions[i].tree(), func(id inventory.ID) bool { return s.held[id] != nil })
	}
	if s.held == nil {
		s.held = map[inventory.ID]*Action{}
	}
	for i := range actions {
		for _, id := range actions[i].tree() {
			if action := &actions[i]; !busy[action] && !id.IsZero() {
				s.held[id] = action
			}
		}
	}
	return busy
}

// adopt gives a process that no plan named to an act, and reports whether the act has
// it: the first that asks gets it.
func (s *Shared) adopt(id inventory.ID, action *Action) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held[id] == nil {
		s.held[id] = action
	}
	return s.held[id] == action
}
