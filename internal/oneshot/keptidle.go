package oneshot

import (
	"fmt"
	"slices"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
)

// keptIdle counts the idle sessions that a guard or the policy's protect keeps from the sweep:
// "1 session here has done nothing for 8h, and is pinned."
func (s *Sweep) keptIdle() string {
	kept := s.guardedIdle()
	n := len(kept)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s here %s done nothing for %s, and %s %s.", human.Count(n, "session"), human.Verb(n, "has", "have"),
		human.Exact(s.Ends.IdleOver), human.Are(n), s.howKept(kept))
}

// howKept says what keeps idle sessions: "pinned", "protected by the policy", "kept by the pin of fetch 22".
func (s *Sweep) howKept(kept []policy.Verdict) string {
	byPolicy := func(v policy.Verdict) bool { return v.Protected != nil || v.Vetoes[0].Guard == graph.GuardProtected }
	if !slices.ContainsFunc(kept, func(v policy.Verdict) bool { return !byPolicy(v) }) {
		return "protected by the policy"
	}
	how := "pinned"
	for _, v := range kept {
		if byPolicy(v) {
			return "left alone"
		}
		switch veto := v.Vetoes[0]; {
		case veto.Guard != graph.GuardPinned:
			return "left alone"
		case veto.For == "":
		case len(kept) > 1:
			how = "kept by pins"
		default:
			how = "kept by the pin of " + s.wordFor(veto.For, calledTarget)
		}
	}
	return how
}

// guardedIdle are the verdicts on the idle sessions that a guard or the policy's protect keeps from the
// sweep.
func (s *Sweep) guardedIdle() (kept []policy.Verdict) {
	for _, v := range s.narrowed() {
		if v.Target.Finding == graph.FindingIdle && (len(v.Vetoes) > 0 || v.Protected != nil) && !s.isEarly(&v) {
			kept = append(kept, v)
		}
	}
	return kept
}

// protectedIdle are the verdicts on the idle sessions that the policy's protect keeps.
func (s *Sweep) protectedIdle() (kept []policy.Verdict) {
	for _, v := range s.View.Verdicts {
		if v.Target.Finding == graph.FindingIdle && v.Protected != nil && !s.isEarly(&v) {
			kept = append(kept, v)
		}
	}
	return kept
}

// idleByRule counts the idle sessions that the rules of the order only report.
func (s *Sweep) idleByRule() (n int) {
	for _, v := range s.narrowed() {
		if v.Target.Finding == graph.FindingIdle && v.Action == policy.ActionReport {
			n++
		}
	}
	return n
}

// unpins names the commands that end the pins of idle sessions that the order means without
// naming them; those that it names have a row of their own.
func (s *Sweep) unpins() (hints []string) {
	if s.Sight == nil || s.Ends.IdleOver == 0 || len(s.Named) > 0 {
		return nil
	}
	for _, v := range s.guardedIdle() {
		command, what := s.unpin(v.Target), "   ends the pin of "
		if veto, pinned := pinOfAnother(&v); command == "" && pinned && s.stops() { // else the plan names it
			command, what = veto.Unpin(s.wordFor(veto.For, (*graph.Target).Handle)), "   ends the pin that keeps "
		}
		if command != "" && len(hints) < mostNamed {
			hints = append(hints, "hint: "+command+what+calledTarget(v.Target))
		}
	}
	return hints
}

// pinOfAnother is the pin by which a session stays that is not pinned itself: a person has pinned something that would
// end with it. It returns false if that is not what keeps the session.
func pinOfAnother(v *policy.Verdict) (pin graph.Veto, pinned bool) {
	if len(v.Vetoes) == 0 {
		return pin, false
	}
	pin = v.Vetoes[0]
	return pin, pin.Guard == graph.GuardPinned && pin.For != "" && !pin.Marked
}
