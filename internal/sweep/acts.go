package sweep

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/reap"
)

// Outcome is what came of an act of the loop.
type Outcome struct {
	reap.Outcome
	Act policy.Act
	At  time.Time // when the act came to its end

	from    time.Time // when what condemned it was seen
	lineage escape
}

// act is one that the loop has begun.
type act struct {
	policy.Act
	from    time.Time // when what condemned it was seen
	until   time.Time // from then on it counts as hanging
	lineage escape    // its tree, should some of that escape
}

// acts are what the loop has begun. They go on in goroutines of their own, which tell
// what came of each; all else here is the loop's alone.
type acts struct {
	shared   reap.Shared
	running  sync.WaitGroup
	underWay map[string]act // by the act's id
	inKernel []policy.Act   // killed, and not ended by the kernel

	news  chan struct{} // there is something in ended
	mu    sync.Mutex
	ended []Outcome // not taken yet
}

func newActs() *acts {
	return &acts{underWay: map[string]act{}, news: make(chan struct{}, 1)}
}

// begin carries out a plan beside the loop. When ctx ends, what has begun has as long
// as its grace wants.
func (a *acts) begin(ctx context.Context, reaper *reap.Reaper, plan policy.Plan, view View, sweepID string) {
	from, until := view.Graph.Snapshot.TakenAt, time.Now().Add(actsWithin(plan))
	for _, planned := range plan.Acts {
		begun := act{Act: apart(planned), from: from, until: until}
		if target, found := view.Graph.Target(planned.TargetID); found {
			begun.lineage = lineageOf(target)
		}
		a.underWay[planned.ID] = begun
	}
	acting, done := outlasting(ctx, finishWithin(plan))
	reaper.Shared, reaper.Told = &a.shared, a.hear
	wait := reaper.Begin(acting, actionsOf(plan, view.Graph, sweepID))
	a.running.Go(func() {
		defer done()
		wait()
	})
}

// apart is an act that does not hold the look in memory that it comes from.
func apart(planned policy.Act) policy.Act {
	if planned.Root != nil {
		planned.Root = new(*planned.Root)
	}
	if planned.Container != nil {
		planned.Container = new(*planned.Container)
	}
	return planned
}

// hear takes what came of an act, from the goroutine of that act.
func (a *acts) hear(outcome reap.Outcome) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ended = append(a.ended, Outcome{Outcome: outcome, At: time.Now()})
	select {
	case a.news <- struct{}{}:
	default:
	}
}

// take is what came to its end since it was called last. It is under way no more.
func (a *acts) take() []Outcome {
	a.mu.Lock()
	ended := a.ended
	a.ended = nil
	a.mu.Unlock()
	ids := make([]string, len(ended))
	for i := range ended {
		o := &ended[i]
		begun := a.underWay[o.ActionID]
		delete(a.underWay, o.ActionID)
		o.Act, o.from, o.lineage, ids[i] = begun.Act, begun.from, begun.lineage, o.ActionID
		if o.InKernel {
			a.wait(o)
		}
	}
	a.shared.Forget(ids)
	return ended
}

// wait remembers what was killed and does not end, so that nobody waits for it again.
func (a *acts) wait(o *Outcome) {
	killed := o.Act
	killed.Members = o.Survivors
	a.inKernel = append(a.inKernel, killed)
}

// forgetEnded drops what the kernel has ended by the time of a look.
func (a *acts) forgetEnded(s *inventory.Snapshot) {
	if len(a.inKernel) == 0 {
		return
	}
	alive := map[inventory.ID]bool{}
	for i := range s.Processes {
		alive[s.Processes[i].ID()] = true
	}
	a.inKernel = slices.DeleteFunc(a.inKernel, func(killed policy.Act) bool {
		return !slices.ContainsFunc(killed.Members, func(id inventory.ID) bool { return alive[id] })
	})
}

// now is what is under way, as a judgement takes it.
func (a *acts) now() policy.UnderWay {
	return policy.UnderWay{Acts: a.list(), InKernel: a.inKernel, Holds: a.shared.Holds}
}

// list is what is under way, in a stable order.
func (a *acts) list() []policy.Act {
	list := make([]policy.Act, 0, len(a.underWay))
	for _, begun := range a.underWay {
		list = append(list, begun.Act)
	}
	slices.SortFunc(list, func(a, b policy.Act) int { return strings.Compare(a.ID, b.ID) })
	return list
}

// hang reports whether an act takes longer than any may.
func (a *acts) hang(now time.Time) bool {
	for begun := range maps.Values(a.underWay) {
		if now.After(begun.until) {
			return true
		}
	}
	return false
}
