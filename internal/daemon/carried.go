package daemon

import (
	"context"
	"sync"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/sweep"
)

// carried is an order that the loop carries out. The loop never waits for whoever hears of it, and may go on
// after that has gone.
type carried struct {
	*order
	ctx   context.Context // of who waits for it
	shown []string

	mu       sync.Mutex
	planned  *account.Plan
	outcomes []policy.Outcome
	graph    *graph.Graph     // by which it is carried out
	acts     chan account.Act // to be told, with room for all of them
	told     chan struct{}    // closes when all are told
}

// plan is what was shown and still holds of a look.
func (c *carried) plan(first *graph.Graph, l account.Look, underWay policy.UnderWay, tell func(account.Act)) (sweep.View, policy.Plan) {
	judged := c.judged(l, underWay, 2)
	plan := policy.StillHolds(c.shown, c.order.plan(judged))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.graph, c.planned = judged.Graph, account.PlanOf(account.Of(judged).For(c.reader), c.meant(judged), plan.Acts, c.Order)
	c.acts, c.told = make(chan account.Act, len(plan.Acts)+len(underWay.Acts)), make(chan struct{})
	go c.tell(tell)
	return sweep.View{First: first, Graph: judged.Graph, Verdicts: judged.Verdicts}, plan
}

// tell hands on each act until there are no more, or nobody waits.
func (c *carried) tell(tell func(account.Act)) {
	defer close(c.told)
	for {
		select {
		case act, more := <-c.acts:
			if !more {
				return
			}
			tell(act)
		case <-c.ctx.Done():
			return
		}
	}
}

// keptNow keeps what may not be ended: that of a person who has gone, and what is not that person's,
// such as what goes along with a session.
func (c *carried) keptNow(t *graph.Target) (why string, kept bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx.Err() != nil {
		return "nobody waits for the sweep any more", true
	}
	return "it, or a part of it, is another user's", !c.owns(c.graph, t)
}

func (c *carried) ended(outcome sweep.Outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.outcomes = append(c.outcomes, outcome.Told())
	c.acts <- account.ActOf(outcome.Told())
}

// result waits until all is told, once the order is over, and returns what was planned and what came of it.
func (c *carried) result() (*account.Plan, []policy.Outcome) {
	close(c.acts)
	<-c.told
	return c.planned, c.outcomes
}
