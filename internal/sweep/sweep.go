// Package sweep is one pass of reaperd from end to end: observe, correlate,
// judge, plan, execute, report what came of it. It joins the packages that do
// each of these and decides nothing that belongs to one of them.
//
// What looks at the host and what touches it are handed in ([Observer], [Fresh]
// and a [reap.Reaper]'s parts), so that a replay of saved snapshots, a sweep and
// the daemon run the same code. A dry run is a sweep whose [Sweeper.Act] nobody
// called.
//
// Between looking and acting time passes. [Sweeper.Act] therefore refuses a plan
// that is older than a few seconds, and asks for each target once more, when the
// handles to its processes are open: is it the same, is its stdio still closed,
// has nobody connected ([witness]).
//
// The daemon's [Loop] looks and judges in one goroutine, and its acts go on beside it:
//
//  1. A sweep looks, judges, plans, begins the acts of the plan and is over. The next
//     one comes at its time, however long the acts take.
//  2. The loop knows what it has begun. The judgement is told: what an act has in its
//     hands is reaped and planned no more, what is tied to it waits until it is over.
//  3. All acts share the places of the policy's concurrency, and users take turns.
//  4. A sweep begins at most max_actions, and a user has at most as many under way.
//  5. An act goes by the policy, and by the look, that it was begun by. Its target is
//     held, compared and asked about once more right before the first signal.
//  6. What has not got its turn within five seconds is planned anew by another sweep. A
//     pin, a pause, another policy and the end of the daemon hold for it, too.
//  7. An act tells its outcome when it ends. The loop publishes it at once, forgets the
//     act before the next look, and looks again a second later.
//  8. What was killed and stays in the kernel is told once and not acted on again.
//  9. When the loop is to end, it begins nothing more and waits for what has begun, as
//     long as its grace and at most 25 s. Nothing is left stopped.
package sweep

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/idle"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/reap"
	"github.com/reaperd/reaperd/internal/usage"
)

// Observer looks at the host once. previous is what the look before meant, nil
// for the first: it tells what is worth reading whole.
type Observer interface {
	Look(ctx context.Context, previous *graph.Graph) (*inventory.Snapshot, error)
}

// Sweeper makes sweeps by one policy. Observer, Catalogue and Policy are
// needed; the rest only to act.
type Sweeper struct {
	Observer  Observer
	Catalogue graph.Catalogue
	Policy    *policy.Policy
	// Pinned tells why a target is pinned by hand; nil pins nothing.
	Pinned func(*graph.Target) (reason string, pinned bool)
	// Spared tells why a target is not to be acted on after all: it is asked right
	// before each act begins, from several goroutines, because a plan may take
	// minutes, and a person who pins or pauses meanwhile is to be heard. nil
	// spares nothing.
	Spared func(*graph.Target) (why string, spared bool)
	// Reaped is what was reaped lately; nil is nothing.
	Reaped func() []graph.Reaped
	// UnderWay is what is being ended beside this sweep; nil is nothing.
	UnderWay func() policy.UnderWay
	// Recalled is what a daemon that has looked for longer remembers of sessions; nil
	// is nothing.
	Recalled map[inventory.ID]usage.Remembered
	// OneShot marks sweeps without a past, whose orphans count their own age.
	OneShot bool

	Fresh  Fresh
	Reaper *reap.Reaper
}

// View is what one or more looks came to.
type View struct {
	First    *graph.Graph // the look before; nil where there was one look only
	Graph    *graph.Graph
	Verdicts []policy.Verdict
}

// Look looks once.
func (s *Sweeper) Look(ctx context.Context, previous *graph.Graph) (*graph.Graph, error) {
	snapshot, err := s.Observer.Look(ctx, previous)
	if err != nil {
		return nil, err
	}
	return s.correlate(previous, snapshot), nil
}

func (s *Sweeper) correlate(previous *graph.Graph, snapshot *inventory.Snapshot) *graph.Graph {
	zombies, respawns := s.Policy.Thresholds()
	options := graph.Options{Catalogue: s.Catalogue, ZombiesOver: zombies, RespawnsOver: respawns, Pinned: s.Pinned}
	if s.Reaped != nil {
		options.Reaped = s.Reaped()
	}
	g := graph.Correlate(previous, snapshot, options)
	idle.Measure(previous, g, idle.Options{Over: s.Policy.IdleOver(), Recalled: s.Recalled})
	return g
}

// Judge decides about every target of a graph.
func (s *Sweeper) Judge(first, g *graph.Graph) View {
	options := policy.JudgeOptions{OneShot: s.OneShot}
	if s.UnderWay != nil {
		options.UnderWay = s.UnderWay()
	}
	return View{First: first, Graph: g, Verdicts: policy.Judge(g, s.Policy, options)}
}

// Again looks once more after a view, and judges.
func (s *Sweeper) Again(ctx context.Context, before View) (View, error) {
	next, err := s.Look(ctx, before.Graph)
	if err != nil {
		return View{}, err
	}
	return s.Judge(before.Graph, next), nil
}

// First looks for the first time. Some of what is worth reading whole shows only
// in a look: what has the command of a server that is known by its shape alone,
// what an engine started in a server's container. Where there is such a thing the
// next look is made at once, and is the first: it is no second witness.
func (s *Sweeper) First(ctx context.Context) (*graph.Graph, error) {
	first, err := s.Look(ctx, nil)
	if err != nil || !first.HasNews() {
		return first, err
	}
	snapshot, err := s.Observer.Look(ctx, first)
	if err != nil {
		return nil, err
	}
	return s.correlate(nil, snapshot), nil
}

// Twice looks, waits and looks again: two witnesses for every finding.
func (s *Sweeper) Twice(ctx context.Context, settle time.Duration) (View, error) {
	first, err := s.First(ctx)
	if err != nil {
		return View{}, err
	}
	select {
	case <-time.After(settle):
	case <-ctx.Done():
		return View{}, ctx.Err()
	}
	return s.Again(ctx, View{Graph: first})
}

// errNoSnapshots is for a replay of nothing.
var errNoSnapshots = errors.New("no snapshot to replay")

// Replay judges saved snapshots in the order given: the last two are the looks,
// earlier ones memory. Times may be equal and never go back.
func (s *Sweeper) Replay(snapshots []*inventory.Snapshot) (View, error) {
	if len(snapshots) == 0 {
		return View{}, errNoSnapshots
	}
	var before, last *graph.Graph
	for i, snapshot := range snapshots {
		if i > 0 && snapshot.TakenAt.Before(snapshots[i-1].TakenAt) {
			return View{}, fmt.Errorf("snapshot %d was taken at %s, before the one it follows (%s): give them oldest first",
				i+1, snapshot.TakenAt.Format(time.RFC3339), snapshots[i-1].TakenAt.Format(time.RFC3339))
		}
		before, last = last, s.correlate(last, snapshot)
	}
	return s.Judge(before, last), nil
}

// Plan is what the policy would do about a view, within its limits.
func (s *Sweeper) Plan(verdicts []policy.Verdict, g *graph.Graph) policy.Plan {
	return policy.MakePlan(verdicts, s.Policy, g.Snapshot.Moment())
}

// ErrStale is returned for a plan that is too old to act on: look again.
var ErrStale = errors.New("the plan is too old to act on")

// UnrecordedError is returned where the journal can take no intention. Nothing is
// acted on without its record.
type UnrecordedError struct{ Cause error }

func (e *UnrecordedError) Error() string {
	return "nothing is acted on without a record: " + e.Cause.Error()
}

func (e *UnrecordedError) Unwrap() error { return e.Cause }

// Act carries out a plan that was made from the view. It returns an outcome for
// every act, or [ErrStale] or an [*UnrecordedError] and has done nothing.
func (s *Sweeper) Act(ctx context.Context, plan policy.Plan, view View, now inventory.Moment, sweepID string) ([]reap.Outcome, error) {
	reaper, err := s.reaperFor(plan, view, now)
	if err != nil {
		return nil, err
	}
	return reaper.Execute(ctx, actionsOf(plan, view.Graph, sweepID)), nil
}

// reaperFor is the reaper that carries out a plan, or why nothing of it may be done.
func (s *Sweeper) reaperFor(plan policy.Plan, view View, now inventory.Moment) (*reap.Reaper, error) {
	if plan.Stale(now) {
		return nil, ErrStale
	}
	reaper := *s.Reaper
	if reaper.Recorder != nil && len(plan.Acts) > 0 {
		if err := reaper.Recorder.Ready(); err != nil {
			return nil, &UnrecordedError{err}
		}
	}
	witness := newWitness(view.Graph, plan, s.Fresh)
	witness.spared = s.Spared
	reaper.Evidence, reaper.Kin = witness, witness.kin
	reaper.Spare, reaper.Leave = spared(view.Graph, plan), left(view.Graph, plan)
	reaper.Options.Concurrency = plan.Concurrency
	return &reaper, nil
}

// left tells what stays when a tree is ended: what hangs below it and is no part
// of it, what listens below a gateway whose rule is about what does not, and the
// servers of a session that is reaped itself. They have lost their owner then, and
// are judged by the sweeps that follow.
func left(g *graph.Graph, plan policy.Plan) func(inventory.ID) bool {
	planned, sessions, below := map[string]bool{}, map[inventory.ID]bool{}, map[string]bool{}
	for _, act := range plan.Acts {
		planned[act.TargetID] = true
		if act.Kind == graph.KindSession && act.Root != nil {
			sessions[act.Root.ID()] = true
		}
		if target, found := g.Target(act.TargetID); found {
			for _, id := range target.Below {
				below[id] = true
			}
		}
	}
	leave := map[inventory.ID]bool{}
	for _, target := range g.Targets {
		for _, p := range target.Left {
			leave[p.ID()] = true
		}
		ofSession := sessions[target.Owner.ID] && target.Kind != graph.KindSession && !planned[target.ID]
		listens := below[target.ID] && !planned[target.ID] && target.Listening.Or(target.Listening.IsUnreadable())
		if !ofSession && !listens {
			continue
		}
		for _, member := range target.Members {
			leave[member.ID()] = true
		}
	}
	return func(id inventory.ID) bool { return leave[id] }
}

// spared tells what no tree may reach into: sessions, and every target that is
// not in the plan. The first process of a container is there as a member of such
// a target only: a guard keeps every target with one out of plans.
func spared(g *graph.Graph, plan policy.Plan) func(inventory.ID) bool {
	planned := map[string]bool{}
	for _, act := range plan.Acts {
		planned[act.TargetID] = true
	}
	spare := map[inventory.ID]bool{}
	for _, session := range g.Sessions {
		for _, member := range session.Members {
			spare[member.ID()] = true
		}
	}
	for _, target := range g.Targets {
		if planned[target.ID] || target.Kind == graph.KindSession {
			continue
		}
		for _, member := range target.Members {
			spare[member.ID()] = true
		}
	}
	for _, act := range plan.Acts {
		for _, member := range act.Members {
			delete(spare, member)
		}
	}
	return func(id inventory.ID) bool { return spare[id] }
}
