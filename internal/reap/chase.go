package reap

import (
	"context"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Kinship says how surely a stray process comes from the tree that is being reaped.
// The zero value means that it does not.
type Kinship uint8

// The kinships.
const (
	Stranger Kinship = iota
	Likely           // something points to the tree: it is reported
	Proven           // it can come from nowhere else, and nobody can speak to it: it is ended
	Unread           // it may come from the tree, and could not be read: it is asked about again for a while
)

// strays are processes outside the tree that were born while the tree could run.
type strays struct {
	proven, likely []inventory.ID
	// unread cannot be read yet: they run, or wait in the kernel. sealed cannot be read
	// either and sleep, so they stay unreadable.
	unread, sealed []inventory.ID
	// ending are about to exit: nothing in /proc tells any more whose they are. They still
	// have their children, which are adopted by others only once these are zombies.
	ending []inventory.ID
}

// patience is how long to wait until more can be told of the strays, and how long between
// two readings.
func (s *strays) patience() (limit, pause time.Duration) {
	switch {
	case len(s.unread) > 0:
		return unreadWait, unreadPause
	case len(s.ending) > 0:
		return unreadWait, endingPause
	case len(s.sealed) > 0:
		return sealedWait, unreadPause
	}
	return 0, 0
}

// chase ends processes that left the tree while it ran. Those proven to come from it
// are frozen and killed without SIGTERM, since they have left it after one. chase looks
// until two readings in a row show nothing new. It waits for processes that cannot be
// read yet, and for those that are about to exit: on a busy machine a process may take
// seconds to start or to exit. Other acts have the tree's places meanwhile.
func (t *tree) chase(ctx context.Context, before *table) error {
	if !t.asked && !t.restless {
		return nil // it has stood still since it was frozen
	}
	ctx = context.WithoutCancel(ctx) // an act that has begun is finished
	catches, since := 0, time.Now()
	for quiet := 0; quiet < 2; quiet++ {
		found, err := t.findStrays(ctx, before)
		if err != nil {
			return err
		}
		t.strays = found
		limit, pause := found.patience()
		switch {
		case len(found.proven) > 0:
			if catches++; catches > mostCatches {
				t.restless = true
				return nil
			}
			if err := t.catch(ctx, found.proven); err != nil {
				return err
			}
			quiet, since = -1, time.Now()
		case time.Since(since) < limit:
			t.standBackFor(func() { rest(pause) })
			quiet = -1
		default: // the children of a process that is exiting are adopted only in the next reading
			rest(strayPause)
		}
	}
	return nil
}

// standBackFor calls wait, and meanwhile gives other acts the places of this one: only so many
// acts may have begun, and so many work, at a time.
func (t *tree) standBackFor(wait func()) {
	t.working.leave()
	t.begun.leave()
	wait()
	t.begun.again()
	t.working.again()
}

// How long a tree waits for processes that cannot be read, once it finds no others, and
// the time between two tries.
const (
	unreadWait  = 15 * time.Second       // for those that run, and those that are about to exit
	sealedWait  = time.Second            // for those that sleep: one that is starting sleeps for a moment only
	unreadPause = 250 * time.Millisecond // while some cannot be read
	endingPause = 20 * time.Millisecond  // while some are about to exit, which takes less time
)

// mostCatches is how often new strays are killed before chase gives up: something starts others
// faster than they are killed. Time is no measure: on a busy machine one reading may take seconds.
const mostCatches = 50

// strayPause is the time between two looks for strays: one may just be starting.
const strayPause = 5 * time.Millisecond

// catch adds processes to the tree, and freezes and kills them with everything that
// they start meanwhile.
func (t *tree) catch(ctx context.Context, ids []inventory.ID) error {
	for _, id := range ids {
		if err := t.adopt(id); err != nil {
			return err
		}
	}
	t.caught += len(ids)
	if err := t.freeze(ctx); err != nil {
		return err
	}
	return t.kill(ctx)
}

// findStrays finds processes outside the tree that were born since it was first frozen, before
// which the table was read. A stray is in a session that a member leads, or was adopted, as what
// loses its parent is. Processes to keep, and those of other acts, are none.
func (t *tree) findStrays(ctx context.Context, before *table) (found strays, err error) {
	now, err := t.run.tables.fresh()
	if err != nil {
		return found, err
	}
	adopters := before.ancestors(t.act.Root.PID)
	adopters[1] = true
	for _, row := range now.rows {
		if before.has(row.ID) || t.known[row.ID] || row.State == 'Z' || row.State == 'X' || t.mustStay(row.ID) {
			continue
		}
		switch { // one in a session that a member leads, or led, comes from that member
		case t.leads(row, now):
			found.add(Proven, row)
		case adopters[row.PPID] && row.Ending:
			found.ending = append(found.ending, row.ID)
		case adopters[row.PPID]:
			found.add(t.run.kinship(ctx, t.act, row.ID), row)
		}
	}
	for _, ids := range [][]inventory.ID{found.proven, found.likely, found.unread, found.sealed} {
		slices.SortFunc(ids, func(a, b inventory.ID) int { return a.PID - b.PID })
	}
	return found, nil
}

func (s *strays) add(kinship Kinship, row inventory.Row) {
	switch {
	case kinship == Proven:
		s.proven = append(s.proven, row.ID)
	case kinship == Likely:
		s.likely = append(s.likely, row.ID)
	case kinship == Unread && isAsleep(row):
		s.sealed = append(s.sealed, row.ID)
	case kinship == Unread:
		s.unread = append(s.unread, row.ID)
	}
}

// isAsleep reports a process that waits for something other than the kernel, or is
// stopped.
func isAsleep(r inventory.Row) bool { return r.State == 'S' || r.State == 'T' || r.State == 't' }

// mustStay reports a process that this act must not touch.
func (t *tree) mustStay(id inventory.ID) bool {
	return t.run.claimedByOther(id, t.act) || t.run.untouchable(id) || t.run.outside(id)
}

// leads reports that the process is in a session that a member leads or led. The
// kernel does not reuse a session's number while anybody is in it, unless a new
// leader has it.
func (t *tree) leads(row inventory.Row, now *table) bool {
	for _, m := range t.members {
		if m.leader && m.id.PID == row.SID && row.ID.PID != row.SID && row.ID.Start >= m.id.Start {
			_, taken := now.rows[row.SID]
			return !taken || now.has(m.id)
		}
	}
	return false
}

// rest waits without blocking a thread: many trees wait at the same time.
func rest(pause time.Duration) { <-time.After(pause) }
