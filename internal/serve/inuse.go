package serve

import (
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// showInUse counts what is in use and how much of that rules stop, and what may be in use, as `reaperd scan` does.
// It leaves out what idle sessions hold, also through gateways, and what has ended or is being stopped.
func (m *Metrics) showInUse(reported []*policy.Verdict, who clients, isEnded func(target string) bool) {
	idle, unclear := map[inventory.ID]bool{}, map[string]bool{}
	for _, v := range reported {
		t := v.Target
		if t.Finding == graph.FindingIdle && t.Root != nil {
			idle[t.Root.ID()] = true
		}
		unclear[t.ID] = t.Kind == graph.KindGateway && t.Finding == graph.FindingNone && !isUsed(v) && !goes(v)
	}
	containers := 0
	m.state.TargetsInUse, m.state.TargetsInUseGoing, m.state.TargetsMaybeInUse = 0, 0, 0
	for _, v := range reported {
		session, _ := who.sessionOf(v.Target)
		switch t := v.Target; {
		case t.Kind == graph.KindSession, !isUsed(v), idle[session], isEnded(t.ID), isEnded(v.EndsWith):
		case who.isUnproven(t, unclear):
			m.state.TargetsMaybeInUse++
		default:
			m.state.TargetsInUse++
			if t.Kind == graph.KindContainer {
				containers++
			}
			if goes(v) {
				m.state.TargetsInUseGoing++
			}
		}
	}
	m.state.ContainersInUse = &containers
}

// goes reports a target that is reaped, now or later, or that ends with one that is.
func goes(v *policy.Verdict) bool { return v.Decision != policy.Keep || v.EndsWith != "" }

// isUsed reports a target that somebody uses and that nothing is wrong with, also if a rule stops it.
func isUsed(v *policy.Verdict) bool {
	kept := *v
	kept.Decision, kept.EndsWith = policy.Keep, ""
	return kept.InUse()
}

// isUnproven reports a target in use of which nobody knows by whom: who uses it, or a gateway above it, cannot be
// seen, or nothing proves whose that gateway is. unclear has the ids of such gateways.
func (c clients) isUnproven(t *graph.Target, unclear map[string]bool) bool {
	for range deepest {
		above := c.targets[t.Owner.ID.String()]
		switch {
		case t.Owner.IsUnseen():
			return true
		case above == nil || above.Kind != graph.KindGateway || above == t:
			return false
		case unclear[above.ID]:
			return true
		}
		t = above
	}
	return false
}
