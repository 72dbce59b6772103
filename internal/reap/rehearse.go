package reap

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
)

// errNoTable is a reaper that was given no process table.
var errNoTable = errors.New("no process table")

// Rehearse does everything up to a signal for each process, and sends signal 0, which
// asks for permission and does nothing. The errors are in the order of ids; nil means
// that the process could be ended, or has ended.
func (r *Reaper) Rehearse(ids []inventory.ID) []error {
	problems := make([]error, len(ids))
	handles := make([]Handle, len(ids))
	for i, id := range ids {
		handles[i], problems[i] = r.kernel().Open(id.PID)
		if problems[i] == nil {
			defer handles[i].Close()
		}
	}
	now, err := r.look()
	for i, id := range ids {
		switch {
		case errors.Is(problems[i], ErrExited):
			problems[i] = nil
		case problems[i] == nil && err != nil:
			problems[i] = err
		case problems[i] == nil && now.has(id):
			problems[i] = permitted(handles[i], id)
		}
	}
	return problems
}

// look reads the process table once.
func (r *Reaper) look() (*table, error) {
	if r.Processes == nil {
		return nil, errNoTable
	}
	return (&tables{source: r.Processes}).fresh()
}

// permitted asks with signal 0 whether the process may be signalled.
func permitted(h Handle, id inventory.ID) error {
	if err := h.Signal(unix.Signal(0)); err != nil && !errors.Is(err, ErrExited) {
		return fmt.Errorf("signal process %d: %w", id.PID, err)
	}
	return nil
}
