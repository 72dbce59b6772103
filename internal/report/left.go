package report

import (
	"slices"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
)

// Attributed are verdicts for a report, with the sessions that left their targets, where
// only others have seen these sessions; owners has them by target. The targets are
// copies: nothing is judged by them.
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

// IsLeft reports a target whose owner is gone by its finding.
func IsLeft(t *graph.Target) bool {
	return t.Finding == graph.FindingOrphaned || t.Finding == graph.FindingExited
}
