package account

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
)

// rule names the rule that decided, what it wants, and what would be done.
func (e *explainer) rule(v *policy.Verdict, t *Thing) {
	text := e.noRule(v)
	if v.Rule != "" && v.Protected == nil {
		text = Words(v.Rule + ", ").Then(folder(v.RuleOrigin.String()))
		switch head := e.things[t.Head]; {
		case head != nil:
			text = text.say(", by way of " + head.Called())
		case v.Target.Likely && v.Needs > 0:
			text = text.say("; it must be at rest for " + human.Exact(v.Needs) + ", and has been for " + human.Span(v.Held))
		case t.Finding != graph.FindingNone:
			text = text.say(fmt.Sprintf("; for: %s, held %s, agreed by %s", human.Exact(v.For), human.Span(v.Held), human.Count(v.Target.Looks, "look")))
		}
	}
	e.say("rule", text)
	switch {
	case v.Protected != nil:
	case v.Action == policy.ActionReport && len(t.Guards) == 0:
		change := policy.ChangeOf(v.Rule, v.RuleOrigin, "action: "+string(policy.ActionOn(v.Target.Kind)), e.Policy)
		e.say("to act", Words(change.Where+":"))
		e.say("", Words(change.Line))
	case v.Decision != policy.Keep && t.Fate != Ending && t.Head == "":
		e.say("would do", Words(e.deed(v, t)))
		e.say("", Words(strings.Join(e.effect(v, t), "; ")))
	}
}

// noRule says that no rule is about a target, or which will be once that has rested for longer.
func (e *explainer) noRule(v *policy.Verdict) Text {
	switch {
	case v.Protected != nil:
		return Words("none is asked: what the policy protects stays")
	case e.things[v.Head] != nil:
		return Words("none: it ends with its container, by that one's rule")
	case v.Unread != "":
		return Words("none, as far as can be read; " + v.Unread + " may name it")
	case v.Awaits != nil:
		least, rested := v.Awaits.Rest(v.Target)
		text := Words("none yet: " + v.Awaits.Name + ", ").Then(folder(v.Awaits.Origin.String()))
		return text.say(", wants an idle time of " + human.Exact(least) + "; it has " + human.Span(rested))
	}
	return Words("none names it")
}

// deed tells each step of an act.
func (e *explainer) deed(v *policy.Verdict, t *Thing) string {
	for _, id := range t.Containers {
		if container := e.things[id]; container != nil && container.Decision != keeps {
			return "stop its container " + container.Handle + ", with which it exits, then look again"
		}
	}
	switch grace := human.Exact(v.Grace); {
	case t.Kind == graph.KindContainer && v.Action == policy.ActionRemove:
		return "stop the container within " + grace + ", then remove it, then look again"
	case t.Kind == graph.KindContainer:
		return "stop the container within " + grace + ", then look again"
	case len(t.PIDs) > 1:
		return "SIGTERM to " + human.Count(len(t.PIDs), "process") + ", SIGKILL after " + grace + ", then look again"
	default:
		return "SIGTERM to " + strconv.Itoa(t.PID) + ", SIGKILL after " + grace + ", then look again"
	}
}

// effect tells what an act means for the session, and for what is below the target.
func (e *explainer) effect(v *policy.Verdict, t *Thing) (parts []string) {
	if b := v.Bundle; b != nil && (t.Kind == graph.KindGateway || t.Kind == graph.KindSession) {
		parts = append(parts, human.Count(len(b.Members), "thing")+" that it holds "+human.Verb(len(b.Members), "goes", "go")+" with it")
	}
	lives := t.Owner.String() + " lives on"
	switch {
	case t.Owner.Liveness == graph.LivenessGone:
		return append(parts, "no session loses anything")
	case t.Owner.Liveness != graph.LivenessLive || t.Owner.Name == "":
		return parts
	case t.Finding == graph.FindingDuplicate:
		lives += " and keeps the newer copy"
	}
	return append(parts, lives)
}
