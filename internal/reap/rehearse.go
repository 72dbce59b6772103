package reap

import (
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
)

// errNoTable is a reaper that was given no process table.
var errNoTable = errors.New("no process table")

// Rehearse does everything up to a signal for each process, and sends signal 0, which
// asks for permission and does nothing. The errors are those of the processes that could
// not be ended.
func (r *Reaper) Rehearse(ids []inventory.ID) []error {
	handles, problems := r.open(ids)
	for _, h := range handles {
		defer h.Close()
	}
	now, err := r.look()
	if err != nil {
		return slices.Repeat([]error{err}, len(ids))
	}
	for _, id := range ids {
		if h, opened := handles[id]; opened && now.has(id) {
			if err := h.Signal(unix.Signal(0)); err != nil && !errors.Is(err, ErrExited) {
				problems = append(problems, fmt.Errorf("signal process %d: %w", id.PID, err))
			}
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
