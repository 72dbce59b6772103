package report

import (
	"cmp"
	"fmt"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
)

// judgement is the first sentence: what the target is, and what reaperd does about it.
func (v *view) judgement(verdict *policy.Verdict) string {
	t := verdict.Target
	name, is, shelf := called(t), v.standing(verdict), shelfOf(verdict)
	if v.in.Unrecorded && (shelf == reaping || shelf == waiting) {
		return fmt.Sprintf("%s %s, and nothing stops it now: %s.", name, is, v.halt())
	}
	if going := v.sessionGoes(verdict); going != "" && (shelf == inUse || shelf == noted) {
		return name + " is held by " + going
	}
	if going := v.causeGoes(verdict); going != "" {
		return name + " goes with " + going
	}
	switch shelf {
	case leaving:
		return fmt.Sprintf("%s %s. It is %s (rule %s).", name, is, verdict.Action.Stage(verdict.Imminent), verdict.Rule)
	case reaping:
		return v.dueNowText(verdict)
	case waiting:
		return v.waitingText(verdict)
	case ending:
		return v.endingText(verdict)
	case inUse:
		return v.inUseText(verdict)
	}
	if t.Incidental && verdict.Rule == "" {
		return incidentalText(t) + ". reaperd leaves it alone."
	}
	if t.Finding == graph.FindingNone && t.Kind == graph.KindSession && onlyReported(verdict) {
		return fmt.Sprintf("%s is a live session that rule %s names and only reports. %s%s.", name, verdict.Rule, v.leavesByPolicy(), v.butRoots(t))
	}
	if t.Finding == graph.FindingNone && t.Kind == graph.KindSession && verdict.Rule != "" {
		return fmt.Sprintf("%s is a live session that rule %s names. reaperd leaves it alone (%s).", name, verdict.Rule, v.keptBecause(verdict).text)
	}
	if t.Finding == graph.FindingNone && v.rootMaySeeMore(t) {
		return fmt.Sprintf("Nothing that this user may read proves whose %s is. Root's daemon sees more, and decides by that.", name)
	}
	if t.Finding == graph.FindingNone {
		return fmt.Sprintf("Nothing proves whose %s is, so reaperd leaves it alone.", name)
	}
	if ahead := v.aheadText(verdict, "it"); ahead != "" {
		return fmt.Sprintf("%s %s. %s%s.", name, is, human.Capital(ahead), v.butRoots(t))
	}
	if ignored, is := v.ignoredReason(verdict); is {
		return fmt.Sprintf("%s %s. %s.", name, v.standing(verdict), human.Capital(ignored.text))
	}
	more := ""
	if verdict.Unread != "" || isUnproven(verdict) {
		more = v.whoSeesMore(t)
	}
	if decidedByPolicy(verdict) && more == "" {
		return fmt.Sprintf("%s %s. %s (%s)%s.", name, is, v.leavesByPolicy(), v.keptBecause(verdict).text, v.butRoots(t))
	}
	return fmt.Sprintf("%s %s. reaperd leaves it alone (%s)%s.", name, is, v.keptBecause(verdict).text, more)
}

// dueNowText is the first sentence about what a sweep would reap now: when the daemon does, if it
// does.
func (v *view) dueNowText(verdict *policy.Verdict) string {
	name, is := called(verdict.Target), v.standing(verdict)
	if left, due := v.due(verdict); due {
		return fmt.Sprintf("%s %s. %s%s.", name, is, human.Capital(v.dueText(verdicts{verdict}, left)), v.byRule(verdict))
	}
	if text := v.notSeenYet(verdicts{verdict}); text != "" {
		return fmt.Sprintf("%s %s. %s (rule %s).", name, is, human.Capital(text), verdict.Rule)
	}
	return fmt.Sprintf("%s %s. %s %s %s (rule %s)%s.", name, is, v.actor(), v.voice.verb(verdict.Action), v.itOrThem(verdict), verdict.Rule, v.butRests(verdict.Target))
}

// endingText is the first sentence about a docker run that ends with its container, and no rule ends before.
func (v *view) endingText(verdict *policy.Verdict) string {
	name, is := called(verdict.Target), ""
	if verdict.Target.Finding != graph.FindingNone {
		is = " " + v.standing(verdict) + ", and"
	}
	text := fmt.Sprintf("%s%s ends by itself with its container %s", name, is, v.nameOf(verdict.EndsWith))
	container, found := v.verdict(verdict.EndsWith)
	if !found {
		return text + "."
	}
	if left, due := v.due(container); due {
		return text + ". " + human.Capital(v.dueText(verdicts{container}, left)) + v.byRule(container) + "."
	}
	return fmt.Sprintf("%s, which reaperd %s (rule %s)%s.", text, v.voice.verb(container.Action), container.Rule, v.butRests(verdict.Target))
}

// byRule adds by which rule something goes, and with which gateway that nobody owns: " (rule orphaned-servers)",
// ", with docker-mcp-gateway 166 (rule orphaned-gateways)".
func (v *view) byRule(verdict *policy.Verdict) string {
	if other := v.otherRule(verdict); other != "" {
		return other
	}
	if gateway := v.leakedAround(verdict); gateway != nil {
		return ", with " + called(gateway.Target) + " (rule " + gateway.Rule + ")"
	}
	return " (rule " + verdict.Rule + ")"
}

// butRests adds, to what would be done about a target, that a pause or the policy's mode lets nothing be stopped, or
// that root's daemon goes by another policy.
func (v *view) butRests(t *graph.Target) string {
	switch {
	case v.pausedAlone() != "":
		return ", but " + v.pausedAlone()
	case v.in.Paused:
		return ", but it is " + v.paused()
	case v.onlyReports() && v.rootsDecides():
		return ", but your mode report stops nothing, and " + beside.RootsPolicy
	case v.onlyReports():
		return ", but mode report stops nothing"
	}
	return v.butRoots(t)
}

// mayStopCopy goes on about an older copy that has not been idle for long enough: reaperd leaves it alone or, where it
// may have been by the daemon's next look, what that does then.
func (v *view) mayStopCopy(verdict *policy.Verdict) string {
	lacks := verdict.Threshold
	left := v.in.NextLook.Sub(v.at)
	if next := v.firstSeenBy(); next != "" && lacks.Action.Reaps() && lacks.IdleFor > 0 && verdict.Target.Idle.Or(0)+left >= lacks.IdleFor {
		return "; the daemon looks " + next + ", and may stop it then (rule " + lacks.Rule + ")"
	}
	if text := v.byAnother(); text != "" && lacks.IdleFor > 0 {
		return ", and by this policy reaperd leaves it alone; " + text
	}
	return ", and reaperd leaves it alone"
}

// inUseText is the first sentence about what is in use, or held by an idle session.
func (v *view) inUseText(verdict *policy.Verdict) string {
	name := called(verdict.Target)
	if verdict.Rests() {
		return fmt.Sprintf("%s %s. It counts as in use until it has %s%s.", name, v.standing(verdict), verdict.Threshold.Wants, v.mayStopCopy(verdict))
	}
	if verdict.Target.Owner.IsUnseen() {
		return name + " may be in use, by a process that cannot be seen from here. reaperd leaves it alone" + v.whoSeesMore(verdict.Target) + "."
	}
	if gateway := v.unclearHolder(verdict.Target); gateway != nil {
		return fmt.Sprintf("%s may be in use: nothing proves whose %s is, above it. reaperd leaves it alone%s.", name, called(gateway.Target), v.whoSeesMore(verdict.Target))
	}
	session := v.idleOwner(verdict.Target)
	if session == nil {
		return name + " is in use. " + v.leavesHeld(verdict.Target) + "."
	}
	does := cmp.Or(human.Capital(v.aheadOfHolder(verdict.Target)), "reaperd leaves both alone")
	return fmt.Sprintf("%s is held by %s, which is idle. %s.", name, called(session), does)
}

// waitingText is the first sentence about what is pending: when it goes, or what is missing for
// that.
func (v *view) waitingText(verdict *policy.Verdict) string {
	name, is := called(verdict.Target), v.standing(verdict)
	if beyondLimit(verdict) {
		return fmt.Sprintf("%s %s. %s %s it in a later sweep (rule %s): one stops no more than %s%s.",
			name, is, v.actor(), v.voice.verb(verdict.Action), verdict.Rule, human.Number(verdict.Beyond), v.butRests(verdict.Target))
	}
	if left, due := v.due(verdict); due {
		return fmt.Sprintf("%s %s. %s%s.", name, is, human.Capital(v.dueText(verdicts{verdict}, left)), v.byRule(verdict))
	}
	if verdict.DueAt.IsZero() && verdict.WaitsFor == "" { // for something whose end has begun
		return fmt.Sprintf("%s %s. %s.", name, is, human.Capital(sentence(verdict.Reason)))
	}
	if text := v.notSeenYet(verdicts{verdict}); text != "" {
		return fmt.Sprintf("%s %s. %s (rule %s).", name, is, human.Capital(text), verdict.Rule)
	}
	if verdict.WaitsFor != "" {
		return fmt.Sprintf("%s %s. %s %s it with its container %s (rule %s)%s.", name, is, v.actor(), v.voice.verb(verdict.Action), v.nameOf(verdict.WaitsFor), verdict.Rule, v.butRests(verdict.Target))
	}
	if verdict.NeedsLook && verdict.Needs <= 0 {
		return fmt.Sprintf("%s %s. %s %s %s once a second look has seen that too (rule %s)%s.", name, is, v.actor(), v.voice.verb(verdict.Action), v.itOrThem(verdict), verdict.Rule, v.butRests(verdict.Target))
	}
	has := "that has held"
	if verdict.ByAge() {
		has = "it has run for"
	}
	return fmt.Sprintf("%s %s. %s %s %s once %s%s; so far %s (rule %s)%s.",
		name, is, v.actor(), v.voice.verb(verdict.Action), v.itOrThem(verdict), has, needText(verdict), human.Span(verdict.Held), verdict.Rule, v.butRests(verdict.Target))
}

func needText(v *policy.Verdict) string {
	if v.Needs <= 0 {
		return " long enough"
	}
	return " " + human.Exact(v.Needs)
}
