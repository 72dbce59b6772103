package sweep

import (
	"context"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// Times of the loop.
const (
	// foldFor is how long the loop waits for more wake-ups after the first: when a
	// session dies, its servers follow one by one.
	foldFor = 100 * time.Millisecond
	// leastGap is the least time between the end of one sweep and the start of the
	// next. A fact that two looks agree on has held for that long.
	leastGap = 250 * time.Millisecond
	// coolDown is the least gap after a sweep that acted: reports of its own acts are
	// still arriving, and processes are still ending.
	coolDown = time.Second
	// longestWait limits one wait, so that the loop notices a clock that was set, or
	// a host that slept.
	longestWait = 30 * time.Second
	// beginWithin is how long the acts of a sweep may wait for their turn. Later ones
	// are deferred to another sweep.
	beginWithin = 5 * time.Second
	// leastFinish and mostFinish limit how long running acts may go on after the
	// daemon was told to end; in between it is the longest grace of the plan. Service
	// managers wait for 30 s.
	leastFinish = 10 * time.Second
	mostFinish  = 25 * time.Second
)

// finishWithin is how long the running acts of a plan may take to end.
func finishWithin(plan policy.Plan) time.Duration {
	return min(max(leastFinish, plan.LongestGrace()+leastFinish/2), mostFinish)
}

// Round is one sweep of the loop, and the outcomes of acts since the round before.
type Round struct {
	// Again marks a repeated round: that of the last sweep, published again because
	// acts have ended. Only Outcomes and UnderWay are new.
	Again    bool
	Trigger  human.Trigger
	Policy   *policy.Policy // the one it was judged by
	Started  time.Time
	Duration time.Duration // up to the begin of its acts
	// Err is why the host could not be looked at; there is no view then.
	Err  error
	View View
	// Plan is the plan that the sweep has begun to carry out, unless Refused is set.
	Plan policy.Plan
	// Outcomes are those, since the round before, of acts of this sweep and of
	// earlier ones. UnderWay are the acts that have begun and not ended.
	Outcomes []Outcome
	UnderWay []policy.Act
	// Refused is why the plan was not carried out although the policy enforces.
	Refused error
	Paused  bool
	// Next is when the next sweep by schedule is due.
	Next time.Time
}

// Loop sweeps again and again: at the times of the schedule, when a verdict comes due,
// and when it is woken, whichever is first. One look is taken at a time;
// acts run beside it. Loop is the daemon without a host: everything that touches a
// host is passed in.
//
//	moment              rule
//	a sweep begins      at its time, however long the acts of earlier sweeps take
//	a sweep judges      targets of running acts are reaped and not planned again; targets tied to them wait
//	a sweep plans       at most max_actions acts; no user has more than that under way; users take turns
//	an act begins       within five seconds, else it is deferred to another sweep; pins, pauses and a new policy count until then
//	before a signal     the target is compared with the look and the policy that condemned it; a session that
//	                    does nothing is watched for two seconds more, in which pins and pauses still count
//	an act ends         the outcome is published at once; the loop looks again a second later
//	a kill is ignored   a process that a system call keeps alive is reported once and not acted on again
//	the loop ends       no act begins any more; running ones get their grace, at most 25 s; nothing is left stopped
type Loop struct {
	// Wakes starts a sweep at once; nil never does. A wake-up that is taken late only
	// delays the sweep.
	Wakes <-chan human.Trigger
	// Replace replaces the sweeper between two sweeps, for a policy that was
	// reloaded; nil never does.
	Replace <-chan *Sweeper
	// Orders are sweeps that people ask for; nil never has one. OnlyOrders means that the loop
	// acts on nothing else.
	Orders     <-chan *Order
	OnlyOrders bool
	// Reaped is what was reaped below live owners before the loop began.
	Reaped []graph.Reaped
	// Watch is called after every look with the processes whose exit should wake the
	// loop; nil for nobody.
	Watch func([]inventory.ID)
	// Paused reports that nothing may be acted on now; nil is never. It is also asked
	// before each act, from several goroutines.
	Paused func() bool
	// Publish is called with every round; nil for nobody.
	Publish func(Round)
	// Alive is called regularly while the loop runs and no act hangs; nil for nobody.
	Alive func()
	// AliveEvery is the longest time between two calls of Alive; zero is 30 s.
	AliveEvery time.Duration

	sweeper  *Sweeper
	previous *graph.Graph
	pending  time.Time // when the first verdict comes due; zero is none
	acts     *acts
	acted    bool      // the last sweep began acts
	ended    time.Time // when it ended
	last     Round
	untold   []Outcome
	changed  time.Time // when an act last changed anything
	again    time.Time // when to look at what acts have changed; zero is never
	reaped   []graph.Reaped
	escapes  []escape
	order    *Order // to be carried out in the next sweep
	waiting  []waiting
}

// Run sweeps until ctx ends. Acts under way are then finished, within their grace.
func (l *Loop) Run(ctx context.Context, sweeper *Sweeper) {
	l.acts, l.reaped = newActs(), l.Reaped
	l.use(sweeper)
	for by, goOn := human.TriggerStart, true; goOn; by, goOn = l.wait(ctx) {
		l.last = l.sweep(ctx, by)
		if ctx.Err() != nil {
			break
		}
		l.tell(l.last)
	}
	l.finish()
}

func (l *Loop) use(sweeper *Sweeper) {
	l.sweeper = sweeper
	sweeper.UnderWay = l.acts.now
}

// wait returns why the next sweep starts, or false if ctx has ended.
func (l *Loop) wait(ctx context.Context) (human.Trigger, bool) {
	earliest := l.ended.Add(leastGap)
	if l.acted {
		earliest = l.ended.Add(coolDown)
	}
	var tell <-chan time.Time
	for {
		l.live()
		due, by := l.due(l.next(time.Now()), earliest)
		select {
		case <-ctx.Done():
			return "", false
		case woken := <-l.Wakes:
			return woken, l.fold(ctx, earliest)
		case l.order = <-l.Orders:
			return human.TriggerSignal, l.fold(ctx, earliest)
		case sweeper := <-l.Replace:
			l.use(sweeper)
			return human.TriggerReload, l.fold(ctx, earliest)
		case <-l.acts.news:
			tell = time.After(foldFor)
		case <-tell:
			tell = nil
			l.tellEnded()
		case <-time.After(min(time.Until(due), l.aliveEvery())):
			if !time.Now().Before(due) {
				return by, true
			}
		}
	}
}

// next is the next time of the schedule. If the clock was set back since the last
// sweep, it counts from now.
func (l *Loop) next(now time.Time) time.Time {
	if now.Round(0).Before(l.ended.Round(0)) {
		l.ended = now
	}
	return l.sweeper.Policy.Schedule.Next(l.ended)
}

// due is the earliest of the schedule, the first pending verdict and the look after
// acts; never before earliest.
func (l *Loop) due(schedule, earliest time.Time) (time.Time, human.Trigger) {
	at, by := schedule, human.TriggerSchedule
	for _, other := range []time.Time{l.pending, l.again} {
		if !other.IsZero() && (at.IsZero() || other.Before(at)) {
			at, by = other, human.TriggerDue
		}
	}
	if at.IsZero() { // a schedule that never comes again
		return time.Now().Add(longestWait), human.TriggerSchedule
	}
	if at.Before(earliest) {
		at = earliest
	}
	return at, by
}

// fold consumes the wake-ups that follow the first one.
func (l *Loop) fold(ctx context.Context, earliest time.Time) bool {
	timer := time.NewTimer(max(foldFor, time.Until(earliest)))
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-l.Wakes:
		case sweeper := <-l.Replace:
			l.use(sweeper)
		case <-timer.C:
			return true
		}
	}
}

// sweep makes one sweep and keeps what the next one needs.
func (l *Loop) sweep(ctx context.Context, by human.Trigger) Round {
	l.collect()
	l.forget(time.Now())
	round := Round{Trigger: by, Policy: l.sweeper.Policy, Started: time.Now()}
	l.acted, l.again = false, l.againAfter(round.Started)
	l.look(ctx, &round)
	switch order := l.order; {
	case order != nil && round.Err != nil:
		order.Done(round.Err)
	case order != nil:
		l.obey(ctx, &round, order)
	case round.Err == nil:
		l.act(ctx, &round)
	}
	l.order = nil
	l.ended = time.Now()
	l.pending = pendingAt(round.View.Verdicts)
	round.Duration = l.ended.Sub(round.Started)
	round.Next = l.sweeper.Policy.Schedule.Next(l.ended)
	return round
}

// act begins the plan, if the policy enforces and nobody has paused it.
func (l *Loop) act(ctx context.Context, round *Round) {
	g := round.View.Graph
	round.Plan = withoutGrace(policy.MakePlan(round.View.Verdicts, l.sweeper.Policy, g.Snapshot.Moment()), g, l.escapes)
	round.Paused = l.Paused != nil && l.Paused()
	if len(round.Plan.Acts) == 0 || round.Paused || l.OnlyOrders || l.sweeper.Policy.Mode != policy.ModeEnforce {
		return
	}
	sweeper := *l.sweeper
	sweeper.KeptNow = l.keptNow(ctx)
	reaper, err := sweeper.reaperFor(round.Plan, round.View, inventory.Moment{At: time.Now()})
	if err != nil {
		round.Refused = err
		return
	}
	reaper.Options.BeginWithin = beginWithin
	l.acts.begin(ctx, reaper, round.Plan, round.View)
	l.acted = true
}

// keptNow reports that an act must not begin any more because the loop is to end or is
// paused.
func (l *Loop) keptNow(ctx context.Context) func(*graph.Target) (string, bool) {
	also := l.sweeper.KeptNow
	return func(target *graph.Target) (string, bool) {
		switch {
		case ctx.Err() != nil:
			return "reaperd was told to end before it began", true
		case l.Paused != nil && l.Paused():
			return "it was paused since", true
		case also != nil:
			return also(target)
		}
		return "", false
	}
}

// actsWithin is how long the acts of a plan count as alive: each several times its
// grace, for a slow engine or kernel, and those that wait for a place one after the
// other. After that the daemon no longer reports that it is alive, and a service
// manager may restart it.
func actsWithin(plan policy.Plan) time.Duration {
	const beside, least = 15 * time.Second, 10 * time.Minute
	rounds := len(plan.Acts)/max(1, plan.Concurrency) + 1
	return max(least, time.Duration(rounds)*(2*plan.LongestGrace()+beside))
}

func (l *Loop) aliveEvery() time.Duration {
	if l.AliveEvery <= 0 {
		return longestWait
	}
	return min(l.AliveEvery, longestWait)
}

// outlasting is a context for a running act: it ends that long after ctx.
func outlasting(ctx context.Context, after time.Duration) (context.Context, context.CancelFunc) {
	acting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(after)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel()
		case <-acting.Done():
		}
	})
	return acting, func() { stop(); cancel() }
}

// pendingAt is when the first pending verdict comes due: people have been told that time. Zero if none does.
func pendingAt(verdicts []policy.Verdict) time.Time {
	var first time.Time
	for i := range verdicts {
		if v := &verdicts[i]; v.Decision == policy.Pending && !v.DueAt.IsZero() && (first.IsZero() || v.DueAt.Before(first)) {
			first = v.DueAt
		}
	}
	return first
}
