package report

import (
	"fmt"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
)

// aheadText says which rule stops a session that stays so far, if it goes on idling, or what keeps the
// session from that; empty if no rule does. what names the session.
func (v *view) aheadText(session *policy.Verdict, what string) string {
	ahead, does, but := session.Ahead, v.voice.verb(policy.ActionTerminate), ""
	switch {
	case session.Spared != nil:
		ahead, does, but = &session.Spared.Ahead, "would stop", ", but "+reasonOf(session.Spared.Veto.Sentence()).text
	case ahead == nil:
		return ""
	case v.daemonActs():
		does = "stops"
	}
	return fmt.Sprintf("rule %s %s %s once it has been idle for %s%s", ahead.Rule, does, what, human.Exact(ahead.IdleFor), but)
}

// aheadOfHolder is [view.aheadText] of the session that holds a target.
func (v *view) aheadOfHolder(t *graph.Target) string {
	session := v.holder(t)
	if session == nil {
		return ""
	}
	head, found := v.verdict(session.Target.ID)
	if !found {
		return ""
	}
	return v.aheadText(head, called(head.Target)+", with all that it holds,")
}

// sayAhead says which rule stops which of the idle sessions that stay, if they go on idling.
func (v *view) sayAhead(s *screen, resting verdicts) {
	for _, verdict := range resting {
		if text := v.aheadText(verdict, called(verdict.Target)); text != "" {
			s.wrap("   ", text)
		}
	}
}

// explainAhead names the rule that stops a session if it goes on idling, where that is written, and the
// command that keeps the session: for the session, or for what it holds. False if no rule does.
func (v *view) explainAhead(lines explanation, t *graph.Target) bool {
	session, way := t, ""
	if t.Kind != graph.KindSession {
		holder := v.holder(t)
		if holder == nil {
			return false
		}
		session, way = holder.Target, ", by way of "+called(holder.Target)
	}
	head, found := v.verdict(session.ID)
	if !found || head.Ahead == nil {
		return false
	}
	ahead := head.Ahead
	lines.say("rule", fmt.Sprintf("none yet: %s, %s, at an idle time of %s (%s)%s%s",
		ahead.Rule, v.originText(ahead.Origin), human.Exact(ahead.IdleFor), keyIdleFor, way, v.aheadIn(ahead)))
	if v.in.Replay {
		return true
	}
	if way != "" {
		lines.say("see also", literal("reaperd explain "+handle(session)))
	}
	if !v.in.NoRoom { // else a pin is refused
		lines.say("keep it", literal(v.pin(session)))
	}
	return true
}

// aheadIn tells when the daemon comes to that rule; empty if none acts.
func (v *view) aheadIn(ahead *policy.Ahead) string {
	if left := ahead.DueAt.Sub(v.at); v.daemonActs() && !v.in.Paused && left >= time.Second {
		return ", in " + human.Span(left) + " if it goes on doing nothing"
	}
	return ""
}
