package oneshot

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/reap"
	"github.com/reaperd/reaperd/internal/sweep"
)

// The looks at what a stopped session may have left: a docker run that was killed takes a moment
// to be let go of by the engine.
const (
	restLooks = 5
	restApart = time.Second
)

// stopRest stops what a plan left of the sessions that it ended. notes tell what of it stays, and what ended by itself.
func (s *Sweep) stopRest(ctx context.Context, plan policy.Plan, outcomes []reap.Outcome) (r *rest, notes []string) {
	r = s.restOf(plan, outcomes)
	err := r.stop(ctx, s.View)
	for _, told := range r.told {
		notes = append(notes, "note: "+told)
	}
	if err != nil {
		notes = append(notes, fmt.Sprintf("warning: whether anything is left of what ended could not be seen: %v", err))
	}
	return r, notes
}

// rest are the containers that a sweep stops after its plan. Which of several alike is a session's
// follows from what the others' docker runs need ([graph.Target.Deduced]), and nothing is stopped by
// that. Once the session's own docker runs have ended, looks prove that nobody has its container.
type rest struct {
	sweeper sweep.Sweeper
	ids     []string // of the containers
	names   map[string]string

	verdicts []policy.Verdict // those by which it acted
	outcomes []policy.Outcome
	told     []string // what became of the others
}

// restOf finds what a plan left, by the look before its acts.
func (s *Sweep) restOf(plan policy.Plan, outcomes []reap.Outcome) *rest {
	ended := map[inventory.ID]bool{}
	acts := plan.ByID()
	for _, o := range outcomes {
		if act := acts[o.ActID]; act.Root != nil && o.Result.Gone() {
			ended[act.Root.ID()] = true
		}
	}
	r := &rest{sweeper: *s.sweeper, names: map[string]string{}}
	for _, t := range s.deducedOf(ended) {
		r.ids = append(r.ids, t.ID)
		r.names[t.ID] = calledTarget(t)
	}
	// The order was about the session with all that it holds. Two looks prove that nobody has these
	// any more; they wait for no more than that.
	r.sweeper.Policy, _ = s.Policy.Switched(policy.Switches{Now: true})
	return r
}

// deducedOf are the containers that are by a deduction those of some sessions and gateways.
func (s *Sweep) deducedOf(owners map[inventory.ID]bool) (containers []*graph.Target) {
	if s.View.Graph == nil {
		return nil
	}
	for _, t := range s.View.Graph.Targets {
		if t.Kind == graph.KindContainer && t.Deduced && owners[t.Owner.ID] {
			containers = append(containers, t)
		}
	}
	return containers
}

// restNotes tell what is stopped after the plan.
func (s *Sweep) restNotes() []string {
	if s.Sight == nil {
		return nil
	}
	going := map[inventory.ID]bool{}
	for _, v := range s.narrowed() {
		if v.Decision == policy.Reap && v.Target.Root != nil {
			going[v.Target.Root.ID()] = true
		}
	}
	var names []string
	rest := s.deducedOf(going)
	for _, t := range rest {
		names = append(names, calledTarget(t))
	}
	if len(names) == 0 {
		return nil
	}
	n := len(names)
	return []string{fmt.Sprintf("note: %s %s once the %s is stopped: only then is it proven that nobody else has %s",
		human.List(fewest(names)), human.Verb(n, "goes", "go"), rest[0].Owner.Kind, human.Verb(n, "it", "them"))}
}

// stop stops the rest.
func (r *rest) stop(ctx context.Context, view sweep.View) (err error) {
	if len(r.ids) == 0 {
		return nil
	}
	for look := 0; look < restLooks && (look == 0 || len(r.waiting(view)) > 0); look++ {
		if err := sweep.Settle(ctx, restApart); err != nil {
			return err
		}
		if view, err = r.sweeper.Again(ctx, view); err != nil {
			return err
		}
	}
	for _, v := range r.waiting(view) {
		r.told = append(r.told, fmt.Sprintf("%s stays: %s", r.names[v.Target.ID], v.Reason))
	}
	for _, id := range r.ids {
		if t, found := view.Graph.Target(id); !found || !t.Container.Running() {
			r.told = append(r.told, r.names[id]+" ended with its docker run")
		}
	}
	plan := r.sweeper.Plan(r.chosen(view), view.Graph)
	acted, err := r.sweeper.Act(ctx, plan, view, inventory.Moment{At: time.Now()})
	if errors.Is(err, sweep.ErrStale) {
		return nil
	}
	r.outcomes = sweep.OutcomesOf(plan, acted)
	for _, v := range r.chosen(view) {
		if v.Decision == policy.Reap {
			r.verdicts = append(r.verdicts, v)
		}
	}
	return err
}

// among are verdicts with those of the rest in place of their own.
func (r *rest) among(verdicts []policy.Verdict) []policy.Verdict {
	isOfRest := func(v policy.Verdict) bool {
		return slices.ContainsFunc(r.verdicts, func(own policy.Verdict) bool { return own.Target.ID == v.Target.ID })
	}
	return append(slices.DeleteFunc(slices.Clone(verdicts), isOfRest), r.verdicts...)
}

// chosen are the verdicts on the rest.
func (r *rest) chosen(view sweep.View) []policy.Verdict {
	return policy.Select(view.Verdicts, func(t *graph.Target) bool { return slices.Contains(r.ids, t.ID) })
}

// waiting are the verdicts on those of the rest that run, and that may not be stopped yet.
func (r *rest) waiting(view sweep.View) []policy.Verdict {
	return slices.DeleteFunc(r.chosen(view), func(v policy.Verdict) bool {
		return v.Decision == policy.Reap || v.Target.Container == nil || !v.Target.Container.Running() || !slices.Contains(r.ids, v.Target.ID)
	})
}
