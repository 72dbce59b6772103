package report

import (
	"slices"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/word"
)

// Attributed adds to verdicts, for a report, the sessions that left their targets, where
// these looks have not seen the sessions but a daemon has. owners has them by target. The
// targets are copies: nothing is judged by them.
func Attributed(verdicts []policy.Verdict, owners map[string]graph.Owner) []policy.Verdict {
	verdicts = slices.Clone(verdicts)
	for i := range verdicts {
		t := verdicts[i].Target
		owner, known := owners[t.ID]
		if !known || t.Owner.Name != "" || !IsLeft(t) {
			continue
		}
		copied := *t
		copied.Owner, verdicts[i].Target = owner, &copied
	}
	return verdicts
}

// LeftIn are the sessions that have ended, by what they left in a look: as the look knows
// them, else as by tells.
func LeftIn(g *graph.Graph, by func(target string) (graph.Owner, bool)) word.Left {
	left := word.Left{}
	for _, t := range g.Targets {
		if !IsLeft(t) || t.Owner.Liveness == graph.LivenessLive {
			continue
		}
		if t.Owner.Name != "" {
			left[t.ID] = t.Owner
		} else if owner, known := by(t.ID); known {
			left[t.ID] = owner
		}
	}
	return left
}

// IsLeft reports a target whose owner is gone by its finding.
func IsLeft(t *graph.Target) bool {
	return t.Finding == graph.FindingOrphaned || t.Finding == graph.FindingExited
}
