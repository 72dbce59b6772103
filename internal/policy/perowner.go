package policy

import (
	"cmp"
	"slices"

	"github.com/reaperd/reaperd/internal/graph"
)

// beyond are the verdicts over the limit of their owner. Targets that are already
// being reaped count first: else as many again would be chosen meanwhile. Targets that
// are kept anyway count too and are chosen last. In between the longest idle come
// first, then the oldest.
func beyond(limit int, claimed []*Verdict, goes func(*graph.Target) bool) map[*Verdict]bool {
	over := map[*Verdict]bool{}
	owned := map[graph.Owner][]*Verdict{}
	for _, v := range claimed {
		if owner := v.Target.Owner; (!owner.ID.IsZero() || owner.Name != "") && !v.Target.Deduced {
			key := graph.Owner{ID: owner.ID, Name: owner.Name}
			owned[key] = append(owned[key], v)
		}
	}
	for _, copies := range owned {
		slices.SortStableFunc(copies, func(a, b *Verdict) int {
			return cmp.Or(compareBool(!goes(a.Target), !goes(b.Target)), leastMissed(a, b))
		})
		for _, v := range copies[:max(0, len(copies)-limit)] {
			over[v] = true
		}
	}
	return over
}

func leastMissed(a, b *Verdict) int {
	return cmp.Or(
		compareBool(len(a.Target.Vetoes) > 0, len(b.Target.Vetoes) > 0),
		cmp.Compare(b.Target.Idle.Or(0), a.Target.Idle.Or(0)),
		cmp.Compare(b.Target.Age, a.Target.Age),
		cmp.Compare(a.Target.ID, b.Target.ID))
}
