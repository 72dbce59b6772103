package oneshot

import (
	"fmt"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/usage"
	"github.com/reaperd/reaperd/internal/word"
)

// sessionNotes say why live sessions that were named are kept, if no report of the plan does.
func (s *Sweep) sessionNotes() []string {
	var kept, notes []string
	which := " and in use: a sweep stops sessions only"
	for i := range s.View.Verdicts {
		v := &s.View.Verdicts[i]
		isIdle := v.Target.Finding == graph.FindingIdle
		if !word.AnyMeans(s.Named, v.Target) || v.Target.Kind != graph.KindSession || v.Decision != policy.Keep || v.Reported() && !isIdle {
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
	case s.Ends.IdleOver > 0:
		return notes
	}
	return []string{fmt.Sprintf("note: %s %s%s with --idle-over, or by a rule of kind session",
		human.List(kept), human.Verb(len(kept), "is a live session", "are live sessions"), which)}
}

// notIdle is why --idle-over does not stop a session.
func (s *Sweep) notIdle(v *policy.Verdict) string {
	switch idle := v.Target.Idle.Or(0); {
	case idle >= s.Ends.IdleOver:
		return v.Reason
	case idle < time.Second && s.isUnmeasured(v.Target):
		return "not all that it does can be measured"
	case idle < time.Second:
		return "it is at work"
	default:
		return fmt.Sprintf("seen idle for %s%s, less than the %s asked for", human.Span(idle), s.sinceFirst(v.Target), human.Exact(s.Ends.IdleOver))
	}
}

// sinceFirst adds to the idle time of a session that nobody has watched it for longer.
func (s *Sweep) sinceFirst(session *graph.Target) string {
	if known := s.session(session); known == nil || !known.Activity.AtLeast {
		return ""
	}
	return " so far, since it was first looked at"
}

// sessionHint is the command to type once sessions that are idle have been so for as long as
// was asked.
func (s *Sweep) sessionHint() []string {
	if s.Ends.IdleOver == 0 {
		return nil
	}
	early, longest := s.earlySessions()
	if early > 0 && len(s.Named) == 0 && s.endsSessions() { // the plan tells of others
		return []string{fmt.Sprintf("note: %s more here, seen idle for %s; --idle-over asks for %s", human.Count(early, "session"), soFar(longest, early), human.Exact(s.Ends.IdleOver))}
	}
	return s.onceIdle(early, s.Ends.IdleOver)
}

// earlySessions counts the sessions that the order means and that have not been idle for long
// enough, and tells for how long one of them has been at the most.
func (s *Sweep) earlySessions() (early int, longest time.Duration) {
	if s.Sight == nil {
		return 0, 0
	}
	for i := range s.View.Verdicts {
		t := s.View.Verdicts[i].Target
		isMeant := t.Kind == graph.KindSession && (len(s.Named) == 0 || word.AnyMeans(s.Named, t))
		if idle := t.Idle.Or(0); isMeant && idle >= time.Second && idle < s.Ends.IdleOver {
			early, longest = early+1, max(longest, idle)
		}
	}
	return early, longest
}

// soFar is the longest idle time of some things: "24s so far"; of several "24s so far at the
// longest".
func soFar(longest time.Duration, things int) string {
	text := human.Span(longest) + " so far"
	if things > 1 {
		text += " at the longest"
	}
	return text
}

// noneIdle says that no session has been idle for as long as was asked, as far as looks have
// seen: nobody knows what a session did before the first of them.
func (s *Sweep) noneIdle() string {
	early, longest := s.earlySessions()
	if early == 0 {
		return "No session here has been idle for " + human.Exact(s.Ends.IdleOver) + "."
	}
	return fmt.Sprintf("%s here, seen idle for %s; --idle-over asks for %s.", human.Count(early, "session"), soFar(longest, early), human.Exact(s.Ends.IdleOver))
}

// isUnmeasured reports a session of which the last look could not measure everything.
func (s *Sweep) isUnmeasured(session *graph.Target) bool {
	known := s.session(session)
	return known != nil && known.Activity.Last.Sign == usage.SignUnknown
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
