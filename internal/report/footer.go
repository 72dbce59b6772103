package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/asked"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
)

// hint is a command to type next, and its purpose.
type hint struct{ command, what string }

// nextCommands returns the commands that a reader probably wants next.
func (v *view) nextCommands() (out []hint) {
	if v.in.Replay {
		return nil
	}
	if v.acted() {
		history := "reaperd history --since 1h"
		if file := v.in.Asked.Journal; file != "" {
			history += " --journal " + human.Shell(file)
		}
		if len(v.on(waiting).where(beyondLimit)) > 0 {
			out = []hint{{v.order().Sweep(), "stops the next, asks first"}}
		}
		return append(out, hint{history, "what was done, and why"}, hint{asked.Look{Policies: v.in.Asked.Policies}.Scan(), "look again"})
	}
	if len(v.all) == 0 && v.in.Command == "scan" && len(v.options.Names) == 0 && v.in.Complete() {
		return append(v.reaped(), hint{"reaperd demo", "plays a leak and its end, in a world of its own"})
	}
	reap, pending, look := v.on(reaping), v.on(waiting), v.alone(noted)
	out = v.stopping(reap, pending)
	if len(reap)+len(pending) == 0 {
		out = append(out, v.reaped()...)
	}
	if !v.options.Wide && len(v.shown) > namedCopies && v.isFolded() {
		wide := v.scan()
		wide.Output = "wide"
		out = append(out, hint{wide.Scan(), "each by itself"})
	}
	out = append(out, v.explaining(look, pending, reap)...)
	if !v.cannotAct() {
		out = append(out, v.switches(look)...)
	}
	if !v.in.NoRoom { // else unpin is refused
		out = append(out, v.unpins()...)
	}
	if victims := append(append(verdicts{}, reap...), pending...); len(victims) > 0 && !v.in.NoRoom {
		out = append(out, hint{v.pin(v.foremost(victims)), "keep it"})
	}
	if v.isUnwatched() && v.in.Command == "scan" && len(reap) > 0 {
		out = append(out, v.daemonFor(reap))
	}
	return out
}

// reaped is the command that shows what is gone already, for who looks whether anything leaks; nil if
// nothing went lately.
func (v *view) reaped() []hint {
	if !v.in.Reaped || v.in.Command != "scan" || len(v.options.Names) > 0 {
		return nil
	}
	return []hint{{"reaperd history --since 1h", "what was stopped, and why"}}
}

// isFolded reports that some row of the table shows several targets together: "2 × fetch 56 57".
func (v *view) isFolded() bool {
	return slices.ContainsFunc(v.grouping.groups(v.shown), func(g group) bool { return len(g.verdicts) > 1 })
}

// explaining returns the command that explains the first thing of which one wants to know more.
func (v *view) explaining(look, pending, reap verdicts) []hint {
	for _, about := range []struct {
		vs   verdicts
		what string
	}{{look, "why it is left alone"}, {pending, "every line of evidence"}, {reap, "every line of evidence"}} {
		if len(about.vs) > 0 {
			first := v.foremost(about.vs)
			if _, only := v.unheeded(first, first.Vetoes); only { // it is not left alone by all
				about.what = "who keeps it, and from whom"
			}
			command := v.in.Asked.Explain(handle(first))
			if verdict, found := v.verdict(first.ID); found && v.isUpToRoots(verdict) {
				command, about.what = "sudo reaperd explain "+handle(first), "what root's daemon sees of it"
			}
			return []hint{{command, about.what}}
		}
	}
	return nil
}

// otherSweeps returns the sweeps that would stop something where the one that was asked for does
// not or, if there is none, what explains that.
func (v *view) otherSweeps() []hint {
	if v.in.Replay {
		return nil
	}
	out := v.stopping(nil, v.on(waiting))
	if !v.cannotAct() {
		out = append(out, v.switches(v.alone(noted))...)
	}
	out = append(out, v.unpins()...)
	if len(out) == 0 && len(v.in.Asked.Names) > 0 {
		out = append(v.explaining(v.alone(noted), v.on(waiting), nil), v.explainingUse()...)
		return out[:min(len(out), 1)]
	}
	return out
}

// explainingUse returns the command that explains how something is used.
func (v *view) explainingUse() []hint {
	used := v.alone(inUse)
	if len(used) == 0 {
		return nil
	}
	return []hint{{v.in.Asked.Explain(handle(v.foremost(used))), "how it is used"}}
}

// afterResume is what comes of what is due once a pause has ended.
func (v *view) afterResume() string {
	if v.in.Daemon && v.in.DaemonRests == "" {
		return "what is due is stopped again"
	}
	return "sweeps stop what is due again"
}

// stopping returns the commands that stop what would be stopped, and what is pending.
func (v *view) stopping(reap, pending verdicts) (out []hint) {
	switch {
	case !v.cannotAct():
	case len(reap)+len(pending) == 0:
		return nil
	case v.in.Paused:
		return []hint{{"reaperd resume", v.afterResume()}}
	case v.in.NoSpace:
		return []hint{{"reaperd status", "which disk is full: no sweep by hand can record its acts"}}
	default:
		return []hint{{"reaperd status", "why nothing can be stopped now"}}
	}
	if n := len(reap); n > 0 {
		out = append(out, hint{v.order().Sweep(), stopText(n) + ", asks first"})
	}
	pending = v.actedOn(pending)
	need, atOnce := longestNeed(pending), pending.where(mayGoAtOnce)
	switch {
	case len(atOnce) > 0 && len(reap) > 0:
		out = append(out, hint{now(v.order()), "the pending too"})
	case len(atOnce) > 0 && (v.provingHint() == "" || !allAtOnce(pending)): // else the hint above is that command
		out = append(out, hint{now(v.order()), stopSome(atOnce, pending) + " now, asks first"})
	case need > 0 && len(reap) > 0:
		out = append(out, hint{settling(v.order(), v.longestSettle(pending)), "the pending too"})
	}
	return out
}

// switches returns the commands that end, this once, targets that the policy only
// reports.
func (v *view) switches(noted verdicts) (out []hint) {
	if slices.ContainsFunc(noted, func(verdict *policy.Verdict) bool {
		return verdict.Target.Finding == graph.FindingDuplicate && onlyReported(verdict)
	}) {
		order := v.order()
		order.Duplicates = true
		out = append(out, hint{order.Sweep(), "stop the older copies this once, asks first"})
	}
	var least time.Duration
	for _, verdict := range v.shown {
		isShown := v.hasIdleRow(verdict) || isIdle(verdict.Target) && verdict.Decision == policy.Pending
		if idle := verdict.Target.Idle.Or(0); isShown && !isKept(verdict) && (least == 0 || idle < least) {
			least = idle
		}
	}
	if least > 0 {
		order := v.order()
		order.IdleOver = human.Coarse(least)
		out = append(out, hint{order.Sweep(), "stop idle sessions this once, asks first"})
	}
	return out
}

// isKept reports a session that a guard or the policy's protect keeps from every sweep, or what it is bound to.
func isKept(session *policy.Verdict) bool {
	return session.Protected != nil || howKept(session.Target) != "" || len(session.Vetoes) > 0 || session.Bound != nil
}

// hasIdleRow reports an idle session that has a row of its own.
func (v *view) hasIdleRow(verdict *policy.Verdict) bool {
	return isIdle(verdict.Target) && v.resting[verdict.Target.ID]
}

// mostUnpins is how many pins a footer names.
const mostUnpins = 3

// unpins returns the commands that end the pins of what has a finding, or idles: no sweep stops
// that. If the reader named what to show, the pins of what is in use are among them too.
func (v *view) unpins() (out []hint) {
	isNamed := len(v.options.Names)+len(v.in.Asked.Names) > 0
	for _, verdict := range v.shown {
		isNoted := shelfOf(verdict) == noted && v.along[verdict.Target.ID] == ""
		command, what := v.unpin(verdict), "ends its pin"
		if howKept(verdict.Target) != "pinned" {
			what = "ends that pin"
		}
		isTold := slices.ContainsFunc(out, func(h hint) bool { return h.command == command })
		if (v.hasIdleRow(verdict) || isNoted || isNamed) && command != "" && !isTold && len(out) < mostUnpins {
			out = append(out, hint{command, what})
		}
	}
	return out
}

// foremost returns the target of the first row: the session or the gateway, of what goes with one.
func (v *view) foremost(vs verdicts) *graph.Target {
	if own := v.ownCause(vs); len(own) > 0 {
		vs = own
	}
	first := v.grouping.groups(vs)[0].first()
	if head := v.headOf(first); head != nil {
		return head.Target
	}
	return first
}

// stopSome says which of the rows shown a command stops: "stop it", "stop 2 of these".
func stopSome(some, shown verdicts) string {
	switch {
	case len(some) == len(shown):
		return stopText(len(some))
	case len(some) == 1:
		return "stop " + handle(some.first())
	}
	return "stop " + human.Number(len(some)) + " of these"
}

func stopText(n int) string { return "stop " + itOrThem(n) }

// footer shows the sources with their gaps, the policy and the looks in one line; notes
// follow.
func (v *view) footer(s *screen) {
	s.gap()
	parts := make([]string, 0, 4)
	for _, source := range v.sources() {
		parts = append(parts, v.sourceText(source))
	}
	if v.in.Policy.Source != "" {
		parts = append(parts, v.policyText())
	}
	parts = append(parts, v.memoryText(), v.looksText())
	s.flow(parts)
	v.sayNotes(s, v.shown)
}

// sayNotes writes the remarks about everything, and about some verdicts.
func (v *view) sayNotes(s *screen, about verdicts) {
	for _, note := range v.notes(about) {
		s.wrap("note: ", note)
	}
}

func (v *view) notes(about verdicts) (notes []string) {
	for _, note := range slices.Concat(v.unheededNotes(about), v.in.Notes) {
		notes = append(notes, commandWhole(sentence(note)))
	}
	return notes
}

// commandWhole keeps the command together with which a note ends, if it ends with one.
func commandWhole(note string) string {
	at := strings.LastIndex(note, ": ")
	if at < 0 {
		return note
	}
	for _, begins := range []string{"sudo ", "su ", "reaperd "} {
		if command := note[at+len(": "):]; strings.HasPrefix(command, begins) {
			return note[:at+len(": ")] + literal(command)
		}
	}
	return note
}

func (v *view) policyText() string {
	text := "policy " + v.options.Home.Short(human.Safe(v.in.Policy.Source), "")
	if v.in.Policy.Mode == policy.ModeReport {
		text += " (mode report)"
	}
	return text
}

// memoryText tells the kind of the memory figures, if there are any.
func (v *view) memoryText() string {
	kinds := map[string]bool{}
	for _, verdict := range v.shown {
		if t := verdict.Target; t.MemoryBytes > 0 && t.MemoryKind != "" {
			kinds[t.MemoryKind] = true
		}
	}
	switch {
	case kinds["rss"] && kinds["pss"]:
		return "memory pss, of some rss"
	case kinds["rss"]:
		return "memory rss (with shared pages)"
	case kinds["pss"]:
		return "memory pss"
	case kinds["footprint"]:
		return "memory footprint"
	}
	return ""
}

func (v *view) looksText() string {
	looks := "1 look"
	if v.in.First != nil {
		looks = "2 looks"
		if settle := v.settle(); settle >= time.Millisecond {
			looks += ", " + human.Took(settle) + " apart"
		}
	}
	if v.in.Replay {
		looks += ", replayed from " + human.Moment(v.local(v.at))
	}
	return looks
}

// hiddenRows tells how many targets the names leave out.
func (v *view) hiddenRows(s *screen) {
	hidden := len(v.all) - len(v.shown)
	if len(v.options.Names) == 0 || len(v.all) == 0 {
		return
	}
	s.gap()
	names := human.Safe(human.List(v.options.Names)) + " " + human.Are(len(v.options.Names))
	if hidden == 0 {
		return
	}
	if len(v.shown) == 0 {
		s.wrap("", fmt.Sprintf("%s %s hidden.", human.Count(hidden, "other"), human.Are(hidden)))
		return
	}
	s.wrap("", fmt.Sprintf("Only %s shown: %s %s hidden.", names, human.Count(hidden, "other"), human.Are(hidden)))
}
