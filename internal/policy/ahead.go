package policy

import (
	"cmp"
	"math"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

// Ahead is a rule that stops an idle session which stays until then. Nothing is decided by it.
type Ahead struct {
	Rule    string
	Origin  Origin
	IdleFor time.Duration // for how long the session must have been idle
	DueAt   time.Time     // when that is over, and the rule's own time too, on the snapshot's clock
}

// lookAhead finds, for each idle session that stays, the rule that stops it if it goes on idling.
func (j judge) lookAhead(verdicts []Verdict) {
	for i := range verdicts {
		v := &verdicts[i]
		isIdle := v.Target.Kind == graph.KindSession && v.Target.Finding == graph.FindingIdle
		if isIdle && v.Decision == Keep && !j.ties.mustAllStay(v) {
			v.Ahead = j.ahead(v)
		}
	}
}

// ahead returns the first rule that will match an idle session, if that one acts; nil if none does.
// Rules behind the one that matches it now are not reached.
func (j judge) ahead(v *Verdict) *Ahead {
	later := *v.Target
	later.Idle = inventory.Known[time.Duration](math.MaxInt64)
	reported := time.Duration(math.MaxInt64) // from when on a rule before that only reports matches it
	for i := range j.policy.Rules {
		rule := &j.policy.Rules[i]
		if v.Rule != "" && rule.Name == v.Rule {
			return nil
		}
		if !j.claims(rule, &later) {
			continue
		}
		least := cmp.Or(rule.Match.IdleFor, defaultSessionIdle)
		switch {
		case !rule.Action.Reaps():
			reported = min(reported, least)
		case least < reported:
			due := j.now.Add(max(least-v.Target.Idle.Or(0), rule.For-v.Target.Held, 0))
			return &Ahead{Rule: rule.Name, Origin: rule.Origin, IdleFor: least, DueAt: due}
		}
	}
	return nil
}
