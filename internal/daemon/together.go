package daemon

import (
	"cmp"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/sweep"
)

// reapedAt is when each target was last reaped, by its id, whoever did it. The daemon and a sweep by hand may be
// at one target at the same time. As in `reaperd history`, the act that came to its end first has reaped it, and
// one that had begun before that found it gone.
type reapedAt map[string]time.Time

// reapedWithin is for how long it is known: hardly any act takes longer.
const reapedWithin = time.Hour

// ended is an act that is over, the daemon's or one by hand.
type ended struct {
	id, target string
	at         time.Time
	took       time.Duration
	wasGone    func() // makes it one that found its target gone
}

// once returns the daemon's outcomes, and the entries of sweeps by hand, such that each end of a target counts
// once. What was handed to it does not change.
func (r *reapedAt) once(outcomes []sweep.Outcome, byHand []journal.Entry) ([]sweep.Outcome, []journal.Entry) {
	outcomes, byHand = slices.Clone(outcomes), slices.Clone(byHand)
	var all []ended
	for i := range outcomes {
		if o := &outcomes[i]; o.Result.Reaped() {
			all = append(all, ended{o.Act.ID, o.Act.TargetID, o.At, o.Took, func() {
				o.Result, o.Detail, o.FreedBytes = done.AlreadyGone, done.Together, 0
			}})
		}
	}
	for i := range byHand {
		if e := &byHand[i]; e.Phase == journal.PhaseOutcome && done.Result(e.Result).Reaped() {
			all = append(all, ended{e.ID, e.TargetID, e.Time, time.Duration(e.TookSeconds * float64(time.Second)), func() {
				e.Result, e.Detail, e.FreedBytes = string(done.AlreadyGone), done.Together, 0
			}})
		}
	}
	slices.SortStableFunc(all, func(a, b ended) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.id, b.id)) })
	for _, one := range all {
		r.take(one)
	}
	return outcomes, byHand
}

func (r *reapedAt) take(one ended) {
	for target, at := range *r {
		if one.at.Sub(at) > reapedWithin {
			delete(*r, target)
		}
	}
	at, before := (*r)[one.target]
	if before && one.at.Add(-one.took).Before(at) {
		one.wasGone()
		return
	}
	if *r == nil {
		*r = reapedAt{}
	}
	(*r)[one.target] = one.at
}
