package reap

import (
	"errors"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Continue sends SIGCONT to those of ids that are stopped, thaws those whose control
// group is frozen, and returns both: the remains of a reaperd that was killed in the
// middle of an act.
func (r *Reaper) Continue(ids []inventory.ID) ([]inventory.ID, error) {
	handles, err := r.open(ids)
	for _, h := range handles {
		defer h.Close()
	}
	problems := []error{err}
	now, err := r.look() // begun after the handles were opened, so that they are who it shows
	if err != nil {
		return nil, err
	}
	var continued []inventory.ID
	for _, id := range ids {
		h, opened := handles[id]
		if !opened || !now.has(id) {
			continue
		}
		switch ran, err := letRun(h, now.rows[id.PID]); {
		case err == nil && ran:
			continued = append(continued, id)
		case err != nil && !errors.Is(err, ErrExited):
			problems = append(problems, err)
		}
	}
	return continued, errors.Join(problems...)
}

// open opens handles to those of the processes that live. The error is about others.
func (r *Reaper) open(ids []inventory.ID) (map[inventory.ID]Handle, error) {
	var problems []error
	handles := map[inventory.ID]Handle{}
	for _, id := range ids {
		switch h, err := r.kernel().Open(id.PID); {
		case err == nil:
			handles[id] = h
		case !errors.Is(err, ErrExited):
			problems = append(problems, err)
		}
	}
	return handles, errors.Join(problems...)
}

// letRun thaws and continues a process. did is false if it was neither frozen nor
// stopped.
func letRun(h Handle, row inventory.Row) (did bool, err error) {
	did, err = thawFrozen(cgroupOf(row.ID.PID))
	if err == nil && row.State == 'T' {
		did, err = true, h.Signal(unix.SIGCONT)
	}
	return did, err
}
