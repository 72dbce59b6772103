package report

import (
	"fmt"
	"slices"

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
		ahead, does, but = session.Spared, "would stop", ", but "+reasonOf(session.Bound.Sentence()).text
	case ahead == nil:
		return ""
	case v.daemonActs():
		does = "stops"
	}
	return fmt.Sprintf("rule %s %s %s once it has been idle for %s%s", ahead.Rule, does, what, human.Exact(ahead.IdleFor), but)
}

// aheadOfHolder is [view.aheadText] of the session that holds a target; empty too if the target's own pin keeps
// the session.
func (v *view) aheadOfHolder(t *graph.Target) string {
	head := v.onHolder(t)
	if head == nil || v.sparesHolder(t) != "" {
		return ""
	}
	return v.aheadText(head, called(head.Target)+", with all that it holds,")
}

// onHolder is the verdict on the session that holds a target; nil if none does.
func (v *view) onHolder(t *graph.Target) *policy.Verdict {
	holder := v.holder(t)
	if holder == nil {
		return nil
	}
	verdict, _ := v.verdict(holder.Target.ID)
	return verdict
}

// sayAhead says which rule stops which of the idle sessions that stay, if they go on idling.
func (v *view) sayAhead(s *screen, resting verdicts) {
	for _, verdict := range resting {
		if text := v.aheadText(verdict, called(verdict.Target)); text != "" {
			s.wrap("   ", text)
		}
	}
}

// sparesHolder adds that a pin of a target keeps the session too that holds it; empty if it does not.
func (v *view) sparesHolder(t *graph.Target) string {
	head := v.onHolder(t)
	if head == nil || head.Bound == nil || head.Bound.For != t.ID {
		return ""
	}
	if head.Spared == nil {
		return fmt.Sprintf(" That keeps %s too.", called(head.Target))
	}
	return fmt.Sprintf(" That keeps %s too, which rule %s would stop once it has been idle for %s.", called(head.Target), head.Spared.Rule, human.Exact(head.Spared.IdleFor))
}

// explainAhead writes, for a session or for something that a session holds, the lines about the rule that stops the
// session if it goes on idling, or would if it held nothing that must stay: where the rule is written, when it comes,
// and the command that keeps the session. It returns false, and writes nothing, if there is no such rule.
func (v *view) explainAhead(lines explanation, t *graph.Target) bool {
	head, way := v.onHolder(t), ""
	if t.Kind == graph.KindSession {
		head, _ = v.verdict(t.ID)
	} else if head != nil {
		way = ", by way of " + called(head.Target)
	}
	if head == nil || head.Ahead == nil && head.Spared == nil {
		return false
	}
	ahead, when := head.Spared, ""
	if ahead == nil {
		ahead, when = head.Ahead, v.aheadIn(head.Ahead)
	}
	lines.say("rule", fmt.Sprintf("none yet: %s, %s, at an idle time of %s (%s)%s%s",
		ahead.Rule, v.originText(ahead.Origin), human.Exact(ahead.IdleFor), keyIdleFor, way, when))
	if v.in.Replay {
		return true
	}
	if way != "" {
		lines.say("see also", literal("reaperd explain "+handle(head.Target)))
	}
	if head.Spared == nil && !v.in.NoRoom { // else it is kept already, or a pin is refused
		lines.say("keep it", literal(v.pin(head.Target)))
	}
	return true
}

// soonText says when the daemon stops sessions that do nothing and stay so far, if that is soon: a sentence with a
// space before it; empty if it stops none.
func (v *view) soonText() string {
	var first *policy.Verdict
	n, asked := 0, newChoice(v.in, v.options.Names)
	for i := range v.in.Verdicts {
		verdict := &v.in.Verdicts[i]
		if verdict.Ahead == nil || verdict.Ahead.DueAt.Sub(v.at) > policy.SoonAhead || !asked.shows(verdict.Target) && !v.showsHeldBy(verdict.Target) {
			continue
		}
		if n++; first == nil || verdict.Ahead.DueAt.Before(first.Ahead.DueAt) {
			first = verdict
		}
	}
	if n == 0 || !v.daemonActs() || v.in.Command != "scan" {
		return ""
	}
	which := called(first.Target)
	if !asked.shows(first.Target) { // something was asked for that it holds
		which += ", with all that it holds,"
	} else if n > 1 {
		which += ", the first of " + human.Count(n, "session") + ","
	}
	return " The daemon stops " + which + dueIn(first.Ahead.DueAt.Sub(v.at)) + " if it goes on doing nothing."
}

// showsHeldBy reports that something is shown which a session holds.
func (v *view) showsHeldBy(session *graph.Target) bool {
	return session.Root != nil && slices.ContainsFunc(v.shown, func(shown *policy.Verdict) bool {
		return slices.ContainsFunc(v.held[session.Root.ID()], func(held *graph.Target) bool { return held.ID == shown.Target.ID })
	})
}

// aheadIn tells when the daemon comes to that rule; empty if none acts.
func (v *view) aheadIn(ahead *policy.Ahead) string {
	if left := ahead.DueAt.Sub(v.at); v.daemonActs() && !v.in.Paused && left > 0 {
		return ", in " + human.ToGo(left) + " if it goes on doing nothing"
	}
	return ""
}
