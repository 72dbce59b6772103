package sweep

import (
	"context"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// Order is a sweep that a person asks for. The loop looks for it, and carries out the plan that it
// makes of that look in place of the loop's own.
type Order struct {
	// Plan makes the plan, and the view that it rests on, of a look. underWay is what is being
	// reaped already.
	Plan func(view View, underWay policy.UnderWay) (View, policy.Plan)
	// Shown are the keys of the acts that the person was shown. The outcome is told of each, even if
	// the loop had begun it before.
	Shown []string
	// KeptNow says of a target why the person may not have it reaped, or does not want it any
	// more, as [Sweeper.KeptNow] does.
	KeptNow func(*graph.Target) (why string, kept bool)
	// Told hears each outcome. Done hears once that there are no more, or why nothing was done.
	// Neither may wait for the loop.
	Told func(Outcome)
	Done func(error)
}

// waiting is an order with those of its acts, by their ids, that are not over.
type waiting struct {
	*Order
	acts map[string]bool
}

// obey begins the acts of an order.
func (l *Loop) obey(ctx context.Context, round *Round, o *Order) {
	view, plan := o.Plan(round.View, l.acts.now())
	round.Plan = withoutGrace(plan, view.Graph, l.escapes)
	sweeper := *l.sweeper
	sweeper.KeptNow = o.keptNow(l.keptNow(ctx))
	reaper, err := sweeper.reaperFor(round.Plan, view, inventory.Moment{At: time.Now()})
	if err != nil {
		o.Done(err)
		return
	}
	if len(round.Plan.Acts) > 0 {
		l.acts.begin(ctx, reaper, round.Plan, view)
		l.acted = true
	}
	w := waiting{o, map[string]bool{}}
	for id, act := range l.acts.underWay {
		isOwn := slices.ContainsFunc(round.Plan.Acts, func(own policy.Act) bool { return own.ID == id })
		if isOwn || slices.Contains(o.Shown, act.Key()) {
			w.acts[id] = true
		}
	}
	l.waiting = append(l.waiting, w)
	l.tellOrders(nil)
}

// keptNow is what keeps a target from an order, else from any act.
func (o *Order) keptNow(also func(*graph.Target) (string, bool)) func(*graph.Target) (string, bool) {
	return func(t *graph.Target) (string, bool) {
		if o.KeptNow != nil {
			if why, kept := o.KeptNow(t); kept {
				return why, true
			}
		}
		return also(t)
	}
}

// tellOrders tells outcomes to the orders that wait for them, and each order whose acts are over that it is done.
func (l *Loop) tellOrders(outcomes []Outcome) {
	for _, w := range l.waiting {
		for _, outcome := range outcomes {
			if w.acts[outcome.ActID] {
				delete(w.acts, outcome.ActID)
				w.Told(outcome)
			}
		}
	}
	l.waiting = slices.DeleteFunc(l.waiting, func(w waiting) bool {
		if len(w.acts) == 0 {
			w.Done(nil)
		}
		return len(w.acts) == 0
	})
}
