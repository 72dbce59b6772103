package report

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
)

// due returns the time until the daemon reaps a target. It returns false if no daemon
// will by the policy used here: none runs, it only reports, it does not know the target
// yet, or its policy is another.
func (v *view) due(verdict *policy.Verdict) (time.Duration, bool) {
	if v.in.DaemonDiffers {
		return 0, false
	}
	return v.deadline(verdict)
}

// deadline returns the time until the daemon reaps a target, by whatever policy.
func (v *view) deadline(verdict *policy.Verdict) (time.Duration, bool) {
	at, known := v.in.Due[verdict.Target.ID]
	if !known || verdict.Decision == policy.Keep || verdict.Beyond > 0 {
		return 0, false
	}
	return max(0, at.Sub(v.at)), true
}

// awaited reports whether a verdict is pending and the daemon will reap the target.
func (v *view) awaited(verdict *policy.Verdict) bool {
	_, due := v.due(verdict)
	return due && verdict.Decision == policy.Pending
}

// firstSeenBy tells when a daemon, which acts and does not know yet what is pending, looks
// next: "in 17s". It counts from then, whatever the age. Empty is never, or unknown.
func (v *view) firstSeenBy() string {
	if !v.daemonActs() || v.in.NextLook.IsZero() {
		return ""
	}
	return strings.TrimSpace(dueIn(v.in.NextLook.Sub(v.at)))
}

// daemonActs reports that a daemon acts by the policy used here.
func (v *view) daemonActs() bool {
	return v.in.Daemon && !v.in.ForeignDaemon && !v.in.DaemonDiffers && v.in.DaemonRests == "" && !v.cannotAct()
}

// dueToo tells when the daemon reaps the targets that a sweep would reap now.
func (v *view) dueToo(s *screen, c cause) {
	vs := c.verdicts()
	if left, due := v.allDue(vs); due && !v.acted() {
		s.wrap("   ", v.dueWith(vs, left)+v.dueBefore(vs)+v.sooner())
	} else if text := cmp.Or(v.otherwise(vs), v.byAnother(), v.notSeenYet(vs)); text != "" && !v.acted() {
		s.wrap("   ", text)
	}
}

// dueWith tells when the daemon reaps all of vs, and when the first of them. A sweep by hand may count how long a server
// has run, the daemon only from when it first saw the leak, so that the two may come to different rules: where they do,
// dueWith names the daemon's.
func (v *view) dueWith(vs verdicts, left time.Duration) string {
	if allEqual(vs, v.otherRule) {
		return v.dueText(vs, left) + v.otherRule(vs[0]) + firstDue(vs, left, v.due)
	}
	first := slices.MinFunc(vs, func(a, b *policy.Verdict) int {
		aLeft, _ := v.due(a)
		bLeft, _ := v.due(b)
		return cmp.Compare(aLeft, bLeft)
	})
	text := firstDue(vs, left, v.due)
	if text != "" {
		text += v.otherRule(first)
	}
	return v.dueText(vs, left) + text
}

// dueBefore names what goes with gateways by hand, and before them by the daemon's count: "; before it github 40 in 6s,
// with github gh1 (rule orphaned-containers)".
func (v *view) dueBefore(gateways verdicts) string {
	var names []string
	for _, verdict := range v.all {
		if gateway := v.leakedAround(verdict); gateway != nil && slices.Contains(gateways, gateway) && v.otherRule(verdict) != "" {
			left, _ := v.due(verdict)
			names = append(names, nameOf(verdict.Target)+" "+handle(verdict.Target)+" in "+human.ToGo(left)+v.otherRule(verdict))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; before " + human.Verb(len(gateways), "it ", "them ") + human.List(firstFew(names))
}

// daemonsHead is the verdict on that with which the daemon lets a target go, by another rule than a sweep by hand would;
// nil if there is none.
func (v *view) daemonsHead(verdict *policy.Verdict) *policy.Verdict {
	if v.otherRule(verdict) == "" {
		return nil
	}
	head, _ := v.verdict(v.in.DueBy[verdict.Target.ID].With)
	return head
}

// otherRule adds the rule by which the daemon reaps a target, if that is another than the one that a sweep by hand
// goes by, and what it goes with: ", with github gh1 (rule orphaned-containers)".
func (v *view) otherRule(verdict *policy.Verdict) string {
	by, told := v.in.DueBy[verdict.Target.ID]
	if _, due := v.due(verdict); !told || !due || by.Rule == verdict.Rule {
		return ""
	}
	with := ""
	if head, found := v.verdict(by.With); found {
		with = ", with " + nameOf(head.Target) + " " + handle(head.Target)
	}
	return with + " (rule " + by.Rule + ")"
}

// notSeenYet says that the daemon has not seen yet what a sweep would reap now, and when it looks; empty if it has,
// or none acts. What only a switch of the sweep ends, no daemon does.
func (v *view) notSeenYet(vs verdicts) string {
	next := v.firstSeenBy()
	knows := func(verdict *policy.Verdict) bool {
		_, due := v.due(verdict)
		return due || verdict.Beyond > 0 || verdict.ByHandAlone()
	}
	if next == "" || len(vs.where(knows)) > 0 {
		return ""
	}
	if len(vs.where(isOlderCopy)) == len(vs) { // for how long it must be so counts from when it was used last
		return "the daemon looks " + next + ", and may stop " + human.Verb(len(vs), "it", "them") + " then"
	}
	return "the daemon has not seen that yet, and looks " + next
}

func isOlderCopy(verdict *policy.Verdict) bool {
	return verdict.Target.Finding == graph.FindingDuplicate
}

// byAnother says that the daemon goes by another policy, and what shows what that does; empty if
// it does not.
func (v *view) byAnother() string {
	if !v.in.DaemonDiffers {
		return ""
	}
	text := "the daemon goes by " + v.daemonPolicy()
	if file := v.in.DaemonPolicy; file != "" {
		text += ": " + literal("reaperd scan --policies "+human.Shell(file))
	}
	return text
}

// cannotAct reports that every sweep by hand would be refused now.
func (v *view) cannotAct() bool { return v.in.Paused || v.in.Unrecorded || v.in.NoSpace }

// sooner adds that a sweep by hand stops at once what is due later; empty if none
// could.
func (v *view) sooner() string {
	if v.cannotAct() {
		return ""
	}
	return "; a sweep need not wait"
}

// otherwise says when the daemon reaps targets by a policy of its own; empty if it has
// the policy used here, or will not reap all of them.
func (v *view) otherwise(vs verdicts) string {
	left, all := v.last(vs, v.deadline)
	if !all || !v.in.DaemonDiffers {
		return ""
	}
	return "by its own policy " + v.dueText(vs, left) + firstDue(vs, left, v.deadline)
}

// allDue returns the time until the daemon reaps the last of vs by the policy used here;
// false if it will not reap all of them.
func (v *view) allDue(vs verdicts) (last time.Duration, all bool) { return v.last(vs, v.due) }

func (*view) last(vs verdicts, until func(*policy.Verdict) (time.Duration, bool)) (last time.Duration, all bool) {
	for _, verdict := range vs {
		left, known := until(verdict)
		if !known {
			return 0, false
		}
		last = max(last, left)
	}
	return last, len(vs) > 0
}

// oneTime is how far apart two times may be that are told as one.
const oneTime = 2 * time.Second

// firstDue adds when the first of several goes, if that is well before the last.
func firstDue(vs verdicts, last time.Duration, until func(*policy.Verdict) (time.Duration, bool)) string {
	first := last
	for _, verdict := range vs {
		left, _ := until(verdict)
		first = min(first, left)
	}
	if last-first < oneTime {
		return ""
	}
	return ", the first in " + human.ToGo(first)
}

// heldFor returns how long the cause of a pending verdict has held. If the daemon will
// reap the target by the policy used here, that is the time that the daemon has counted.
func (v *view) heldFor(verdict *policy.Verdict) time.Duration {
	if left, _ := v.due(verdict); v.awaited(verdict) && verdict.For > 0 && verdict.WaitsFor == "" && v.otherRule(verdict) == "" {
		return min(verdict.For, max(0, verdict.For-left))
	}
	return verdict.Held
}

// dueText says, for example, "the daemon stops it in 12s".
func (v *view) dueText(vs verdicts, left time.Duration) string {
	if v.in.Paused && v.afterPause(left) == "" {
		return human.Verb(len(vs), "it is", "they are") + dueWhen(left) + ", but it is " + v.paused()
	}
	what := "it"
	if len(vs) > 1 {
		what = "them"
	}
	return v.dueOf(vs, what, left) + v.afterPause(left)
}

// afterPause goes on about what is due only after the end of the pause; empty if it is due before, or none holds.
func (v *view) afterPause(left time.Duration) string {
	if v.in.Paused && !v.in.PausedUntil.IsZero() && v.in.PausedUntil.Before(v.at.Add(left)) {
		return ", after the pause"
	}
	return ""
}

// paused says how long the pause lasts: "paused until 2026-11-22 15:40:54".
func (v *view) paused() string {
	if v.in.PausedUntil.IsZero() {
		return "paused"
	}
	return "paused until " + human.Moment(v.local(v.in.PausedUntil))
}

// dueWhen says " due in 12s", or " due" if the time has come.
func dueWhen(left time.Duration) string {
	if left <= 0 {
		return " due"
	}
	return " due in " + human.ToGo(left)
}

// number counts targets by kind: "3 servers and 1 container".
func (vs verdicts) number() string {
	var counts []string
	for _, kind := range []graph.Kind{graph.KindGateway, graph.KindServer, graph.KindContainer, graph.KindSession} {
		if n := len(vs.where(func(v *policy.Verdict) bool { return v.Target.Kind == kind })); n > 0 {
			counts = append(counts, human.Count(n, nounOf(kind)))
		}
	}
	return human.List(counts)
}

// dueOf says what the daemon does with some targets, which what names.
func (*view) dueOf(vs verdicts, what string, left time.Duration) string {
	verb := "stops"
	if vs[0].Action == policy.ActionRemove {
		verb = "removes"
	}
	return "the daemon " + verb + " " + what + dueIn(left)
}
