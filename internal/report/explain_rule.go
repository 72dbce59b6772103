package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
)

func (v *view) explainRule(lines explanation, verdict *policy.Verdict) {
	lines.say("rule", v.ruleText(verdict))
	if verdict.Reason != "" && shelfOf(verdict) != noted && !v.awaited(verdict) {
		lines.say("", strings.TrimPrefix(sentence(verdict.Reason), fmt.Sprintf("rule %q: ", verdict.Rule)))
	}
	lines.say("", v.otherwise(verdicts{verdict}))
	if left, due := v.due(verdict); due && verdict.Decision == policy.Reap {
		lines.say("", v.dueText(verdicts{verdict}, left)+"; a sweep need not wait")
	}
	if verdict.Decision == policy.Keep {
		v.explainKeep(lines, verdict)
		return
	}
	if verdict.Decision == policy.Pending && verdict.Needs > 0 && !v.in.Replay {
		v.explainSooner(lines, verdict)
	}
	lines.say("would do", deedText(verdict))
	if !v.in.Replay {
		lines.say("keep it", "reaperd pin "+handle(verdict.Target))
	}
}

// explainSooner names the command that need not wait until a pending target is due.
func (v *view) explainSooner(lines explanation, verdict *policy.Verdict) {
	switch {
	case verdict.AtOnce:
		lines.say("stop now", literal(v.sweep()+" --now "+handle(verdict.Target)))
	case !v.awaited(verdict):
		lines.say("prove it", v.proving(verdicts{verdict}))
	}
}

// ruleText names the rule and its place, for how long the finding must hold, and for how
// long it has.
func (v *view) ruleText(verdict *policy.Verdict) string {
	t := verdict.Target
	if verdict.Rule == "" {
		return "none names it"
	}
	text := verdict.Rule
	text += ", " + v.options.Home.Short(human.Safe(verdict.RuleOrigin.String()), "")
	if t.Finding == graph.FindingNone || verdict.With != "" {
		return text
	}
	text += "; "
	if verdict.For > 0 {
		text += "for: " + human.Exact(verdict.For) + ", "
	}
	if v.awaited(verdict) {
		return text + "held " + human.Span(v.heldFor(verdict)) + " in the daemon's looks"
	}
	if byAge(verdict) {
		text += v.seenFor(t) + "a sweep by hand counts its age, " + human.Span(verdict.Held)
	} else {
		text += "held " + human.Span(verdict.Held)
	}
	if t.Looks > 1 {
		text += ", agreed by " + human.Count(t.Looks, "look")
	}
	return text
}

// byAge reports that a one-shot counts the age of a target for the time that its finding
// has held.
func byAge(v *policy.Verdict) bool { return v.Held > v.Target.Held }

// seenFor tells for how long a finding has been seen, or its owner has been gone:
// "orphaned for 5s; ".
func (v *view) seenFor(t *graph.Target) string {
	held := t.Held
	if since := t.Owner.Since; t.Owner.Liveness == graph.LivenessGone && !since.IsZero() {
		held = max(held, v.at.Sub(since))
	}
	if held < time.Second {
		return ""
	}
	return t.Finding.String() + " for " + human.Span(held) + "; "
}

// explainKeep tells how to decide an unclear target, and how to make a rule act that only
// reports.
func (v *view) explainKeep(lines explanation, verdict *policy.Verdict) {
	t := verdict.Target
	switch {
	case onlyReported(verdict):
		lines.say("to act", "add to policies.yaml (extends: builtin):")
		lines.say("", literal(actingRule(verdict.Rule, t.Kind)))
	case shelfOf(verdict) == noted && len(verdict.Vetoes) == 0:
		lines.say("decide it", decides(t))
	}
}

// decides tells how to make the owner of such a target known.
func decides(t *graph.Target) string {
	if t.Kind == graph.KindContainer {
		return "start it with docker run -i and --cidfile, or label it reaperd.owner=PID:START; a rule with its label, image or name decides too"
	}
	return "start it with REAPERD_OWNER=PID:START:BOOT:PIDNS in its environment, or speak to it over a pipe; a daemon that sees its session end remembers whose it was; a rule that names it decides too"
}

// deedText tells each step of an act.
func deedText(v *policy.Verdict) string {
	t, grace := v.Target, human.Exact(v.Grace)
	if t.Kind == graph.KindContainer {
		text := "stop the container within " + grace
		if v.Action == policy.ActionRemove {
			text += ", then remove it"
		}
		return text + ", then look again"
	}
	who := strconv.Itoa(rootPID(t))
	if n := len(t.Members); n > 1 {
		who = human.Count(n, "process") + " " + pidsText(t.PIDs())
	}
	return fmt.Sprintf("SIGTERM to %s, SIGKILL after %s, then look again", who, grace)
}

func pidsText(pids []int) string {
	const most = 8
	words := make([]string, 0, most+1)
	for _, pid := range pids[:min(len(pids), most)] {
		words = append(words, strconv.Itoa(pid))
	}
	if len(pids) > most {
		words = append(words, fmt.Sprintf("+%d", len(pids)-most))
	}
	return strings.Join(words, " ")
}
