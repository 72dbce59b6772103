package report

import (
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
)

// goingText counts the targets of acts that go on: " 1 container is being removed."; empty if
// there are none.
func (v *view) goingText() string {
	text := ""
	for _, imminent := range []bool{false, true} {
		for _, action := range []policy.Action{policy.ActionTerminate, policy.ActionRemove} {
			vs := v.on(leaving).where(func(verdict *policy.Verdict) bool { return verdict.Action == action && verdict.Imminent == imminent })
			if len(vs) > 0 {
				text += " " + vs.number() + " " + human.Are(len(vs)) + " " + action.Stage(imminent) + "."
			}
		}
	}
	return text
}

// leavingSections show the targets of acts that go on, by rule.
func (v *view) leavingSections(s *screen) {
	heading := ""
	for _, c := range v.causes(v.ownCause(v.on(leaving))) {
		if next := strings.ToUpper(c.action.Stage(c.imminent)) + " " + v.glyphs.dot + " rule " + c.rule; next != heading {
			s.gap()
			s.section(red, next)
			heading = next
		}
		for _, g := range c.groups {
			s.row(v.groupRow(g))
			v.holding(s, g.verdicts[0])
			v.goingWithGateway(s, g.verdicts)
		}
		v.endsWith(s, c)
		first := c.verdicts()[0]
		if c.imminent && v.mayPin(first) {
			s.wrap("   ", literal(v.pin(first.Target))+" keeps it")
		}
		if grace := first.Grace; grace > 0 {
			s.wrap("   ", "what has not ended by itself after "+human.Exact(grace)+" is killed")
		}
		v.leftByOne(s, c.verdicts(), "")
	}
}

// goingWithGateway names what goes with gateways that nobody owns.
func (v *view) goingWithGateway(s *screen, gateways verdicts) {
	goes := v.all.where(func(other *policy.Verdict) bool { return slices.Contains(gateways, v.leakedAround(other)) })
	if len(goes) > 0 {
		s.wrap("   ", "with it: "+human.List(v.namesAlong(goes)))
	}
}

// explainLeaving names the rule of an act that goes on. It is too late to keep the target.
func (v *view) explainLeaving(lines explanation, verdict *policy.Verdict) {
	lines.say("rule", verdict.Rule+", "+v.originText(verdict.RuleOrigin))
	if !strings.HasPrefix(verdict.Reason, "it is "+verdict.Action.Stage(verdict.Imminent)) { // the first sentence says that
		lines.say("", sentence(verdict.Reason))
	}
	if verdict.Grace > 0 {
		lines.say("", v.graceText(verdict))
	}
	switch head := v.outermost(verdict); {
	case v.in.Replay:
	case !verdict.Imminent:
		lines.say("keep it", "too late: its end has begun")
	case v.mayPin(head):
		lines.say("keep it", literal(v.pin(head.Target)))
	}
}

// mayPin reports that a pin can keep a target, and that none does.
func (v *view) mayPin(verdict *policy.Verdict) bool {
	return !v.in.Replay && !v.in.NoRoom && pinOf(verdict.Target) == ""
}

// outermost is the verdict on the session or gateway with which a target goes; on itself if that is none.
func (v *view) outermost(verdict *policy.Verdict) *policy.Verdict {
	if head, found := v.verdict(verdict.With); found {
		return head
	}
	return verdict
}

// graceText tells how long a target that is being stopped may take to exit. A session or a gateway gets that time only
// once what it holds is gone.
func (v *view) graceText(verdict *policy.Verdict) string {
	grace := human.Exact(verdict.Grace)
	switch {
	case verdict.Target.Kind == graph.KindContainer:
		return "it has " + grace + " to exit by itself; then its engine kills it"
	case v.waitsBelow(verdict.Target) && !verdict.Imminent:
		return "it stands still until what it holds is gone; then it has " + grace + " to exit by itself, or SIGKILL kills it"
	}
	return "it has " + grace + " to exit by itself; then SIGKILL kills it"
}

// waitsBelow reports a session or a gateway that is stopped once what goes with it, or what it started, is gone.
func (v *view) waitsBelow(t *graph.Target) bool {
	return slices.ContainsFunc(v.all, func(other *policy.Verdict) bool {
		isBelow := other.With == t.ID || t.Kind == graph.KindGateway && t.Root != nil && other.Target.Owner.ID == t.Root.ID()
		return other.UnderWay && isBelow && (t.Kind == graph.KindSession || t.Kind == graph.KindGateway)
	})
}
