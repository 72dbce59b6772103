package report

import (
	"fmt"
	"slices"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
)

// pinOf returns why a target is pinned: "" if it is not, or is nil.
func pinOf(t *graph.Target) string {
	if t == nil {
		return ""
	}
	i := slices.IndexFunc(t.Vetoes, isPin)
	if i < 0 {
		return ""
	}
	return reasonOf(t.Vetoes[i].Sentence()).text
}

func isPin(v graph.Veto) bool { return v.Guard == graph.GuardPinned }

// unsaidPin returns why a target is pinned, if its verdict does not say so: a pin is
// among the verdict's guards only where a rule would act without them.
func unsaidPin(v *policy.Verdict) string {
	if slices.ContainsFunc(v.Vetoes, isPin) {
		return ""
	}
	return pinOf(v.Target)
}

// pinMark stands behind the name of a group: "  pinned", or how many are if not all.
func (vs verdicts) pinMark() string {
	switch n := len(vs.where(func(v *policy.Verdict) bool { return unsaidPin(v) != "" })); n {
	case 0:
		return ""
	case len(vs):
		return "  pinned"
	default:
		return fmt.Sprintf("  %s pinned", human.Number(n))
	}
}

// pinMark stands behind the name of a session.
func pinMark(s *graph.Session) string {
	if pinOf(s.Target) == "" {
		return ""
	}
	return "  pinned"
}

// alsoPinned adds to the first sentence of an explanation that the thing is pinned.
func alsoPinned(pin string) string {
	if pin == "" {
		return ""
	}
	return " It is pinned."
}
