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

// Outcome is the result of an act of the loop.
type Outcome struct {
	reap.Outcome
	Act policy.Act
	At  time.Time // when the act came to its end

	from    time.Time // when what condemned it was seen
	lineage escape
}

// begunAct is an act that the loop has begun.
type begunAct struct {
	policy.Act
	from    time.Time // when what condemned it was seen
	until   time.Time // the act counts as hanging after that
	lineage escape    // its tree, should some of that escape
}

// acts are the acts that the loop has begun. Each runs in a goroutine of its own,
// which reports its outcome through hear; only the loop uses anything else here.
type acts struct {
	shared   reap.Shared
	running  sync.WaitGroup
	underWay map[string]begunAct // by the act's id
	inKernel []policy.Act        // killed, and not ended by the kernel

	news  chan struct{} // there is something in ended
	mu    sync.Mutex
	ended []Outcome       // not taken yet
	begun map[string]bool // by the act's id: its intention is recorded
	fresh bool            // something has begun since the last call of tookBegun
}

func newActs() *acts {
	return &acts{underWay: map[string]begunAct{}, begun: map[string]bool{}, news: make(chan struct{}, 1)}
}

// begin carries out a plan beside the loop. When ctx ends, acts that have begun get
// the time of their grace.
func (a *acts) begin(ctx context.Context, reaper *reap.Reaper, plan policy.Plan, view View) {
	from, until := view.Graph.Snapshot.TakenAt, time.Now().Add(actsWithin(plan))
	for _, planned := range plan.Acts {
		begun := begunAct{Act: apart(planned), from: from, until: until}
		if target, found := view.Graph.Target(planned.TargetID); found {
			begun.lineage = lineageOf(target)
		}
		a.underWay[planned.ID] = begun
	}
	acting, done := outlasting(ctx, finishWithin(plan))
	reaper.Shared, reaper.Told, reaper.Begun = &a.shared, a.hear, a.hearBegun
	wait := reaper.Begin(acting, reapActs(plan, view.Graph))
	a.running.Go(func() {
		defer done()
		wait()
	})
}

// apart is an act that does not keep its look in memory.
func apart(planned policy.Act) policy.Act {
	if planned.Root != nil {
		planned.Root = new(*planned.Root)
	}
	if planned.Container != nil {
		planned.Container = new(*planned.Container)
	}
	return planned
}

// hear takes the outcome of an act. It is called from that act's goroutine.
func (a *acts) hear(outcome reap.Outcome) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ended = append(a.ended, Outcome{Outcome: outcome, At: time.Now()})
	a.wake()
}

// hearBegun takes that an act has begun. It is called from that act's goroutine.
func (a *acts) hearBegun(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.begun[id], a.fresh = true, true
	a.wake()
}

func (a *acts) wake() {
	select {
	case a.news <- struct{}{}:
	default:
	}
}

// tookBegun reports that an act has begun since the last call.
func (a *acts) tookBegun() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	fresh := a.fresh
	a.fresh = false
	return fresh
}

// take returns the outcomes since the last call. Their acts are no longer under way.
func (a *acts) take() []Outcome {
	a.mu.Lock()
	ended := a.ended
	a.ended = nil
	for i := range ended {
		delete(a.begun, ended[i].ActID)
	}
	a.mu.Unlock()
	ids := make([]string, len(ended))
	for i := range ended {
		o := &ended[i]
		begun := a.underWay[o.ActID]
		delete(a.underWay, o.ActID)
		o.Act, o.from, o.lineage, ids[i] = begun.Act, begun.from, begun.lineage, o.ActID
		if o.InKernel {
			a.wait(o)
		}
	}
	a.shared.Forget(ids)
	return ended
}

// wait remembers processes that were killed and do not end, so that no sweep waits
// for them again.
func (a *acts) wait(o *Outcome) {
	killed := o.Act
	killed.Members = o.Survivors
	a.inKernel = append(a.inKernel, killed)
}

// forgetExited drops the processes that have exited by the time of a look.
func (a *acts) forgetExited(s *inventory.Snapshot) {
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

// now is the acts under way, in the form for judging.
func (a *acts) now() policy.UnderWay {
	return policy.UnderWay{Acts: a.list(), InKernel: a.inKernel, Holds: a.shared.Holds}
}

// list is the acts under way, in a stable order.
func (a *acts) list() []policy.Act {
	a.mu.Lock()
	waits := maps.Clone(a.underWay)
	maps.DeleteFunc(waits, func(id string, _ begunAct) bool { return a.begun[id] })
	a.mu.Unlock()
	list := make([]policy.Act, 0, len(a.underWay))
	for id, begun := range a.underWay {
		_, waiting := waits[id]
		begun.Imminent = waiting && !a.follows(begun.Act, waits)
		list = append(list, begun.Act)
	}
	slices.SortStableFunc(list, func(a, b policy.Act) int { return strings.Compare(a.ID, b.ID) })
	return list
}

// follows reports an act that goes with one that has begun, or comes after one: its target is as good as touched. waits
// are the acts that have not begun.
func (a *acts) follows(act policy.Act, waits map[string]begunAct) bool {
	for id, other := range a.underWay {
		_, waiting := waits[id]
		isHead := other.TargetID == act.With || slices.Contains(other.Below, act.ID)
		if !waiting && (isHead || slices.Contains(act.After, id)) {
			return true
		}
	}
	return slices.ContainsFunc(act.After, func(id string) bool { _, goesOn := a.underWay[id]; return !goesOn })
}

// hang reports that an act takes longer than any may.
func (a *acts) hang(now time.Time) bool {
	for begun := range maps.Values(a.underWay) {
		if now.After(begun.until) {
			return true
		}
	}
	return false
}
