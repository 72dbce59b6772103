package reap

import (
	"errors"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Continue lets go on what stands still of these processes, and returns which it
// did: what a reaperd that was killed in the middle of an act had stopped.
func (r *Reaper) Continue(ids []inventory.ID) ([]inventory.ID, error) {
	var continued []inventory.ID
	var problems []error
	handles := map[inventory.ID]Handle{}
	for _, id := range ids {
		h, err := r.kernel().Open(id.PID)
		if err != nil {
			if !errors.Is(err, ErrEnded) {
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
		if row := now.rows[id.PID]; !opened || row.ID != id || row.State != 'T' {
			continue
		}
		switch err := h.Signal(unix.SIGCONT); {
		case err == nil:
			continued = append(continued, id)
		case !errors.Is(err, ErrEnded):
			problems = append(problems, err)
		}
	}
	return continued, errors.Join(problems...)
}
