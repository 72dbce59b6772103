package policy

import (
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
)

// Switches let one sweep act where a policy only reports. The zero
// value changes nothing.
type Switches struct {
	Duplicates bool
	// IdleOver ends sessions that have been idle for longer; zero ends none.
	IdleOver time.Duration
	// Named: a person names what is to end. So orphaned sessions go that are named.
	Named bool
}

// The switches as they are typed.
const (
	switchDuplicates = "--duplicates"
	switchIdleOver   = "--idle-over"
)

// Switched is the policy with the switches on, and the names of the rules that now
// act. For duplicates these are the policy's own rules.
func (p *Policy) Switched(s Switches) (switched *Policy, rules []string) {
	changed := *p
	changed.Rules = slices.Clone(p.Rules)
	if s.Duplicates {
		rules = changed.endDuplicates()
	}
	if s.Named {
		changed.endOrphanedSessions()
	}
	if s.IdleOver > 0 {
		rule := Rule{
			Name: "idle-over", Match: Match{Kinds: []graph.Kind{graph.KindSession}, Findings: []graph.Finding{graph.FindingIdle}, IdleFor: s.IdleOver},
			Action: ActionTerminate, Grace: defaultGrace, Origin: Origin{File: switchIdleOver}, bySwitch: switchIdleOver,
		}
		changed.Rules = append([]Rule{rule}, changed.Rules...)
		rules = append(rules, rule.Name)
	}
	return &changed, rules
}

// endOrphanedSessions makes every rule that is only about orphaned sessions act.
func (p *Policy) endOrphanedSessions() {
	for i := range p.Rules {
		rule := &p.Rules[i]
		isAbout := slices.Equal(rule.Match.Findings, []graph.Finding{graph.FindingOrphaned}) && slices.Equal(rule.Match.Kinds, []graph.Kind{graph.KindSession})
		if isAbout && !rule.Action.Reaps() {
			rule.Action = ActionTerminate
		}
	}
}

// endDuplicates makes every rule that is only about duplicates act.
func (p *Policy) endDuplicates() (rules []string) {
	for i := range p.Rules {
		rule := &p.Rules[i]
		if !slices.Equal(rule.Match.Findings, []graph.Finding{graph.FindingDuplicate}) {
			continue
		}
		if !rule.Action.Reaps() {
			rule.Action, rule.bySwitch = ActionTerminate, switchDuplicates
		}
		rules = append(rules, rule.Name)
	}
	return rules
}
