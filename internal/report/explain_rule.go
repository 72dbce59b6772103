package report

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/asked"
	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
)

func (v *view) explainRule(lines explanation, verdict *policy.Verdict) {
	if shelfOf(verdict) == leaving {
		v.explainLeaving(lines, verdict)
		return
	}
	if head := v.alongWith(verdict); head != nil {
		v.explainAlong(lines, verdict, head)
		return
	}
	if verdict.Rule == "" && verdict.Threshold == nil && v.explainAhead(lines, verdict.Target) {
		return
	}
	lines.say("rule", v.ruleText(verdict))
	if !v.awaited(verdict) || verdict.WaitsFor != "" {
		lines.say("", v.newReason(verdict))
	}
	if verdict.Rule != "" && verdict.Decision != policy.Keep {
		lines.say("", cmp.Or(v.otherwise(verdicts{verdict}), v.byAnother()))
	}
	if left, due := v.due(verdict); due && verdict.Decision == policy.Reap {
		lines.say("", v.daemonsCount(verdict, left))
	}
	if verdict.Decision == policy.Keep {
		v.explainKeep(lines, verdict)
		return
	}
	if !v.in.Replay {
		lines.say("stop it", v.firstOf(verdict))
	}
	if !v.in.Replay && !v.cannotAct() {
		v.explainSooner(lines, verdict)
	}
	if v.isUnwatched() && !v.onlyReports() {
		lines.say("", v.byItself(verdict.Target))
	}
	lines.say("would do", v.deedText(verdict))
	lines.say("", v.effect(verdict))
	if !v.in.Replay && !v.in.NoRoom { // else a pin is refused
		lines.say("keep it", literal(v.pin(verdict.Target)))
	}
}

// isUnwatched reports a look at this host, now, where no daemon runs.
func (v *view) isUnwatched() bool { return !v.in.Daemon && !v.in.ForeignDaemon && !v.in.Replay }

// countsApart is by how much the daemon's count of a finding may differ from what is told
// before it is told too.
const countsApart = 5 * time.Second

// daemonsCount tells for how long a finding has held by the daemon's count, if that began later:
// with the end of a pin, or with the daemon itself.
func (v *view) daemonsCount(verdict *policy.Verdict, left time.Duration) string {
	held, seen := verdict.For-left, verdict.Target.Held
	if since := verdict.Target.Owner.Since; !since.IsZero() {
		seen = max(seen, v.at.Sub(since))
	}
	if v.in.Paused || left <= 0 || v.otherRule(verdict) != "" || held < 0 || seen-held < countsApart {
		return ""
	}
	return "the daemon has counted " + human.Span(held) + " of " + human.Exact(verdict.For)
}

// newReason is the verdict's reason, unless other lines tell it: why a target is noted or
// waits, that somebody owns it, or what is wrong with it.
func (v *view) newReason(verdict *policy.Verdict) string {
	shelf := shelfOf(verdict)
	waits := shelf == waiting && verdict.Needs > 0 && verdict.WaitsFor == "" && !beyondLimit(verdict) // the first sentence says so
	if waits || v.sessionOf(verdict) != nil || shelf == noted || shelf == reaping && verdict.With == "" || shelf == inUse && verdict.Rule == "" {
		return ""
	}
	return strings.TrimPrefix(sentence(verdict.Reason), fmt.Sprintf("rule %q: ", verdict.Rule))
}

// firstOf says what keeps everything from being stopped, and the command that changes that;
// empty if nothing does.
func (v *view) firstOf(verdict *policy.Verdict) string {
	switch {
	case v.pausedAlone() != "":
		return literal("reaperd resume") + " first: " + v.pausedAlone()
	case v.in.Paused:
		return literal("reaperd resume") + " first: it is " + v.paused() + ", and nothing is stopped"
	case v.in.Unrecorded && v.in.NoSpace:
		return "nothing stops it now: the disk is full, and an act could not be recorded there; a sweep with --journal FILE, on another disk, can"
	case v.in.Unrecorded:
		return "nothing can be stopped now: the journal takes no record; " + literal("reaperd status") + " says why"
	case v.in.NoSpace:
		return "no sweep by hand stops it now: the disk is full, and an act could not be recorded there; --journal FILE names another place"
	case v.in.Policy.Mode == policy.ModeReport && verdict.Decision == policy.Pending && verdict.Needs > 0: // the next line names it
		return v.reportsBut("a sweep by hand")
	case v.in.Policy.Mode == policy.ModeReport:
		return v.reportsBut(literal(v.sweepOf(verdict)))
	}
	return ""
}

// reportsBut says what alone stops a target while the policy says mode: report.
func (v *view) reportsBut(command string) string {
	if v.rootsDecides() {
		return "your policy says mode: report, so of yours only " + command + " stops it; " + beside.RootsPolicy
	}
	return "the policy says mode: report, so nothing stops it but " + command
}

// sweepOf is the sweep that stops a target that is due: by the session with which it goes.
func (v *view) sweepOf(verdict *policy.Verdict) string {
	switch session := v.sessionOf(verdict); {
	case session != nil:
		return v.sweep() + " " + handle(session.Target)
	case verdict.Decision == policy.Reap:
		return v.sweep() + " " + handle(verdict.Target)
	}
	return v.sweep()
}

// explainSooner names the command that stops a target now, or proves it.
func (v *view) explainSooner(lines explanation, verdict *policy.Verdict) {
	switch {
	case verdict.Decision == policy.Reap:
		alone := verdict.With == "" || v.sessionOf(verdict) != nil
		if v.firstOf(verdict) == "" && alone && !v.acted() { // else another line names it
			lines.say("stop now", literal(v.sweepOf(verdict)))
		}
	case isIdle(verdict.Target) && verdict.Target.Idle.Or(0) >= time.Second:
		lines.say("stop now", literal(v.stopsIdle(verdict.Target)))
	case verdict.Needs == 0: // it waits for another look, or for others
	case verdict.AtOnce:
		by := verdict
		if gateway := v.gatewayOf(verdict.Target); gateway != nil && gateway.AtOnce {
			by = gateway
		}
		lines.say("stop now", literal(v.sweep()+" --now "+handle(by.Target)))
	case !v.awaited(verdict):
		lines.say("prove it", v.proving(verdicts{verdict}))
	}
}

// ruleText names the rule and its place, for how long the finding must hold, and for how
// long it has.
func (v *view) ruleText(verdict *policy.Verdict) string {
	t := verdict.Target
	if verdict.Protected != nil && v.ownRules() {
		return "none is asked: what your policy protects stays in your own sweeps"
	}
	if verdict.Protected != nil {
		return "none is asked: what the policy protects stays"
	}
	if verdict.Rule == "" && verdict.Threshold == nil && verdict.Unread != "" {
		return "none, as far as can be read; " + verdict.Unread + " may name it"
	}
	if verdict.Rule == "" {
		return v.thresholdText(verdict.Threshold)
	}
	text := verdict.Rule
	text += ", " + v.originText(verdict.RuleOrigin)
	if t.Finding == graph.FindingNone || verdict.With != "" {
		return text
	}
	text += "; "
	if verdict.For > 0 || v.least(verdict) != "" {
		text += "for: " + human.Exact(verdict.For) + v.least(verdict)
		if verdict.ByAge() && !v.awaited(verdict) {
			return text + "; a sweep by hand counts its age, " + human.Span(verdict.Held)
		}
		text += ", "
	}
	if v.awaited(verdict) {
		return text + "held " + human.Span(v.heldFor(verdict)) + " in the daemon's looks"
	}
	held := "held " + human.Span(verdict.Held)
	if verdict.Decision != policy.Pending {
		held = cmp.Or(v.seenFor(t), held)
	}
	text += held
	if t.Looks > 1 {
		text += ", agreed by " + human.Count(t.Looks, "look")
	}
	return text
}

// least says for how long a finding must hold where that is longer than the rule's for.
func (v *view) least(verdict *policy.Verdict) string {
	if verdict.Needs <= verdict.For || verdict.For >= policy.GracefulClose || verdict.WaitsFor != "" {
		return ""
	}
	return ", but more than " + human.Exact(policy.GracefulClose) + " while its client lives"
}

func (v *view) originText(o policy.Origin) string {
	return v.options.Home.Short(human.Safe(o.String()), "")
}

// thresholdText names the rule that a target would come under, and what it lacks for that.
func (v *view) thresholdText(t *policy.Threshold) string {
	if t == nil {
		return "none names it"
	}
	has := "it has " + t.Has
	if t.Key == keyIdleFor {
		has = "these looks show " + t.Has
	}
	if t.Rule == "" {
		return "none acts on it; worth a look at " + t.Wants + ", " + has
	}
	return fmt.Sprintf("none yet: %s, %s, %s it at %s (%s); %s", t.Rule, v.originText(t.Origin), wouldDo(t.Action), t.Wants, t.Key, has)
}

// keyIdleFor is the key of the idle time in policies.yaml.
const keyIdleFor = "idle_for"

// seenFor tells for how long what nobody owns has been so, by its finding or, if that is
// longer, by its owner: "orphaned for 5s". It is empty for what somebody owns.
func (v *view) seenFor(t *graph.Target) string {
	held := t.Held
	if t.Owner.Liveness != graph.LivenessGone {
		return ""
	}
	if since := t.Owner.Since; !since.IsZero() {
		held = max(held, v.at.Sub(since))
	}
	if held < time.Second {
		return ""
	}
	return t.Finding.String() + " for " + human.Span(held)
}

// explainKeep tells what helps where an engine did not answer, how to decide a target whose owner
// is not known, and how to make a rule act that only reports.
func (v *view) explainKeep(lines explanation, verdict *policy.Verdict) {
	t := verdict.Target
	switch unread := v.unreadEngine(verdict); {
	case verdict.Protected != nil: // that is decided
	case unread != "":
		lines.say("decide it", unread)
	case onlyReported(verdict) && len(vetoesOn(verdict)) > 0: // the guards have said why no rule ends it
	case onlyReported(verdict):
		v.explainSwitch(lines, t, "")
		v.sayChange(lines, "", v.wayToAct(verdict.Rule, verdict.RuleOrigin, "action: "+string(policy.ActionOn(t.Kind))))
	case verdict.Threshold != nil && (verdict.Threshold.Rule == "" || howKept(t) != ""): // nothing acts then either
	case verdict.Threshold != nil && verdict.Threshold.Key == keyIdleFor:
		if verdict.Rests() && verdict.Threshold.Action == policy.ActionReport {
			v.explainCopy(lines, verdict)
		}
		v.explainIdleFor(lines, verdict)
	case t.Incidental: // nobody needs to decide it
	case isIdle(t) && verdict.Bound == nil && len(t.Vetoes) == 0:
		v.explainSwitch(lines, t, "")
	case isIdle(t): // what keeps it has been told
	case shelfOf(verdict) == noted && len(verdict.Vetoes) == 0 && t.Owner.Liveness != graph.LivenessLive:
		lines.say("decide it", v.decides(t))
	}
}

// sayChange tells how to make a rule act. more goes on after the place.
func (v *view) sayChange(lines explanation, more string, change policy.Change) {
	lines.say("to act", change.Where+more+":")
	lines.say("", literal(change.Line))
}

// explainSwitch names the command that stops an older copy, or an idle session, this once,
// though its rule only reports. once is what must come before.
func (v *view) explainSwitch(lines explanation, t *graph.Target, once string) {
	if v.in.Replay || v.cannotAct() {
		return
	}
	switch t.Finding {
	case graph.FindingDuplicate:
		lines.say("this once", literal(v.sweep()+" --duplicates "+handle(t))+once)
	case graph.FindingIdle:
		lines.say("this once", literal(v.stopsIdle(t))+once)
	}
}

// explainCopy names the command that stops an older copy this once, though its rule only reports,
// where it is not idle for long enough yet. Where no daemon watches, only the sweep's own looks count.
func (v *view) explainCopy(lines explanation, verdict *policy.Verdict) {
	if least := verdict.Threshold.IdleFor; v.isUnwatched() && least > 0 && !v.cannotAct() {
		v.explainLongLook(lines, verdict.Target, least)
		return
	}
	v.explainSwitch(lines, verdict.Target, ", once it has "+verdict.Threshold.Wants)
}

// explainLongLook names the command that stops an older copy once it has looked for long enough, or
// that of the user whose daemon looks all the time.
func (v *view) explainLongLook(lines explanation, t *graph.Target, least time.Duration) {
	sweep := v.sweep() + " --duplicates"
	if daemon, cares := v.keeperOf(t); cares {
		lines.say("this once", literal(daemon.Command(sweep+" "+handle(t)))+", as "+daemon.Whose()+" looks all the time")
		return
	}
	if least > asked.LongestSettle {
		lines.say("this once", literal(sweep+" "+handle(t))+", once a daemon has seen it idle for "+human.Exact(least)+": "+literal(v.in.StartDaemon))
		return
	}
	lines.say("this once", literal(sweep+" --settle "+human.Exact(least)+" "+handle(t))+", which looks for so long, as no daemon does")
}

// explainIdleFor tells how to make a rule act on a copy that is not idle for long enough. A
// rule that the reader has written has its own idle time, and may act already.
func (v *view) explainIdleFor(lines explanation, verdict *policy.Verdict) {
	t, change := verdict.Threshold, "action: "+string(policy.ActionOn(verdict.Target.Kind))
	switch {
	case t.Origin.IsShipped():
		v.sayChange(lines, ", with the idle time that you want", v.wayToAct(t.Rule, t.Origin, change+fmt.Sprintf(", match: {%s: 5m}", keyIdleFor)))
	case t.Action == policy.ActionReport:
		v.sayChange(lines, "", v.wayToAct(t.Rule, t.Origin, change))
	}
}

// decides tells how to make the owner of such a target known.
func (v *view) decides(t *graph.Target) string {
	if v.mayReadWithSudo(t) {
		return literal("sudo reaperd explain "+handle(t)) + " reads what this user may not; that may show whose it is"
	}
	if t.NeverStarted() {
		return "a rule with its label, image or name decides, or docker rm"
	}
	if t.Kind == graph.KindContainer {
		return "start it with docker run -i and --cidfile, without -d, or label it reaperd.owner=PID:START; a rule with its label, image or name decides too"
	}
	return "start it with REAPERD_OWNER=PID:START:BOOT:PIDNS in its environment, or speak to it over a pipe; a daemon that sees its session end remembers whose it was; a rule that names it decides too"
}
