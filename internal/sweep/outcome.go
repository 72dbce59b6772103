package sweep

import (
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/graph"
)

// collect takes the outcomes of acts, and keeps what the next looks need.
func (l *Loop) collect() {
	ended := l.acts.take()
	l.tellOrders(ended)
	for _, outcome := range ended {
		if outcome.changed() {
			l.changed = outcome.At
			l.again = l.againAfter(time.Time{})
		}
		if outcome.Result == done.Deferred {
			continue // nothing was done: another sweep plans it again
		}
		l.remember(outcome)
		l.untold = append(l.untold, outcome)
	}
}

// changed reports a reason to look again: an act ended something, let something
// escape, or was deferred; or the watch of a session showed why that stays.
func (o *Outcome) changed() bool {
	return o.Result.Gone() || o.Result == done.Escaped || o.Result == done.Deferred || o.Result == done.Changed && o.Took >= watchIdle
}

// againAfter is when to look at the changes that acts have made, given the time of a
// look: after the processes that end with theirs are gone. Later acts do not postpone
// it.
func (l *Loop) againAfter(look time.Time) time.Time {
	switch at := l.changed.Add(coolDown); {
	case l.again.After(look):
		return l.again
	case !l.changed.IsZero() && at.After(look):
		return at
	}
	return time.Time{}
}

// remember notes what was reaped below a live gateway or session, so that respawns are
// noticed, and what escaped.
func (l *Loop) remember(o Outcome) {
	if o.Act.Owner.Recognised() && o.Act.Owner.Liveness == graph.LivenessLive && o.Result.Gone() && len(o.Act.After) == 0 { // a runner counts as its container
		l.reaped = append(l.reaped, graph.Reaped{Owner: o.Act.Owner.ID, Target: o.TargetID, Name: o.Act.Name, From: o.from, Until: o.At})
	}
	if o.Result == done.Escaped {
		o.lineage.at, o.lineage.survivors = o.At, append(o.lineage.survivors, o.Survivors...)
		l.escapes = append(l.escapes, o.lineage)
	}
}

// forget drops what was remembered for long enough.
func (l *Loop) forget(now time.Time) {
	l.reaped = slices.DeleteFunc(l.reaped, func(r graph.Reaped) bool { return now.Sub(r.Until) > graph.ReapedMemory })
	l.escapes = slices.DeleteFunc(l.escapes, func(e escape) bool { return now.Sub(e.at) > escapeMemory })
}

// tell publishes a round with the outcomes since the one before.
func (l *Loop) tell(round Round) {
	l.acts.tookBegun()
	round.Outcomes, round.UnderWay = l.untold, l.acts.list()
	l.untold = nil
	if l.Publish != nil {
		l.Publish(round)
	}
}

// tellEnded publishes the outcomes since the last round, and that acts have begun, if there is either.
func (l *Loop) tellEnded() {
	l.collect()
	if len(l.untold) == 0 && !l.acts.tookBegun() {
		return
	}
	round := l.last
	round.Again = true
	l.tell(round)
}

// live calls Alive, unless an act hangs. Without that call a service manager may
// restart the daemon.
func (l *Loop) live() {
	if l.Alive != nil && !l.acts.hang(time.Now()) {
		l.Alive()
	}
}

// finish waits for the running acts and publishes their outcomes.
func (l *Loop) finish() {
	done := make(chan struct{})
	go func() {
		l.acts.running.Wait()
		close(done)
	}()
	tick := time.NewTicker(l.aliveEvery())
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			l.live()
		case <-done:
			l.tellEnded()
			return
		}
	}
}
