package oneshot

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/asked"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/report"
	"github.com/reaperd/reaperd/internal/word"
)

// sessionNotes say why live sessions are kept that the order means, if no report of the plan
// does.
func (s *Sweep) sessionNotes() []string {
	var kept, notes []string
	which := " and in use: a sweep stops sessions only"
	for _, v := range s.meantSessions() {
		isIdle := v.Target.Finding == graph.FindingIdle
		hasRow := v.Reported() && !isIdle || isIdle && (len(v.Vetoes) > 0 || v.Protected != nil) && !s.isEarly(v)
		if v.Decision != policy.Keep || hasRow {
			continue
		}
		who := calledTarget(v.Target)
		kept = append(kept, who)
		notes = append(notes, "note: "+who+" stays: "+s.notIdle(v))
		if isIdle {
			which = ": a sweep stops sessions, idle ones too, only"
		}
	}
	switch {
	case len(kept) == 0 || s.Ends.Duplicates && s.Ends.IdleOver == 0: // its older copies are meant
		return nil
	case s.Ends.IdleOver > 0 && len(notes) > mostNamed+1:
		return append(notes[:mostNamed], "note: "+human.List(fewest(kept[mostNamed:]))+" stay too; reaperd explain says why")
	case s.Ends.IdleOver > 0:
		return notes
	}
	return []string{fmt.Sprintf("note: %s %s%s with --idle-over, or by a rule of kind session",
		human.List(kept), human.Verb(len(kept), "is a live session", "are live sessions"), which)}
}

// meantSessions are the verdicts on the sessions that the order means, those that have been
// idle for longest first. An order without names means sessions if it has --idle-over.
func (s *Sweep) meantSessions() (meant []*policy.Verdict) {
	if s.Sight == nil || len(s.Named) == 0 && s.Ends.IdleOver == 0 {
		return nil
	}
	for i := range s.View.Verdicts {
		v := &s.View.Verdicts[i]
		if v.Target.Kind == graph.KindSession && (len(s.Named) == 0 || word.AnyMeans(s.Named, v.Target)) {
			meant = append(meant, v)
		}
	}
	slices.SortStableFunc(meant, func(a, b *policy.Verdict) int { return cmp.Compare(b.Target.Idle.Or(0), a.Target.Idle.Or(0)) })
	return meant
}

// notIdle is why --idle-over does not stop a session.
func (s *Sweep) notIdle(v *policy.Verdict) string {
	switch idle := v.Target.Idle.Or(0); {
	case idle >= s.Ends.IdleOver:
		return v.Reason
	case idle < time.Second && s.unmeasured(v.Target) != "":
		return s.unmeasured(v.Target)
	case idle < time.Second:
		return "it was at work a moment ago" + s.lastSign(v.Target)
	default:
		return fmt.Sprintf("seen idle for %s%s, less than the %s asked for%s", human.Span(idle), s.sinceFirst(v.Target), human.Exact(s.Ends.IdleOver), s.alsoPinned(v.Target))
	}
}

// lastSign adds by which sign a session was last seen at work: ": its terminal is used".
func (s *Sweep) lastSign(session *graph.Target) string {
	if known := s.session(session); known != nil && known.Activity.Last.Sign != "" {
		return ": " + known.Activity.Last.String()
	}
	return ""
}

// sinceFirst adds to the idle time of a session that nobody has watched it for longer.
func (s *Sweep) sinceFirst(session *graph.Target) string {
	if known := s.session(session); known == nil || !known.Activity.AtLeast {
		return ""
	}
	if s.noDaemon() {
		return " so far, since this sweep first looked"
	}
	return " so far, since it was first looked at"
}

// earlySessions counts the sessions that the order means and that have not been idle for as long
// as was asked.
func (s *Sweep) earlySessions() (early int) {
	for _, v := range s.meantSessions() {
		if s.isEarly(v) && v.Bound == nil && v.Protected == nil && s.alsoPinned(v.Target) == "" {
			early++
		}
	}
	return early
}

// isEarly reports a session that has been idle, but not for as long as was asked.
func (s *Sweep) isEarly(v *policy.Verdict) bool {
	idle := v.Target.Idle.Or(0)
	return s.Ends.IdleOver > 0 && idle >= time.Second && idle < s.Ends.IdleOver
}

// alsoPinned adds why a session stays that a pin keeps as well, and the command that ends that.
func (s *Sweep) alsoPinned(session *graph.Target) string {
	i := slices.IndexFunc(session.Vetoes, func(veto graph.Veto) bool { return veto.Guard == graph.GuardPinned })
	if i < 0 {
		return ""
	}
	if command := s.unpin(session); command != "" {
		return "; it is pinned too: " + command + " ends that"
	}
	return "; it is kept too: " + session.Vetoes[i].Text
}

// unpin is the command that ends a person's pin of a target, or of what keeps it; "" if there
// is none.
func (s *Sweep) unpin(t *graph.Target) string {
	i := slices.IndexFunc(t.Vetoes, func(veto graph.Veto) bool { return veto.Guard == graph.GuardPinned && !veto.Marked })
	if i < 0 {
		return ""
	}
	veto := t.Vetoes[i]
	if other, found := s.View.Graph.Target(veto.For); found {
		t = other
	}
	return veto.Unpin(t.Handle())
}

// unmeasured is why nobody can tell whether a session is idle, with the sweep of root that can; ""
// if it was measured.
func (s *Sweep) unmeasured(session *graph.Target) string {
	known := s.session(session)
	if known == nil {
		return ""
	}
	sweep := s.Order.Asked
	_, roots := s.beside(context.Background()).Of(0)
	switch over := s.Ends.IdleOver; {
	case roots || over == 0:
	case over > asked.LongestSettle:
		return report.Unmeasured(s.View.Graph, known, report.OnlyRootsDaemon)
	default:
		sweep.Settle = human.Exact(over) // root's looks are the first
	}
	return report.Unmeasured(s.View.Graph, known, "sudo "+sweep.AsRoot().Sweep())
}

// session is the session of a target in the last look; nil if there is none.
func (s *Sweep) session(of *graph.Target) *graph.Session {
	if s.View.Graph == nil {
		return nil
	}
	i := slices.IndexFunc(s.View.Graph.Sessions, func(g graph.Session) bool { return g.Target == of })
	if i < 0 {
		return nil
	}
	return &s.View.Graph.Sessions[i]
}
