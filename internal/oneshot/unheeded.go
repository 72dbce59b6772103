package oneshot

import (
	"slices"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
)

// unheededPins tell of the containers that nobody owns and this user has pinned, where root's daemon
// looks after them: it does not go by these pins.
func unheededPins(others beside.Daemons, verdicts []policy.Verdict) (notes []string) {
	roots, runs := others.Of(0)
	if !runs {
		return nil
	}
	isOwn := func(v graph.Veto) bool { return v.Guard == graph.GuardPinned && v.By == "" && !v.Marked && v.For == "" }
	for _, verdict := range verdicts {
		if t := verdict.Target; t.Container != nil && t.Finding == graph.FindingOrphaned && slices.ContainsFunc(t.Vetoes, isOwn) {
			notes = append(notes, roots.IgnoresPin(t.Handle()))
		}
	}
	return notes
}
