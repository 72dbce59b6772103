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

// copies are older copies, and for how long one of them has been idle at the most.
type copies struct {
	names   []string
	longest time.Duration
}

// sawIdle tells for how long they were seen idle: "seen idle for 2m 54s so far at the longest".
func (c copies) sawIdle() string {
	text := "seen idle for " + human.Span(c.longest) + " so far"
	switch {
	case c.longest < time.Second:
		return "at work a moment ago"
	case len(c.names) > 1:
		text += " at the longest"
	}
	return text
}

// busyCopies counts the older copies, none of which has been idle for as long as the rules
// about them want: "2 older copies here, seen idle for 2m 54s so far at the longest; the rule
// wants 30m."
func (s *Sweep) busyCopies() string {
	older := s.olderCopies()
	if len(older.names) == 0 || older.longest >= s.wantsIdle() {
		return ""
	}
	return fmt.Sprintf("%s here, %s; %s.", human.Count(len(older.names), "older copy"), older.sawIdle(), s.idleWish())
}

// idleWish is what the rules about older copies want: "the rule wants 30m (idle_for in
// policies.yaml)".
func (s *Sweep) idleWish() string {
	return "the rule wants " + human.Exact(s.wantsIdle()) + " (idle_for in policies.yaml)"
}

// isCopyOfNamed reports an older copy of a session that the order names: --duplicates ends a
// session's older copies, and never the session.
func (s *Sweep) isCopyOfNamed(t *graph.Target) bool {
	return s.Ends.Duplicates && isOlderCopy(t) && t.Owner.Kind == graph.OwnerSession && t.Owner.Liveness == graph.LivenessLive &&
		slices.ContainsFunc(s.Named, func(name string) bool { return word.IsOwner(name, t.Owner) })
}

// isOlderCopy reports a server or container of which its owner has a newer copy, also one that
// was at work a moment ago.
func isOlderCopy(t *graph.Target) bool {
	return t.Finding == graph.FindingDuplicate || t.Generation > 1 && t.Finding == graph.FindingNone
}

// noCopies goes on after "codex 12 stays": why --duplicates stops nothing of so many named
// things.
func (s *Sweep) noCopies(named int) string {
	switch {
	case len(s.olderCopies().names) > 0:
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

// olderCopies are those that the order means.
func (s *Sweep) olderCopies() (older copies) {
	if s.Sight == nil || s.View.Graph == nil {
		return copies{}
	}
	for _, t := range s.View.Graph.Targets {
		if isOlderCopy(t) && (len(s.Named) == 0 || word.AnyMeans(s.Named, t) || s.isCopyOfNamed(t)) {
			older.add(t)
		}
	}
	return older
}

func (c *copies) add(t *graph.Target) {
	c.names, c.longest = append(c.names, calledTarget(t)), max(c.longest, t.Idle.Or(0))
}

// laterCopies tells of the older copies that stay beside those that the plan stops.
func (s *Sweep) laterCopies() []string {
	if !s.Ends.Duplicates || s.Sight == nil {
		return nil
	}
	var later copies
	ends := 0
	for _, v := range s.narrowed() {
		switch t := v.Target; {
		case t.Finding == graph.FindingDuplicate && v.Decision == policy.Reap:
			ends++
		case isOlderCopy(t) && len(v.Vetoes) == 0 && t.Idle.Or(0) < s.wantsIdle():
			later.add(t)
		}
	}
	n := len(later.names)
	if n == 0 || ends == 0 {
		return nil
	}
	return []string{fmt.Sprintf("note: %s %s: %s, %s; %s", human.List(fewest(later.names)), human.Verb(n, "stays", "stay"),
		human.Verb(n, "an older copy too", "older copies too"), later.sawIdle(), s.idleWish())}
}

// wantsIdle is how long the rules of the order about duplicates want a target to have done
// nothing.
func (s *Sweep) wantsIdle() (longest time.Duration) {
	for _, rule := range s.Policy.Rules {
		if slices.Contains(s.Rules, rule.Name) && slices.Contains(rule.Match.Findings, graph.FindingDuplicate) {
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
	return s.onceIdle(len(s.olderCopies().names), s.wantsIdle())
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
	only := ""
	if asks.Action == policy.ActionReport {
		only = "only with --duplicates, and "
	}
	return []string{fmt.Sprintf("note: %s %s: a sweep stops %s %sonce %s %s", human.List(fewest(copies)),
		human.Verb(n, "is an older copy", "are older copies"), human.Verb(n, "it", "them"), only, human.Verb(n, "it has", "they have"), asks.Wants)}
}
