package sweep

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// asked is an order for all that a one-shot would reap, and what was told of it.
type asked struct {
	Order
	outcomes []Outcome
	over     int
	err      error
}

func ask(p *policy.Policy) *asked {
	a := &asked{}
	a.Plan = func(view View, underWay policy.UnderWay) (View, policy.Plan) {
		view.Verdicts = policy.Judge(view.Graph, p, policy.JudgeOptions{OneShot: true, UnderWay: underWay})
		return view, policy.MakePlan(view.Verdicts, p, view.Graph.Snapshot.Moment())
	}
	a.Told = func(o Outcome) { a.outcomes = append(a.outcomes, o) }
	a.Done = func(err error) { a.over++; a.err = err }
	return a
}

// ordered runs a loop over an engine with one orphan, and hands it an order after a minute.
func ordered(t *testing.T, text string, change func(*engine, *Loop, *asked)) (e *engine, a *asked) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p, orders := load(t, text), make(chan *Order)
		e, a = &engine{}, ask(p)
		loop := newLoop()
		loop.Orders = orders
		change(e, loop, a)
		e.put(inventory.Container{ID: id(1)})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); loop.Run(ctx, e.sweeper(p)) }()
		time.Sleep(time.Second / 2)
		orders <- &a.Order
		time.Sleep(30 * time.Second)
		synctest.Wait()
		cancel()
		<-ended
	})
	return e, a
}

// TestAnOrderActsWhereTheLoopDoesNot: under mode report, before it is due, and where the loop acts on orders
// alone.
func TestAnOrderActsWhereTheLoopDoesNot(t *testing.T) {
	slow := "version: 1\nextends: builtin\nschedule: \"@every 10m\"\nrules: [{name: orphaned-containers, for: 1h}]\n"
	for world, row := range map[string]struct {
		policy string
		change func(*engine, *Loop, *asked)
	}{
		"the policy only reports": {quick + "mode: report\n", func(*engine, *Loop, *asked) {}},
		"its rule wants an hour":  {slow, func(*engine, *Loop, *asked) {}},
		"it acts on orders alone": {quick, func(_ *engine, l *Loop, _ *asked) { l.OnlyOrders = true }},
	} {
		e, a := ordered(t, row.policy, row.change)
		if _, stopped := e.stoppedAt(id(1)); !stopped || a.over != 1 || a.err != nil || len(a.outcomes) != 1 || !a.outcomes[0].Result.Gone() {
			t.Errorf("%s: stopped %v, told %d times that it is over (%v), of %d acts", world, stopped, a.over, a.err, len(a.outcomes))
		}
	}
}

// TestAnOrderEndsNothingThatItsGiverMayNotEnd, or wants no more.
func TestAnOrderEndsNothingThatItsGiverMayNotEnd(t *testing.T) {
	e, a := ordered(t, quick+"mode: report\n", func(_ *engine, _ *Loop, a *asked) {
		a.KeptNow = func(*graph.Target) (string, bool) { return "it is another user's", true }
	})
	if stopped, _ := e.ended(); stopped != 0 || a.over != 1 || len(a.outcomes) != 1 || a.outcomes[0].Result != human.Changed || a.outcomes[0].Detail != "it is another user's" {
		t.Errorf("stopped %d, over %d, told %+v", stopped, a.over, a.outcomes)
	}
}

// TestAPauseThatComesMeanwhileKeepsWhatHasNotBegun, of an order too.
func TestAPauseThatComesMeanwhileKeepsWhatHasNotBegun(t *testing.T) {
	e, a := ordered(t, quick, func(_ *engine, l *Loop, _ *asked) { l.Paused = func() bool { return true } })
	if stopped, _ := e.ended(); stopped != 0 || a.over != 1 || len(a.outcomes) != 1 || a.outcomes[0].Result != human.Changed {
		t.Errorf("stopped %d, over %d, told %+v", stopped, a.over, a.outcomes)
	}
}

// TestAnOrderHearsOfWhatTheLoopHadBegun, once: the person was shown it.
func TestAnOrderHearsOfWhatTheLoopHadBegun(t *testing.T) {
	var loop *Loop
	e, a := ordered(t, "version: 1\nextends: builtin\nschedule: \"@every 10m\"\nrules: [{name: orphaned-containers, for: 0s}]\n", func(e *engine, l *Loop, a *asked) {
		e.takes, loop = 8*time.Second, l
		made := a.Plan
		a.Plan = func(view View, underWay policy.UnderWay) (View, policy.Plan) {
			for _, act := range underWay.Acts {
				a.Shown = append(a.Shown, act.Key())
			}
			return made(view, underWay)
		}
	})
	if stopped, _ := e.ended(); stopped != 1 || a.over != 1 || len(a.Shown) != 1 || len(a.outcomes) != 1 || !a.outcomes[0].Result.Gone() {
		t.Errorf("stopped %d, over %d, shown %q, told %+v", stopped, a.over, a.Shown, a.outcomes)
	}
	if len(loop.waiting) > 0 {
		t.Errorf("%d orders wait still", len(loop.waiting))
	}
}

func TestAnOrderIsToldWhyNothingWasSeen(t *testing.T) {
	gone := errors.New("read /proc: gone")
	if _, a := ordered(t, quick, func(e *engine, _ *Loop, _ *asked) { e.fails = gone }); a.over != 1 || !errors.Is(a.err, gone) {
		t.Errorf("over %d: %v", a.over, a.err)
	}
}

func TestAnOrderWithNothingToDoIsOverAtOnce(t *testing.T) {
	_, a := ordered(t, quick, func(_ *engine, _ *Loop, a *asked) {
		a.Plan = func(view View, _ policy.UnderWay) (View, policy.Plan) {
			return view, policy.Plan{MadeAt: view.Graph.Snapshot.Moment()}
		}
	})
	if a.over != 1 || a.err != nil || len(a.outcomes) != 0 {
		t.Errorf("over %d: %v, %+v", a.over, a.err, a.outcomes)
	}
}
