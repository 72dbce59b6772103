package sweep

import (
	"context"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/trigger"
)

// Times of the loop.
const (
	// foldFor is how long the loop waits after a wake-up for more of them: a
	// session that dies takes its servers with it one by one.
	foldFor = 100 * time.Millisecond
	// leastGap is the least time between the ends of one sweep and the start of
	// the next. What two looks agree on must have been true for that long.
	leastGap = 250 * time.Millisecond
	// coolDown is the least gap after a sweep that acted: its own doing is still
	// being reported, and what goes down with it is still going.
	coolDown = time.Second
	// longestWait bounds one wait, so that a clock that was set, or a host that
	// slept, is noticed.
	longestWait = 30 * time.Second
	// beginWithin is for how long the acts of a sweep may wait for their turn. What has
	// not begun by then is looked at anew and planned by another sweep.
	beginWithin = 5 * time.Second
	// leastFinish and mostFinish bound how long acts that have begun may go on
	// once the daemon was told to end; in between it is the longest grace of the
	// plan. A service manager waits for 30 s.
	leastFinish = 10 * time.Second
	mostFinish  = 25 * time.Second
)

// finishWithin is how long the acts of a plan that have begun may take to end.
func finishWithin(plan policy.Plan) time.Duration {
	return min(max(leastFinish, longestGrace(plan)+leastFinish/2), mostFinish)
}

func longestGrace(plan policy.Plan) time.Duration {
	longest := time.Duration(0)
	for _, act := range plan.Acts {
		longest = max(longest, act.Grace)
	}
	return longest
}

// Round is one sweep of the loop, and what came of acts since the round before.
type Round struct {
	// Again marks the last sweep's round, told once more because acts have come to
	// their end. New are Outcomes and UnderWay.
	Again    bool
	Trigger  trigger.Trigger
	Policy   *policy.Policy // the one it was judged by
	Started  time.Time
	Duration time.Duration // until its acts had begun
	// Err is why the host could not be looked at; there is no view then.
	Err  error
	View View
	// Plan is what the sweep has begun, where nothing refused it.
	Plan policy.Plan
	// Outcomes are what came, since the round before, of the acts of this sweep and of
	// earlier ones; UnderWay are the acts that have begun and not ended.
	Outcomes []Outcome
	UnderWay []policy.Act
	// Refused is why a plan was not carried out although the policy enforces.
	Refused error
	Paused  bool
	// Next is when the next sweep by schedule is due.
	Next time.Time
}

// Loop sweeps again and again: at the times of the schedule, when a pending
// verdict comes due, and when something wakes it, the earliest of these. It looks
// and judges once at a time, and acts go on beside it. It is the daemon without a
// host: everything that touches one is handed in.
type Loop struct {
	// Wakes starts a sweep at once; nil never does. A reader that is slow to
	// take a wake-up loses nothing but promptness.
	Wakes <-chan trigger.Trigger
	// Replace puts another sweeper in place between two sweeps, for a policy
	// that was reloaded; nil never does.
	Replace <-chan *Sweeper
	// Watch is told after every look whose end should wake the loop; nil is nobody.
	Watch func([]inventory.ID)
	// Paused tells that nothing may be acted on now; nil is never. It is asked
	// before each act too, from several goroutines.
	Paused func() bool
	// Publish is told of every sweep, and of what came of its acts; nil is nobody.
	Publish func(Round)
	// Alive is told again and again that the loop goes on, unless an act hangs; nil is
	// nobody.
	Alive func()
	// AliveEvery is how often Alive is told at least; zero is every 30 s.
	AliveEvery time.Duration
	// NewID names a sweep in the journal.
	NewID func() string

	sweeper  *Sweeper
	previous *graph.Graph
	pending  time.Time // when the first pending verdict comes due; zero is none
	acts     *acts
	acted    bool      // the last sweep began acts
	ended    time.Time // when it ended
	last     Round
	untold   []Outcome
	changed  time.Time // when an act last changed anything
	again    time.Time // when to look at what acts have changed; zero is never
	reaped   []graph.Reaped
	escapes  []escape
}

// Run sweeps until the context ends. An act that is under way then is finished,
// within its grace.
func (l *Loop) Run(ctx context.Context, sweeper *Sweeper) {
	l.acts = newActs()
	l.use(sweeper)
	for by, goOn := trigger.Start, true; goOn; by, goOn = l.wait(ctx) {
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

// wait returns why the next sweep starts, or false where the context ended.
func (l *Loop) wait(ctx context.Context) (trigger.Trigger, bool) {
	earliest := l.ended.Add(leastGap)
	if l.acted {
		earliest = l.ended.Add(coolDown)
	}
	var tell <-chan time.Time
	for {
		l.live()
		due, by := l.due(l.next(time.Now()), earliest)
		timer := time.NewTimer(min(time.Until(due), l.aliveEvery()))
		select {
		case <-ctx.Done():
			timer.Stop()
			return "", false
		case woken := <-l.Wakes:
			timer.Stop()
			return woken, l.fold(ctx, earliest)
		case sweeper := <-l.Replace:
			timer.Stop()
			l.use(sweeper)
			return trigger.Reload, l.fold(ctx, earliest)
		case <-l.acts.news:
			timer.Stop()
			tell = time.After(foldFor)
		case <-tell:
			timer.Stop()
			tell = nil
			l.tellEnded()
		case <-timer.C:
			if !time.Now().Before(due) {
				return by, true
			}
		}
	}
}

// next is when the schedule sweeps next. Where the clock was set back since the
// last sweep it counts from now: what is the past by then is no time to wait for.
func (l *Loop) next(now time.Time) time.Time {
	if now.Round(0).Before(l.ended.Round(0)) {
		l.ended = now
	}
	return l.sweeper.Policy.Schedule.Next(l.ended)
}

// due is the earliest of schedule, pending verdict and what acts have changed, and
// never before earliest.
func (l *Loop) due(schedule, earliest time.Time) (time.Time, trigger.Trigger) {
	at, by := schedule, trigger.Schedule
	for _, other := range []time.Time{l.pending, l.again} {
		if !other.IsZero() && (at.IsZero() || other.Before(at)) {
			at, by = other, trigger.Due
		}
	}
	if at.IsZero() { // a schedule that never comes again
		return time.Now().Add(longestWait), trigger.Schedule
	}
	if at.Before(earliest) {
		at = earliest
	}
	return at, by
}

// fold swallows the wake-ups that follow the first one.
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

// sweep makes one sweep and remembers what the next one needs.
func (l *Loop) sweep(ctx context.Context, by trigger.Trigger) Round {
	l.collect()
	l.forget(time.Now())
	round := Round{Trigger: by, Policy: l.sweeper.Policy, Started: time.Now()}
	l.acted, l.again = false, l.againAfter(round.Started)
	l.look(ctx, &round)
	if round.Err == nil {
		l.act(ctx, &round)
	}
	l.ended = time.Now()
	l.pending = pendingAt(round.View.Verdicts)
	round.Duration = l.ended.Sub(round.Started)
	round.Next = l.sweeper.Policy.Schedule.Next(l.ended)
	return round
}

// act begins what the policy asks for, where it enforces and nobody paused it.
func (l *Loop) act(ctx context.Context, round *Round) {
	g := round.View.Graph
	round.Plan = withoutGrace(l.sweeper.Plan(round.View.Verdicts, g), g, l.escapes)
	round.Paused = l.Paused != nil && l.Paused()
	if len(round.Plan.Acts) == 0 || round.Paused || l.sweeper.Policy.Mode != policy.ModeEnforce {
		return
	}
	sweeper := *l.sweeper
	sweeper.Spared = l.spared(ctx)
	reaper, err := sweeper.reaperFor(round.Plan, round.View, inventory.Moment{At: time.Now()})
	if err != nil {
		round.Refused = err
		return
	}
	reaper.Options.BeginWithin = beginWithin
	l.acts.begin(ctx, reaper, round.Plan, round.View, l.NewID())
	l.acted = true
}

// spared tells what is not begun any more once the loop is to end or is paused.
func (l *Loop) spared(ctx context.Context) func(*graph.Target) (string, bool) {
	also := l.sweeper.Spared
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

// actsWithin is for how long the acts of a plan count as alive: each as many
// times its grace as an engine or a kernel may need, those that wait for a place
// after one another. After that a service manager may think what it likes.
func actsWithin(plan policy.Plan) time.Duration {
	const beside, least = 15 * time.Second, 10 * time.Minute
	rounds := len(plan.Acts)/max(1, plan.Concurrency) + 1
	return max(least, time.Duration(rounds)*(2*longestGrace(plan)+beside))
}

func (l *Loop) aliveEvery() time.Duration {
	if l.AliveEvery <= 0 {
		return longestWait
	}
	return min(l.AliveEvery, longestWait)
}

// outlasting is a context for an act that has begun: it ends that long after the
// one it comes from.
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

// pendingAt is when the first pending verdict comes due; zero is none. What waits for
// something else than a time has none.
func pendingAt(verdicts []policy.Verdict) time.Time {
	var first time.Time
	for i := range verdicts {
		v := &verdicts[i]
		if v.Decision == policy.Pending && !v.DueAt.IsZero() && (first.IsZero() || v.DueAt.Before(first)) {
			first = v.DueAt
		}
	}
	return first
}
