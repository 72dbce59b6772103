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

// copies are older copies, and for how long one of them has been idle at the most. Of containers that this
// user cannot measure it is not known.
type copies struct {
	names      []string
	longest    time.Duration
	unmeasured int
}

// sawIdle tells for how long they were seen idle: "seen idle for 2m 54s so far at the longest".
func (c copies) sawIdle() string {
	switch text := "seen idle for " + human.Span(c.longest) + " so far"; {
	case c.longest < time.Second:
		return "at work a moment ago"
	case len(c.names) > 1:
		return text + " at the longest"
	default:
		return text
	}
}

// busyCopies counts the older copies, none of which has been idle for as long as the rules
// about them want: "2 older copies here, seen idle for 2m 54s so far at the longest; rule
// duplicates wants 30m (idle_for)."
func (s *Sweep) busyCopies() string {
	older := s.olderCopies()
	n := len(older.names)
	switch {
	case n == 0 && older.unmeasured > 0:
		return fmt.Sprintf("%s here, and whether %s cannot be measured by this user.", human.Count(older.unmeasured, "older copy"), human.Verb(older.unmeasured, "it idles", "they idle"))
	case n == 0 || older.longest >= s.wantsIdle():
		return ""
	case older.unmeasured > 0:
		return fmt.Sprintf("%s here, %s, and %d more that cannot be measured by this user; %s.", human.Count(n, "older copy"), older.sawIdle(), older.unmeasured, s.idleWish())
	}
	return fmt.Sprintf("%s here, %s; %s.", human.Count(n, "older copy"), older.sawIdle(), s.idleWish())
}

// idleWish is what the rules about older copies want: "rule duplicates wants 30m (idle_for)".
func (s *Sweep) idleWish() string {
	var names []string
	for _, rule := range s.aboutDuplicates() {
		names = append(names, human.Safe(rule.Name))
	}
	return human.Verb(len(names), "rule ", "rules ") + human.List(names) + human.Verb(len(names), " wants ", " want ") + human.Exact(s.wantsIdle()) + " (idle_for)"
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

// olderCopies are those that the order means, but for those that go with their session.
func (s *Sweep) olderCopies() (older copies) {
	if s.Sight == nil || s.View.Graph == nil {
		return copies{}
	}
	goes := map[*graph.Target]bool{}
	for _, v := range s.narrowed() {
		goes[v.Target] = v.Decision == policy.Reap && v.With != ""
	}
	for _, t := range s.View.Graph.Targets {
		if isOlderCopy(t) && !goes[t] && (len(s.Named) == 0 || word.AnyMeans(s.Named, t) || s.isCopyOfNamed(t)) {
			older.add(t)
		}
	}
	return older
}

func (c *copies) add(t *graph.Target) {
	if t.Kind == graph.KindContainer && !t.Idle.IsKnown() {
		c.unmeasured++
		return
	}
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
		case isOlderCopy(t) && v.Decision != policy.Reap && v.EndsWith == "" && len(v.Vetoes) == 0 && t.Idle.Or(0) < s.wantsIdle():
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
	for _, rule := range s.aboutDuplicates() {
		longest = max(longest, rule.Match.IdleFor)
	}
	return longest
}

func (s *Sweep) aboutDuplicates() []policy.Rule {
	return slices.DeleteFunc(slices.Clone(s.Policy.Rules), func(rule policy.Rule) bool {
		return !slices.Contains(s.Rules, rule.Name) || !slices.Contains(rule.Match.Findings, graph.FindingDuplicate)
	})
}

// staysFor is for how long the rules of the order about duplicates want a copy to be idle and
// to be known as an older one.
func (s *Sweep) staysFor() time.Duration {
	longest := s.wantsIdle()
	for _, rule := range s.aboutDuplicates() {
		longest = max(longest, rule.For)
	}
	return longest
}

// onceIdle is the command to type once what the order means has been idle for as long as was
// asked. A sweep that no daemon helps has a hint of its own, see [Sweep.idleNotes]; one that
// stops some of it now has none.
func (s *Sweep) onceIdle() []string {
	if s.noDaemon() || len(s.Named) == 0 && s.endsSessions() {
		return nil
	}
	var waits []string
	sessions, older := s.earlySessions(), 0
	if s.Ends.Duplicates && s.busyCopies() != "" {
		older = len(s.olderCopies().names)
	}
	for _, kind := range []struct {
		n         int
		one, many string
		least     time.Duration
	}{{sessions, "the session has", "the sessions have", s.Ends.IdleOver}, {older, "the older copy has", "the older copies have", s.staysFor()}} {
		if kind.n > 0 {
			waits = append(waits, human.Verb(kind.n, kind.one, kind.many)+" been idle for "+human.Exact(kind.least))
		}
	}
	if len(waits) == 0 {
		return nil
	}
	return []string{"hint: " + s.Order.Asked.Sweep() + "   once " + strings.Join(waits, ", or ")}
}

// copyNotes say why older copies that were named are kept, which count as in use until they
// have been idle for as long as the rule about them asks.
func (s *Sweep) copyNotes() []string {
	var older []string
	var asks *policy.Threshold
	for i := range s.View.Verdicts {
		if v := &s.View.Verdicts[i]; v.Rests() && v.Threshold.Rule != "" && word.AnyMeans(s.Named, v.Target) {
			older, asks = append(older, calledTarget(v.Target)), v.Threshold
		}
	}
	n := len(older)
	if n == 0 || s.Ends.Duplicates {
		return nil
	}
	only := ""
	if asks.Action == policy.ActionReport {
		only = "only with --duplicates, and "
	}
	return []string{fmt.Sprintf("note: %s %s: a sweep stops %s %sonce %s %s", human.List(fewest(older)),
		human.Verb(n, "is an older copy", "are older copies"), human.Verb(n, "it", "them"), only, human.Verb(n, "it has", "they have"), asks.Wants)}
}
