// Package sweep is one pass of reaperd from end to end: look, correlate, judge, plan, act,
// report. What touches the host is passed in ([Observer], [Fresh], a [reap.Reaper]), so a
// replay, a command and the daemon run the same code. A dry run is a sweep whose [Sweeper.Act]
// nobody called.
//
// Act refuses a plan older than a few seconds. When the handles to a target's processes are
// open, a [witness] checks it once more: the same target, its stdio still closed, nobody
// connected. [Loop] sweeps again and again, with acts running beside it.
package sweep

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/reap"
)

// Observer looks at the host once. previous is the graph of the look before, nil for
// the first: it tells which processes to read whole.
type Observer interface {
	Look(ctx context.Context, previous *graph.Graph) (*inventory.Snapshot, error)
}

// Sweeper makes sweeps by one policy. Observer, Catalogue and Policy are needed; the
// other fields only for acting.
type Sweeper struct {
	Observer  Observer
	Catalogue graph.Catalogue
	Policy    *policy.Policy
	// Pinned returns what returns the pin of a target of a look; nil pins nothing.
	Pinned func(seen *inventory.Snapshot) func(*graph.Target) (graph.Pin, bool)
	// KeptNow says why a target is not to be acted on after all. It is asked right
	// before each act begins, from several goroutines, and again when the target has been
	// looked at once more: a plan may take minutes, and a pin or a pause must count
	// meanwhile. nil keeps nothing.
	KeptNow func(*graph.Target) (why string, kept bool)
	// Reaped lists what was reaped lately; nil lists nothing.
	Reaped func() []graph.Reaped
	// UnderWay lists what is being reaped beside this sweep; nil lists nothing.
	UnderWay func() policy.UnderWay
	// ByShape are the ids of the targets that an earlier daemon knew for servers by their shape.
	ByShape []string
	// Began is what that daemon saw sessions start.
	Began map[string]graph.Began
	// Attribute names in a judged view the sessions that left targets, where the looks do not know them;
	// nil knows none. Records name them; nothing is judged by it.
	Attribute func(View) View
	// OneShot marks a sweep that a person asks for, without earlier looks: the age of an orphan
	// counts, and its acts are recorded as by hand.
	OneShot bool

	Fresh  Fresh
	Reaper *reap.Reaper
}

// View is the result of one or more looks: the graph and the verdicts.
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
	options := graph.Options{Catalogue: s.Catalogue, ZombiesOver: zombies, RespawnsOver: respawns, IdleOver: s.Policy.IdleOver(), ByShape: s.ByShape, Began: s.Began}
	if s.Pinned != nil {
		options.Pinned = s.Pinned(snapshot)
	}
	if s.Reaped != nil {
		options.Reaped = s.Reaped()
	}
	return graph.Correlate(previous, snapshot, options)
}

// Judge decides about every target of a graph.
func (s *Sweeper) Judge(first, g *graph.Graph) View {
	options := policy.JudgeOptions{OneShot: s.OneShot}
	if s.UnderWay != nil {
		options.UnderWay = s.UnderWay()
	}
	view := View{First: first, Graph: g, Verdicts: policy.Judge(g, s.Policy, options)}
	if s.Attribute == nil {
		return view
	}
	return s.Attribute(view)
}

// next looks once more, or for the first time.
func (s *Sweeper) next(ctx context.Context, previous *graph.Graph) (*graph.Graph, error) {
	if previous == nil {
		return s.First(ctx)
	}
	return s.Look(ctx, previous)
}

// First looks for the first time. Some processes are known to be worth reading whole
// only after a look: copies of a server that is known by its shape, processes that an
// engine started in a server's container. If there are any, First looks again at
// once. That second look replaces the first; it is no second witness.
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

// Replay judges saved snapshots in the given order: the last two are the looks,
// earlier ones are memory. Times may be equal and must not go back.
func (s *Sweeper) Replay(snapshots []*inventory.Snapshot) (View, error) {
	if len(snapshots) == 0 {
		return View{}, errors.New("no snapshot to replay")
	}
	var before, last *graph.Graph
	for i, snapshot := range snapshots {
		if i > 0 && snapshot.TakenAt.Before(snapshots[i-1].TakenAt) {
			return View{}, fmt.Errorf("snapshot %d was taken at %s, before the one it follows (%s): give them oldest first",
				i+1, snapshot.TakenAt.Format(time.RFC3339Nano), snapshots[i-1].TakenAt.Format(time.RFC3339Nano))
		}
		before, last = last, s.correlate(last, snapshot)
	}
	return s.Judge(before, last), nil
}

// ErrStale is returned for a plan that is too old to act on: look again.
var ErrStale = errors.New("the plan is too old to act on")

// UnrecordedError means that the journal takes no intentions. Nothing is acted on
// without a record.
type UnrecordedError struct{ Cause error }

func (e *UnrecordedError) Error() string {
	return "nothing is acted on without a record: " + e.Cause.Error()
}

func (e *UnrecordedError) Unwrap() error { return e.Cause }

// Act carries out a plan made from the view. It returns an outcome for every act; or
// [ErrStale] or an [*UnrecordedError], and has then done nothing.
func (s *Sweeper) Act(ctx context.Context, plan policy.Plan, view View, now inventory.Moment) ([]reap.Outcome, error) {
	reaper, err := s.reaperFor(plan, view, now)
	if err != nil {
		return nil, err
	}
	return reaper.Execute(ctx, reapActs(plan, view.Graph)), nil
}

// reaperFor is the reaper for a plan, or the reason why nothing of it may be done.
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
	witness.keptNow = s.KeptNow
	reaper.Evidence, reaper.Kin = witness, witness.kin
	reaper.Untouchable, reaper.Outside = untouchable(view.Graph, plan), outside(view.Graph, plan)
	reaper.Options.Concurrency = plan.Concurrency
	return &reaper, nil
}

// outside reports the processes that stay when a tree is ended: those below it that are
// no part of it, listeners below a gateway whose rule is about targets that do not
// listen, and the servers of a reaped session. They have lost their owner then, and
// later sweeps judge them.
func outside(g *graph.Graph, plan policy.Plan) func(inventory.ID) bool {
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

// untouchable reports the processes that no tree may include: sessions, and every target
// that is not in the plan. The first process of a container is such a target's
// member: a guard keeps every target with one out of plans.
func untouchable(g *graph.Graph, plan policy.Plan) func(inventory.ID) bool {
	planned := map[string]bool{}
	for _, act := range plan.Acts {
		planned[act.TargetID] = true
	}
	found := map[inventory.ID]bool{}
	for _, session := range g.Sessions {
		for _, member := range session.Members {
			found[member.ID()] = true
		}
	}
	for _, target := range g.Targets {
		if planned[target.ID] || target.Kind == graph.KindSession {
			continue
		}
		for _, member := range target.Members {
			found[member.ID()] = true
		}
	}
	for _, act := range plan.Acts {
		for _, member := range act.Members {
			delete(found, member)
		}
	}
	return func(id inventory.ID) bool { return found[id] }
}
