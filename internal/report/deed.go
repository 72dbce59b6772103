package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
)

// act tells what would be done, is about to be done, or was done.
func (v *view) act() string {
	if v.acted() {
		return v.actedText()
	}
	reap, pending, going := v.on(reaping), v.on(waiting), v.goingText()
	switch {
	case len(reap) > 0:
		text := v.doing(reap, reap.memory()+v.endingWith(reap).memory()) + v.daemonDoes(reap) + "." + v.usedText(reap)
		limited := pending.where(beyondLimit)
		if n := len(pending) - len(limited); n > 0 {
			text += fmt.Sprintf(" %s pending.", human.Number(n)+" more "+human.Are(n))
		}
		return text + limitText(limited) + v.untouched() + going
	case len(pending) > 0:
		return v.notYet(pending) + going
	case going != "":
		return strings.TrimSpace(going)
	case slices.ContainsFunc(v.counted(), func(verdict *policy.Verdict) bool { return shelfOf(verdict) != inUse }):
		return v.wouldStopNothing() + v.soonText()
	}
	return v.nothingToDo() + v.soonText()
}

// endingWith are the docker runs that end with reaped containers, and on which no act is.
func (v *view) endingWith(reap verdicts) verdicts {
	return v.all.where(func(verdict *policy.Verdict) bool {
		return slices.Contains(reap, v.endsBy(verdict)) && !slices.Contains(reap, verdict)
	})
}

// usedText says how many of what is reaped live sessions use, as where a rule ignores that; empty if none.
func (v *view) usedText(reap verdicts) string {
	used := reap.where(func(verdict *policy.Verdict) bool {
		head := verdict // with which it goes, by whose rule
		for range mostOwners {
			if next, found := v.verdict(head.With); found {
				head = next
			}
		}
		return ignoresOwner(verdict.Target) && ignoresOwner(head.Target)
	})
	switch n := len(used); {
	case n == 0:
		return ""
	case n == len(reap) && n == 1:
		return " It is in use."
	case n == len(reap):
		return " They are in use."
	default:
		return fmt.Sprintf(" %s of them %s in use.", human.Number(n), human.Are(n))
	}
}

// ignoresOwner reports something with nothing wrong that somebody has: a rule that takes it ignores that.
func ignoresOwner(t *graph.Target) bool {
	return t.Finding == graph.FindingNone && t.Owner.Liveness == graph.LivenessLive && ownerText(t.Owner) != ""
}

// nothingToDo is the answer where all is in use, as far as these looks can tell: the daemon of another
// user may have seen a session idle for long.
func (v *view) nothingToDo() string {
	if v.in.Command != "scan" {
		return "Nothing to do."
	}
	sessions := v.sessions()
	for i := range sessions {
		session := &sessions[i]
		if session.Process == nil {
			continue
		}
		if stops := v.stopsUnseen(session); stops != "" {
			return "Nothing to do here; the daemon stops " + called(session.Target) + stops + "."
		}
		if _, knows := v.watcher(session); knows {
			return "Nothing to do here; which sessions idle, only " + v.in.Beside.Known() + ": " + literal(v.in.Beside.Commands("reaperd scan")) + "."
		}
	}
	return "Nothing to do."
}

// wouldStopNothing names the rules that only report, if they are why nothing would be
// stopped.
func (v *view) wouldStopNothing() string {
	var rules []string
	for _, verdict := range v.counted() {
		if onlyReported(verdict) && !slices.Contains(rules, verdict.Rule) {
			rules = append(rules, verdict.Rule)
		}
	}
	slices.Sort(rules)
	switch len(rules) {
	case 0:
		return v.stopsNothing() + "."
	case 1:
		return v.stopsNothing() + ": rule " + rules[0] + " only reports."
	}
	return v.stopsNothing() + ": rules " + human.List(rules) + " only report."
}

// stopsNothing begins the sentence that nothing is stopped. A sweep that acts has ended with it.
func (v *view) stopsNothing() string {
	if v.voice == aboutTo() {
		return "Stopped nothing"
	}
	return "Would stop nothing"
}

// untouched is added to a list of victims that could be mistaken for things already done.
func (v *view) untouched() string {
	switch {
	case v.voice == aboutTo():
		return ""
	case v.halt() != "":
		return " " + human.Capital(v.halt()) + ": nothing touched."
	case v.onlyReports() && v.rootsDecides():
		return " Your mode report stops nothing; " + beside.RootsPolicy + "."
	case v.onlyReports():
		return " Mode report: nothing is stopped."
	}
	return " Nothing touched."
}

// daemonDoes adds when the daemon does all that a sweep would do now.
func (v *view) daemonDoes(reap verdicts) string {
	left, due := v.allDue(reap)
	if !due || v.voice != would() || v.halt() != "" {
		return ""
	}
	return "; the daemon does that" + dueIn(left) + firstDue(reap, left, v.due)
}

// onlyReports reports that the policy used here has mode report, and that no daemon stops
// anything by another.
func (v *view) onlyReports() bool {
	return v.in.Policy.Mode == policy.ModeReport && len(v.in.Due) == 0
}

// halt is why neither the daemon nor a sweep by hand stops anything now; empty if one does.
func (v *view) halt() string {
	switch {
	case v.in.Paused:
		return "paused"
	case v.in.Unrecorded && v.in.NoRoom:
		return "the disk is full"
	case v.in.Unrecorded:
		return "the journal takes no record"
	}
	return ""
}

// doing counts the acts: "Would stop 11 servers, remove 11 containers and free 1.2 GB".
func (v *view) doing(vs verdicts, freed uint64) string {
	type deed struct {
		action policy.Action
		noun   string
	}
	counts := map[deed]int{}
	for _, verdict := range vs {
		counts[deed{verdict.Action, nounOf(verdict.Target.Kind)}]++
	}
	onlyServers := len(v.kinds()) == 1 && len(counts) == 1
	var parts []string
	for _, action := range []policy.Action{policy.ActionTerminate, policy.ActionRemove} {
		var things []string
		for _, noun := range []string{"gateway", "server", "container", "session"} {
			if n := counts[deed{action, noun}]; n > 0 && onlyServers {
				things = append(things, human.Number(n))
			} else if n > 0 {
				things = append(things, human.Count(n, noun))
			}
		}
		if len(things) > 0 {
			parts = append(parts, v.deedVerb(action, len(parts) == 0)+" "+human.List(things))
		}
	}
	if freed > 0 {
		parts = append(parts, v.voice.free+" "+human.Bytes(freed))
	}
	return human.Capital(listDeeds(parts))
}

// listDeeds joins parts into a list. If one of them contains "and", a comma precedes the
// last one.
func listDeeds(parts []string) string {
	last := len(parts) - 1
	if last > 0 && strings.Contains(strings.Join(parts[:last], ""), " and ") {
		return strings.Join(parts[:last], ", ") + ", and " + parts[last]
	}
	return human.List(parts)
}

// deedVerb returns the verb. Only the first has its auxiliary ("would").
func (v *view) deedVerb(action policy.Action, first bool) string {
	verb := v.voice.verb(action)
	if !first {
		return verb[strings.LastIndex(verb, " ")+1:]
	}
	if v.voice == aboutTo() && action == policy.ActionRemove {
		return "about to remove"
	}
	return verb
}

func nounOf(kind graph.Kind) string { return string(kind) }

// beyondLimit reports whether only the limit of a sweep delays the act.
func beyondLimit(v *policy.Verdict) bool { return v.Beyond > 0 }

// limitText says that the limit of a sweep is reached, and how many targets wait.
func limitText(limited verdicts) string {
	if len(limited) == 0 {
		return ""
	}
	return fmt.Sprintf(" The limit of %s a sweep is reached: %s.", human.Number(limited[0].Beyond), human.Number(len(limited))+" more "+waits(len(limited))+" for the next")
}

func waits(n int) string {
	if n == 1 {
		return "waits"
	}
	return "wait"
}

// notYet says that the rules want longer proof than the looks gave.
func (v *view) notYet(pending verdicts) string {
	text := v.stopsNothing() + " yet: " + v.counting(pending) + " " + human.Are(len(pending)) + " pending."
	left, due := v.allDue(pending)
	switch {
	case due && v.halt() != "":
		return v.whileHalted() + v.counting(pending) + " " + human.Are(len(pending)) + dueWhen(left) + firstDue(pending, left, v.due) + v.afterPause(left) + "."
	case v.halt() != "":
		return v.whileHalted() + v.counting(pending) + " " + human.Are(len(pending)) + " pending."
	case due:
		return v.stopsNothing() + " yet: " + v.dueOf(pending, v.counting(pending), left) + firstDue(pending, left, v.due) + "."
	}
	unseen := pending.where(v.grouping.isUnseen)
	seen := pending.where(func(verdict *policy.Verdict) bool { return !v.grouping.isUnseen(verdict) })
	if left, due := v.allDue(seen); due {
		return v.stopsNothing() + " yet: " + v.dueOf(seen, v.counting(seen), left) + firstDue(seen, left, v.due) + ", and has not seen " + v.counting(unseen) + " yet."
	}
	need := longestNeed(pending)
	if need <= 0 {
		return text
	}
	proof := human.Exact(need)
	if least := shortestNeed(pending); least < need {
		proof = human.Exact(least) + " to " + proof
	}
	return fmt.Sprintf("%s yet: the %s %s of proof, %s.", v.stopsNothing(), wants(pending), proof, v.given(pending))
}

// soon returns the pending targets that a plain sweep proves, by the time it has looked.
func (v *view) soon(pending verdicts) verdicts {
	return pending.where(func(verdict *policy.Verdict) bool {
		left := remaining(verdict, v.at)
		return verdict.ByAge() && left > 0 && left < usualSettle
	})
}

// given tells how long a proof there is: the time between the looks, what a daemon remembers
// or, if a one-shot counts the age, that.
func (v *view) given(pending verdicts) string {
	held := pending[0].Held
	for _, verdict := range pending {
		held = min(held, verdict.Held)
	}
	settle := v.settle()
	switch {
	case len(pending.where(v.isRemembered)) == len(pending):
		return "the daemon has seen " + human.Span(held)
	case held >= settle+time.Second, len(pending.where((*policy.Verdict).ByAge)) == len(pending):
		return "the age gives " + human.Span(held)
	case settle > 0:
		return "two looks gave " + human.Took(settle)
	}
	return "one look gives none"
}

func wants(pending verdicts) string {
	if allEqual(pending, func(v *policy.Verdict) string { return v.Rule }) {
		return "rule wants"
	}
	return "rules want"
}

func itOrThem(n int) string {
	if n == 1 {
		return "it"
	}
	return "these " + human.Number(n)
}

// actedText counts the outcomes of a sweep's acts.
func (v *view) actedText() string {
	var freed uint64
	counts := map[done.Result]int{}
	for _, outcome := range v.in.Outcomes {
		counts[outcome.Result]++
		freed += outcome.FreedBytes
	}
	gone := v.shown.where(func(verdict *policy.Verdict) bool { return v.outcomes[verdict.Target.ID].Result.Reaped() })
	text := "Stopped nothing."
	if len(gone) > 0 {
		text = v.doing(gone, freed) + "."
	}
	if n := counts[done.AlreadyGone]; n > 0 {
		text += fmt.Sprintf(" %s %s already gone.", human.Number(n), human.Verb(n, "was", "were"))
	}
	if n := counts[done.Changed]; n > 0 {
		text += fmt.Sprintf(" %s had changed and %s left alone.", human.Number(n), human.Verb(n, "was", "were"))
	}
	if n := counts[done.Refused]; n > 0 {
		text += fmt.Sprintf(" %s %s refused.", human.Number(n), human.Verb(n, "was", "were"))
	}
	return text + limitText(v.shown.where(beyondLimit))
}
