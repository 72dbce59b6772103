package reap

import (
	"errors"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Continue sends SIGCONT to ids and to what comes from them, the remains of a reaperd that was
// killed in the middle of an act, and returns those that were stopped. It had stopped what its
// tree had started meanwhile, too. A process that waits in the kernel stops only afterwards,
// unless a SIGCONT comes before.
func (r *Reaper) Continue(ids []inventory.ID) ([]inventory.ID, error) {
	before, err := r.look()
	if err != nil {
		return nil, err
	}
	ids = before.descent(ids)
	handles, problems := r.open(ids)
	for _, h := range handles {
		defer h.Close()
	}
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
		switch err := h.Signal(unix.SIGCONT); {
		case err == nil && now.rows[id.PID].State == 'T':
			continued = append(continued, id)
		case err != nil && !errors.Is(err, ErrExited):
			problems = append(problems, err)
		}
	}
	return continued, errors.Join(problems...)
}

// open opens handles to those of the processes that live. The problems are with others.
func (r *Reaper) open(ids []inventory.ID) (handles map[inventory.ID]Handle, problems []error) {
	handles = map[inventory.ID]Handle{}
	for _, id := range ids {
		switch h, err := r.kernel().Open(id.PID); {
		case err == nil:
			handles[id] = h
		case !errors.Is(err, ErrExited):
			problems = append(problems, err)
		}
	}
	return handles, problems
}

// descent are ids, what is below them, and what is in the sessions that they lead or led: a
// process of a session that has no leader any more comes from that leader.
func (t *table) descent(ids []inventory.ID) (all []inventory.ID) {
	from := map[inventory.ID]bool{}
	for _, id := range ids {
		from[id] = true
		for _, row := range t.rows {
			_, taken := t.rows[id.PID]
			if row.SID == id.PID && row.ID.Start >= id.Start && (t.has(id) || !taken) {
				from[row.ID] = true
			}
		}
	}
	for _, row := range t.rows {
		if t.comesFrom(row, from) {
			all = append(all, row.ID)
		}
	}
	return all
}

// comesFrom reports that a process is one of these or below one.
func (t *table) comesFrom(row inventory.Row, from map[inventory.ID]bool) bool {
	for range t.rows { // the PPIDs, read one by one, may form a ring
		parent, ok := t.rows[row.PPID]
		if from[row.ID] || !ok || parent.ID.Start > row.ID.Start {
			return from[row.ID]
		}
		row = parent
	}
	return false
}
