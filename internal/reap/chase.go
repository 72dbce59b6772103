package reap

import (
	"context"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Kinship is what ties a stray process to the tree that is being ended. The zero
// value is nothing.
type Kinship uint8

// The kinships.
const (
	Stranger Kinship = iota
	Likely           // something points to the tree: it is reported
	Proven           // it can come from nowhere else, and nobody can speak to it: it is ended
)

// strays are processes that were born since the tree could run, and that stand
// outside of it.
type strays struct {
	proven, likely []inventory.ID
}

// chase ends what left the tree while it could run. What is proven to come from it
// is frozen and killed without being asked: asking is what let it go. It looks until
// two readings in a row show nothing new; a tree that starts more however often that
// is done is restless.
func (t *tree) chase(ctx context.Context, before *table) error {
	if !t.asked && !t.restless {
		return nil // it was never let run
	}
	ctx = context.WithoutCancel(ctx) // what began must not be left half done
	catches := 0
	for quiet := 0; quiet < 2; quiet++ {
		found, err := t.findStrays(ctx, before)
		if err != nil {
			return err
		}
		t.strays = found.likely
		if len(found.proven) == 0 { // one whose parent just ends shows as adopted in the next reading
			rest(strayPause)
			continue
		}
		if catches++; catches > mostCatches {
			t.restless = true
			return nil
		}
		if err := t.catch(ctx, found.proven); err != nil {
			return err
		}
		quiet = -1
	}
	return nil
}

// mostCatches is how often strays are ended before it is clear that they never end.
// The time does not count: on a busy machine one reading may take seconds.
const mostCatches = 50

// strayPause is between two looks for strays, one of which may be in the middle of
// its birth.
const strayPause = 5 * time.Millisecond

// catch takes processes into the tree, and freezes and kills them with all that
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

// findStrays finds the processes that were born since the tree was frozen first,
// and that are not in it. One in a session that a member leads or led descends from
// that member, whoever has adopted it. Of others that were adopted the reaper's Kin
// tells. What must be kept, or belongs to another act, is none.
func (t *tree) findStrays(ctx context.Context, before *table) (found strays, err error) {
	now, err := t.run.tables.fresh()
	if err != nil {
		return found, err
	}
	adopters := before.ancestors(t.action.Root.PID)
	adopters[1] = true
	for _, row := range now.rows {
		if before.has(row.ID) || t.known[row.ID] || row.State == 'Z' || row.State == 'X' || t.mustStay(row.ID) {
			continue
		}
		kinship := Stranger
		switch {
		case t.leads(row, now):
			kinship = Proven
		case adopters[row.PPID]:
			kinship = t.run.kinship(ctx, t.action, row.ID)
		}
		switch kinship {
		case Proven:
			found.proven = append(found.proven, row.ID)
		case Likely:
			found.likely = append(found.likely, row.ID)
		}
	}
	byPID := func(a, b inventory.ID) int { return a.PID - b.PID }
	slices.SortFunc(found.proven, byPID)
	slices.SortFunc(found.likely, byPID)
	return found, nil
}

// mustStay reports whether the process is nothing of this act's.
func (t *tree) mustStay(id inventory.ID) bool {
	return t.run.claimedByOther(id, t.action) || t.run.spared(id) || t.run.left(id)
}

// leads reports whether the process is in a session that a member leads or led. A
// session's number is not given away while anybody is in it, unless a new leader
// stands there.
func (t *tree) leads(row Row, now *table) bool {
	for _, m := range t.members {
		if m.leader && m.id.PID == row.SID && row.ID.PID != row.SID && row.ID.Start >= m.id.Start {
			_, taken := now.rows[row.SID]
			return !taken || now.has(m.id)
		}
	}
	return false
}

// rest waits without holding a thread: many trees wait beside one another.
func rest(pause time.Duration) { <-time.After(pause) }
