package policy

import (
	"cmp"
	"math"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
)

// Threshold is a number or a time that a rule asks for and a target has not reached.
// Nothing else keeps the rule from matching the target.
type Threshold struct {
	// Rule is "" for the usual idle time of an older copy that no rule is about: none matches it then, and it is told
	// as one.
	Rule   string
	Origin Origin
	Action Action
	// Key is the threshold's key in policies.yaml, such as "zombies_over". Wants is what the
	// rule asks for, "100 zombies", and Has what there is of it, "12".
	Key, Wants, Has string
	IdleFor         time.Duration // the least idle time, if that is the threshold; else zero
}

// reaches reports that the target exceeds what the rule tolerates. Where the rule
// does not say, the defaults apply.
func (r *Rule) reaches(t *graph.Target) bool {
	switch t.Finding {
	case graph.FindingZombies:
		return t.Zombies >= cmp.Or(r.Match.ZombiesOver, defaultZombies)
	case graph.FindingRespawning:
		return t.Respawns >= cmp.Or(r.Match.RespawnsOver, defaultRespawns)
	case graph.FindingDuplicate:
		// A hard limit also reaches copies that are in use, unless the rule says
		// otherwise.
		idle := r.MaxPerOwner > 0 || alone(t).isIdleFor(cmp.Or(r.Match.IdleFor, DefaultIdleFor)) == yes
		return idle && t.Generation > cmp.Or(r.KeepNewest, defaultKeepNewest)
	case graph.FindingIdle:
		return alone(t).isIdleFor(r.sessionIdle()) == yes
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

// threshold returns the first rule whose threshold alone a target has not reached, or the usual one of an older copy that
// no rule is about; nil if there is none.
func (j judge) threshold(t *graph.Target, unread string) *Threshold {
	for _, finding := range approached(t) {
		beyond := *t
		beyond.Finding = finding
		beyond.Zombies, beyond.Respawns = math.MaxInt, math.MaxInt
		beyond.Idle = inventory.Known[time.Duration](math.MaxInt64)
		for i := range j.policy.Rules {
			rule := &j.policy.Rules[i]
			if lacks, missing := rule.lacks(t, finding); missing && j.claims(rule, &beyond) {
				return &lacks
			}
		}
	}
	if lacks, missing := (&Rule{}).lacks(t, t.Finding); missing && t.Finding == graph.FindingDuplicate && unread == "" {
		return &lacks
	}
	return nil
}

// approached are the findings that a target has or comes closer to, of those for which
// rules have thresholds.
func approached(t *graph.Target) (findings []graph.Finding) {
	if t.Finding == graph.FindingDuplicate {
		return []graph.Finding{t.Finding}
	}
	if t.Zombies > 0 && (t.Finding == graph.FindingNone || t.Finding == graph.FindingZombies) {
		findings = append(findings, graph.FindingZombies)
	}
	if t.Respawns > 0 && (t.Finding == graph.FindingNone || t.Finding == graph.FindingRespawning) {
		findings = append(findings, graph.FindingRespawning)
	}
	return findings
}

// lacks returns the rule's threshold for a finding; missing is whether a target has not
// reached it.
func (r *Rule) lacks(t *graph.Target, finding graph.Finding) (lacks Threshold, missing bool) {
	lacks = Threshold{Rule: r.Name, Origin: r.Origin, Action: r.Action}
	switch finding {
	case graph.FindingZombies:
		least := cmp.Or(r.Match.ZombiesOver, defaultZombies)
		lacks.Key, lacks.Wants, lacks.Has = "zombies_over", human.Count(least, "zombie"), human.Number(t.Zombies)
		return lacks, t.Zombies < least
	case graph.FindingRespawning:
		least := cmp.Or(r.Match.RespawnsOver, defaultRespawns)
		lacks.Key, lacks.Wants, lacks.Has = "respawns_over", human.Count(least, "respawn"), human.Number(t.Respawns)
		return lacks, t.Respawns < least
	case graph.FindingDuplicate:
		least, idle := cmp.Or(r.Match.IdleFor, DefaultIdleFor), t.Idle.Or(0)
		lacks.Key, lacks.Wants, lacks.Has = "idle_for", "an idle time of "+human.Exact(least), human.Span(idle)
		lacks.IdleFor = least
		return lacks, r.MaxPerOwner == 0 && idle < least
	}
	return lacks, false
}
