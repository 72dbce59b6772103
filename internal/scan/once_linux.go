package scan

import (
	"context"
	"fmt"
	"slices"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Process reads one process fresh and whole, as a candidate is read at a look.
// Its service is the one the last look found. It returns [ErrGone] when that
// identity no longer exists.
func (s *Scanner) Process(id inventory.ID) (inventory.Process, error) {
	process, settled, err := s.processWithin(id, []entry{{number: id.PID}})
	if err != nil || settled {
		return process, err
	}
	// Holders and connections are known only among all processes.
	entries, err := newReader(s.root).numbers(s.root, ".")
	if err != nil {
		return inventory.Process{}, fmt.Errorf("read %s: %w", proc, err)
	}
	process, _, err = s.processWithin(id, entries)
	return process, err
}

// List adds to the last look some of the processes that it left out, with their
// ancestors, as they are now.
func (s *Scanner) List(look *Look, pids []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, at := newReader(s.root), readClocks()
	for _, pid := range pids {
		i, found := findSlot(s.slots, pid)
		for ; found; i, found = s.parentOf(i) {
			slot := &s.slots[i]
			before, listed := slices.BinarySearchFunc(look.Processes, int(slot.pid), func(p inventory.Process, pid int) int { return p.PID - pid })
			if listed || slot.kernel || s.known(r, slot, at) != nil {
				break
			}
			process := slot.record.process
			process.User = s.users.name(process.UID.Or(-1))
			look.Processes = slices.Insert(look.Processes, before, process)
			look.Unlisted--
		}
	}
}

// serviceOf is the service whose main process this was at the last look.
func (s *Scanner) serviceOf(id inventory.ID) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i, ok := findSlot(s.slots, id.PID); ok && s.slots[i].id() == id && s.slots[i].record != nil {
		return s.slots[i].record.process.Service
	}
	return ""
}

// processWithin reads one process among those listed. settled means that knowing the
// others would change nothing.
func (s *Scanner) processWithin(id inventory.ID, entries []entry) (p inventory.Process, settled bool, err error) {
	once := &Scanner{root: s.root, stable: s.stable, scope: s.scope, workers: s.workers,
		patience: s.again, only: id.PID, users: users{}}
	once.options = Options{Candidate: func(p *inventory.Process) bool { return p.ID() == id }, Selection: selectAll(false)}
	l := once.newLook()
	l.complete = true
	defer l.close()
	if err := once.refresh(context.Background(), l, entries); err != nil {
		return p, false, fmt.Errorf("read process %d: %w", id.PID, err)
	}
	l.begin()
	i, ok := l.find(id.PID)
	if !ok || l.slot(i).id() != id {
		return p, false, fmt.Errorf("process %s: %w", id, ErrGone)
	}
	l.gather()
	l.readConnections()
	member := l.members[i]
	if member.gone {
		return p, false, fmt.Errorf("process %s: %w", id, ErrGone)
	}
	member.process.Service = s.serviceOf(id)
	listens := !member.process.Listening.IsZero() && member.process.Listening.Or(true)
	return member.asSeen(), !listens && !member.hasOpenEnd(), nil
}
