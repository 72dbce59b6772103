package policy

import (
	"cmp"
	"math"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

// Ahead is a rule that stops a session which does nothing, and stays until then. Nothing is decided by it.
type Ahead struct {
	Rule    string
	Origin  Origin
	IdleFor time.Duration // for how long the session must have been idle
	DueAt   time.Time     // when that is over, and the rule's own time too, on the snapshot's clock
}

// SoonAhead is how long before its end a session that does nothing and stays so far is told with it.
const SoonAhead = 10 * time.Minute

// lookAhead finds, for each session that does nothing and stays, what it is bound to, and the rule that
// stops it if it goes on so, or that would if it were not bound. A session that does not count as idle yet must have
// rested for [graph.LeastIdle]: everybody pauses for a moment.
func (j judge) lookAhead(verdicts []Verdict) {
	for i := range verdicts {
		v := &verdicts[i]
		t := v.Target
		rests := t.Finding == graph.FindingIdle || t.Finding == graph.FindingNone && restedFor(t) >= graph.LeastIdle
		if t.Kind != graph.KindSession || !rests || v.Decision != Keep {
			continue
		}
		if _, stays := v.mustStay(); stays {
			continue
		}
		if veto, stays := firstToStay(j.ties.under(t)); stays {
			v.Bound, v.Spared = &veto, j.ahead(v)
		} else {
			v.Ahead = j.ahead(v)
		}
	}
}

// sessionIdle is for how long a session must do nothing until the rule matches it.
func (r *Rule) sessionIdle() time.Duration { return cmp.Or(r.Match.IdleFor, defaultSessionIdle) }

// restedFor is for how long a session has done nothing, also where only one look has seen that yet.
func restedFor(t *graph.Target) time.Duration { return t.Idle.Or(t.Rested) }

// ahead returns the first rule that will match a session that idles on, if that one acts; nil if none does.
// Rules behind the one that matches it now are not reached.
func (j judge) ahead(v *Verdict) *Ahead {
	later := *v.Target
	later.Idle = inventory.Known[time.Duration](math.MaxInt64)
	held, rested := v.Target.Held, restedFor(v.Target)
	if later.Finding == graph.FindingNone { // that it is idle will count from the beginning of this
		later.Finding, later.Incidental, held = graph.FindingIdle, false, rested
	}
	reported := time.Duration(math.MaxInt64) // from when on a rule before that only reports matches it
	for i := range j.policy.Rules {
		rule := &j.policy.Rules[i]
		if v.Rule != "" && rule.Name == v.Rule {
			return nil
		}
		if rule.MaxPerOwner > 0 || !j.claims(rule, &later) { // sessions have no owner who could have too many
			continue
		}
		least := rule.sessionIdle()
		switch {
		case !rule.Action.Reaps():
			reported = min(reported, least)
		case least < reported:
			left := max(least-rested, rule.For-held)
			if left <= 0 { // what keeps the rule from matching now is no time
				return nil
			}
			return &Ahead{Rule: rule.Name, Origin: rule.Origin, IdleFor: least, DueAt: j.now.Add(left)}
		}
	}
	return nil
}
