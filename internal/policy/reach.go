package policy

import (
	"cmp"
	"math"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

// reaches reports that the target exceeds what the rule tolerates. Where the rule
// does not say, the defaults apply.
func (r *Rule) reaches(t *graph.Target) bool {
	least, _ := r.Rest(t)
	isIdle := least == 0 || alone(t).isIdleFor(least) == yes
	switch t.Finding {
	case graph.FindingZombies:
		return t.Zombies >= cmp.Or(r.Match.ZombiesOver, defaultZombies)
	case graph.FindingRespawning:
		return t.Respawns >= cmp.Or(r.Match.RespawnsOver, defaultRespawns)
	case graph.FindingDuplicate:
		return isIdle && t.Generation > cmp.Or(r.KeepNewest, defaultKeepNewest)
	case graph.FindingIdle:
		return isIdle
	case graph.FindingNone:
		return r.MaxPerOwner > 0 || !r.mayBeDuplicate(t)
	}
	return true
}

// mayBeDuplicate reports an older copy that only one look has seen: the next one tells whether it is at work, or has
// the finding duplicate and needs the idle time that the rule asks for.
func (r *Rule) mayBeDuplicate(t *graph.Target) bool {
	return t.Generation > cmp.Or(r.KeepNewest, defaultKeepNewest) && t.Looks < leastLooks && !t.Idle.IsKnown()
}

// Rest is for how long a rule wants a session or an older copy to have done nothing, and for how long it has. Zero: it
// does not want it, as a hard limit also reaches copies that are in use.
func (r *Rule) Rest(t *graph.Target) (least, rested time.Duration) {
	switch isSession := t.Kind == graph.KindSession; {
	case isSession && (t.Finding == graph.FindingIdle || t.Finding == graph.FindingNone):
		return cmp.Or(r.Match.IdleFor, defaultSessionIdle), t.Idle.Or(t.Rested) // also where only one look has seen that
	case t.Finding == graph.FindingDuplicate && r.MaxPerOwner == 0:
		return cmp.Or(r.Match.IdleFor, DefaultIdleFor), t.Idle.Or(0)
	}
	return 0, 0
}

// awaits notes on a verdict whether the rule matches its target once that has done nothing for longer. The rule that
// then stops it is the first that acts, unless one before it only reports it by that time. A session must have rested for
// [graph.LeastIdle] before it is told: everybody pauses for a moment.
func (j judge) awaits(rule *Rule, v *Verdict) {
	least, rested := rule.Rest(v.Target)
	isPause := rested == 0 || v.Target.Finding == graph.FindingNone && rested < graph.LeastIdle
	if least <= rested || rule.MaxPerOwner > 0 || !j.claims(rule, atRest(v.Target)) {
		return
	}
	if v.Target.Finding == graph.FindingDuplicate && v.Awaits == nil {
		v.Awaits = rule
	}
	switch isSooner := v.reported == 0 || least < v.reported; {
	case !rule.Action.Reaps() && isSooner:
		v.reported = least
	case rule.Action.Reaps() && isSooner && v.next == nil && !isPause:
		v.next = rule
	}
}

// atRest is a target as it will be if it does nothing for as long as any rule wants.
func atRest(t *graph.Target) *graph.Target {
	later := *t
	later.Idle = inventory.Known[time.Duration](math.MaxInt64)
	if t.Finding == graph.FindingNone {
		later.Finding, later.Incidental = graph.FindingIdle, false
	}
	return &later
}
