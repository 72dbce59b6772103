package oneshot

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/word"
)

// busyCopies counts the older copies that have not been idle for as long as the rules about
// them want: "2 older copies here, seen idle for 2m 54s so far; the rule wants 30m."
func (s *Sweep) busyCopies() string {
	copies, idle := s.olderCopies()
	if copies == 0 || idle >= s.wantsIdle() {
		return ""
	}
	return fmt.Sprintf("%s here, seen idle for %s so far; the rule wants %s (idle_for in policies.yaml).",
		human.Count(copies, "older copy"), human.Span(idle), human.Exact(s.wantsIdle()))
}

// isCopyOfNamed reports an older copy of a session that the order names: --duplicates ends a
// session's older copies, and never the session.
func (s *Sweep) isCopyOfNamed(t *graph.Target) bool {
	return s.Ends.Duplicates && t.Finding == graph.FindingDuplicate && t.Owner.Kind == graph.OwnerSession && t.Owner.Liveness == graph.LivenessLive &&
		slices.ContainsFunc(s.Named, func(name string) bool { return word.IsOwner(name, t.Owner) })
}

// noCopies goes on after "codex 12 stays": why --duplicates stops nothing of so many named
// things.
func (s *Sweep) noCopies(named int) string {
	copies, _ := s.olderCopies()
	switch {
	case copies > 0:
		return strings.TrimSuffix(". "+s.busyCopies(), " ")
	case named == 1 && s.isNewest():
		return ": it is the newest copy, and --duplicates stops older ones only."
	case named == 1:
		return ": it neither is an older copy that does nothing, nor has one."
	}
	return ": none of them is an older copy that does nothing, or has one."
}

// isNewest reports that the order names the newest of several copies.
func (s *Sweep) isNewest() bool {
	return s.View.Graph != nil && slices.ContainsFunc(s.View.Graph.Targets, func(t *graph.Target) bool { return t.Generation == 1 && word.AnyMeans(s.Named, t) })
}

// olderCopies counts the older copies that the order means, and tells for how long one of them
// has been idle at the most.
func (s *Sweep) olderCopies() (copies int, idle time.Duration) {
	if s.Sight == nil || s.View.Graph == nil {
		return 0, 0
	}
	for _, t := range s.View.Graph.Targets {
		if t.Finding == graph.FindingDuplicate && (len(s.Named) == 0 || word.AnyMeans(s.Named, t) || s.isCopyOfNamed(t)) {
			copies, idle = copies+1, max(idle, t.Idle.Or(0))
		}
	}
	return copies, idle
}

// wantsIdle is how long the rules of the order want a target to have done nothing.
func (s *Sweep) wantsIdle() (longest time.Duration) {
	for _, rule := range s.Policy.Rules {
		if slices.Contains(s.Rules, rule.Name) {
			longest = max(longest, rule.Match.IdleFor)
		}
	}
	return longest
}

// copyHint is the command to type once the older copies have been idle for as long as the
// rules about them want.
func (s *Sweep) copyHint() []string {
	if !s.Ends.Duplicates || s.busyCopies() == "" {
		return nil
	}
	copies, _ := s.olderCopies()
	return s.onceIdle(copies, s.wantsIdle())
}

// onceIdle is the hint to sweep again once so many things have been idle for a time. A sweep
// that no daemon helps has a hint of its own, see [Sweep.idleNotes].
func (s *Sweep) onceIdle(things int, least time.Duration) []string {
	if things == 0 || s.sweeper == nil || s.sweeper.Recalled.Sessions == nil {
		return nil
	}
	return []string{fmt.Sprintf("hint: %s   once %s been idle for %s", s.Order.Asked.Sweep(), human.Verb(things, "it has", "they have"), human.Exact(least))}
}

// copyNotes say why older copies that were named are kept, which count as in use until they
// have been idle for as long as the rule about them asks.
func (s *Sweep) copyNotes() []string {
	var copies []string
	var asks *policy.Threshold
	for i := range s.View.Verdicts {
		if v := &s.View.Verdicts[i]; v.Rests() && word.AnyMeans(s.Named, v.Target) {
			copies, asks = append(copies, calledTarget(v.Target)), v.Threshold
		}
	}
	n := len(copies)
	if n == 0 || s.Ends.Duplicates {
		return nil
	}
	if more := n - mostNamed; more > 1 {
		copies = append(copies[:mostNamed], human.Number(more)+" more")
	}
	only := ""
	if asks.Action == policy.ActionReport {
		only = "only with --duplicates, and "
	}
	return []string{fmt.Sprintf("note: %s %s: a sweep stops %s %sonce %s %s", human.List(copies),
		human.Verb(n, "is an older copy", "are older copies"), human.Verb(n, "it", "them"), only, human.Verb(n, "it has", "they have"), asks.Wants)}
}
