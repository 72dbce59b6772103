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
	var continued []inventory.ID
	var problems []error
	handles := map[inventory.ID]Handle{}
	for _, id := range ids {
		h, err := r.kernel().Open(id.PID)
		if err != nil {
			if !errors.Is(err, ErrExited) {
				problems = append(problems, err)
			}
			continue
		}
		defer h.Close()
		handles[id] = h
	}
	now, err := r.look() // begun after the handles were opened, so that they are who it shows
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		h, opened := handles[id]
		row := now.rows[id.PID]
		if !opened || row.ID != id {
			continue
		}
		thawed, err := thawFrozen(cgroupOf(id.PID))
		if err == nil && row.State == 'T' {
			thawed, err = true, h.Signal(unix.SIGCONT)
		}
		switch {
		case err == nil && thawed:
			continued = append(continued, id)
		case err != nil && !errors.Is(err, ErrExited):
			problems = append(problems, err)
		}
	}
	return continued, errors.Join(problems...)
}
