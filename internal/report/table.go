package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/redact"
)

// Table writes the report of a scan, or of a sweep with its outcomes.
func Table(w io.Writer, in Input, options Options) error {
	voice := would()
	if len(in.Outcomes) > 0 {
		voice = afterwards()
	}
	v := newView(in, options, voice)
	s := newScreen(options)
	v.headline(s)
	if options.Wide {
		v.wide(s)
	} else {
		v.inUseTree(s)
		v.idleSessions(s)
		v.deeds(s)
		v.pending(s)
		v.notTouched(s)
	}
	v.hiddenRows(s)
	v.hints(s, v.nextCommands())
	v.footer(s)
	v.noteUnmeasured(s)
	return s.flush(w)
}

// cause is a reason that several groups of one rule share.
type cause struct {
	rule    string
	action  policy.Action
	finding graph.Finding
	kind    graph.Kind
	owner   string // the live owner, if there is one
	limit   int    // the limit of a sweep, if that delays the act
	// waitsFor is the id of the container for which they wait; "" is none.
	waitsFor string
	unseen   bool // the daemon has not seen them yet
	// imminent: their acts have not begun.
	imminent bool
	groups   []group
}

// causes gathers groups by rule and finding, containers first.
func (v *view) causes(vs verdicts) []cause {
	var out []cause
	for _, g := range v.grouping.groups(vs) {
		c := v.causeOf(g)
		at := slices.IndexFunc(out, func(other cause) bool { return other.same(c) })
		if at < 0 {
			at = len(out)
			out = append(out, c)
		}
		out[at].groups = append(out[at].groups, g)
	}
	slices.SortStableFunc(out, func(a, b cause) int {
		return cmp.Or(cmp.Compare(kindRank(a.kind), kindRank(b.kind)), cmp.Compare(a.rule, b.rule), cmp.Compare(a.limit, b.limit), cmp.Compare(a.owner, b.owner))
	})
	return out
}

func (v *view) causeOf(g group) cause {
	verdict := g.verdicts[0]
	c := cause{rule: verdict.Rule, action: verdict.Action, finding: g.first().Finding, kind: g.first().Kind, limit: verdict.Beyond, waitsFor: verdict.WaitsFor, unseen: v.grouping.isUnseen(verdict), imminent: verdict.Imminent}
	if owner := g.first().Owner; owner.Liveness == graph.LivenessLive {
		c.owner = ownerText(owner)
	}
	return c
}

func (c cause) same(other cause) bool {
	return c.rule == other.rule && c.action == other.action && c.finding == other.finding && c.kind == other.kind && c.owner == other.owner && c.limit == other.limit && c.waitsFor == other.waitsFor && c.unseen == other.unseen && c.imminent == other.imminent
}

func (c cause) verdicts() verdicts {
	var out verdicts
	for _, g := range c.groups {
		out = append(out, g.verdicts...)
	}
	return out
}

func ownerText(o graph.Owner) string {
	return strings.TrimSpace(human.Safe(redact.Name(o.Name)) + " " + pidText(o.ID))
}

// deeds shows what is reaped, by rule; after a sweep also what it could not end.
func (v *view) deeds(s *screen) {
	reap := v.on(reaping)
	if !v.acted() {
		v.leavingSections(s)
		v.deedSections(s, reap)
		return
	}
	v.left(s, reap, "STILL THERE", done.Result.Incomplete)
	v.deedSections(s, reap.where(func(verdict *policy.Verdict) bool { return v.outcomes[verdict.Target.ID].Result.Reaped() }))
	v.left(s, reap, "LEFT ALONE", func(r done.Result) bool { return r == done.Changed || r == done.Refused })
	v.notReached(s, reap)
}

func (v *view) deedSections(s *screen, reap verdicts) {
	heading := ""
	for _, c := range v.causes(v.ownCause(reap)) {
		if next := v.sectionHeading(c); next != heading {
			s.gap()
			s.section(red, next)
			heading = next
		}
		v.cause(s, c, v.voice)
		v.dueToo(s, c)
	}
}

func (v *view) sectionHeading(c cause) string {
	return v.voice.heading(c.action) + " " + v.glyphs.dot + " rule " + c.rule
}

// cause shows the groups of one cause, then once the reason.
func (v *view) cause(s *screen, c cause, voice voice) {
	if lead := v.generations(c); lead != "" {
		s.wrap("", lead)
	}
	for _, g := range c.groups {
		s.row(v.groupRow(g))
		v.holding(s, g.verdicts[0])
	}
	v.explainPlus(s, c.verdicts())
	why := c.verdicts().why(v.glyphs)
	s.wrap("   why: ", why)
	v.sayKilled(s, c.verdicts())
	v.prospects(s, c, voice)
	v.sayResumes(s, c.verdicts())
	v.endsWith(s, c)
	v.leftBySome(s, c, why)
	for _, g := range c.groups {
		if c.finding != graph.FindingDuplicate {
			v.starts(s, g, len(c.groups) > 1)
		}
	}
}

// sayKilled names what did not end by itself in a sweep, with what went with a gateway or a session of it.
func (v *view) sayKilled(s *screen, vs verdicts) {
	var names []string
	along := v.all.where(func(verdict *policy.Verdict) bool {
		gateway := v.leakedAround(verdict)
		isAlong := gateway != nil && slices.Contains(vs, gateway) || len(v.goingWith(vs, verdicts{verdict})) > 0
		return isAlong && !slices.Contains(vs, verdict)
	})
	for _, verdict := range slices.Concat(vs, along) {
		if v.outcomes[verdict.Target.ID].Result == done.Killed {
			names = append(names, nameOf(verdict.Target)+" "+handle(verdict.Target))
		}
	}
	if len(names) > 0 {
		s.wrap("   ", "had to be killed: "+human.List(firstFew(names)))
	}
}

// generations sums up the older copies that one owner has: "12 older generations of 4
// servers below codex 4711, one of each every 7m". A single one is told with its owner.
func (v *view) generations(c cause) string {
	vs := c.verdicts()
	switch {
	case c.finding != graph.FindingDuplicate, len(vs) == 1 && c.owner == "":
		return ""
	case len(vs) == 1:
		return "An older copy below " + c.owner
	}
	deepest := 0
	for _, g := range c.groups {
		deepest = max(deepest, len(g.verdicts))
	}
	text := fmt.Sprintf("%s of %s", human.Count(deepest, "older generation"), human.Count(len(c.groups), "server"))
	if c.owner != "" {
		text += " below " + c.owner
	}
	if every := v.interval(c.groups); every >= time.Second {
		text += ", one of each every " + human.Coarse(every)
	}
	if sum := vs.memory(); sum > 0 && len(c.groups) > 1 {
		text += ", " + human.Bytes(sum) + " in all"
	}
	return text
}

// interval returns the median time between two generations; zero if unknown.
func (v *view) interval(groups []group) time.Duration {
	var between []time.Duration
	for _, g := range groups {
		for i := 1; i < len(g.verdicts); i++ {
			from, to := g.verdicts[i-1].Target.Started(v.at), g.verdicts[i].Target.Started(v.at)
			if !from.IsZero() && !to.IsZero() {
				between = append(between, to.Sub(from))
			}
		}
	}
	if len(between) == 0 {
		return 0
	}
	slices.Sort(between)
	return between[len(between)/2]
}

// endsWith names the runners that end with the containers of a cause, and the containers that go with its runners.
func (v *view) endsWith(s *screen, c cause) {
	vs := c.verdicts()
	runners := v.all.where(func(verdict *policy.Verdict) bool { return slices.Contains(vs, v.endsBy(verdict)) })
	containers := v.all.where(func(verdict *policy.Verdict) bool {
		runner, found := v.verdict(verdict.With)
		return found && verdict.Target.Kind == graph.KindContainer && v.goesWithTwin(verdict) && slices.Contains(vs, runner)
	})
	v.sayTwins(s, c, runners, "docker run", "ends", "end")
	v.sayTwins(s, c, containers, "container", "goes", "go")
}

// sayTwins names what goes with a cause: "its docker run postgres 40 ends with it"; of a cause of several, with which.
func (v *view) sayTwins(s *screen, c cause, twins verdicts, noun, one, many string) {
	switch {
	case len(twins) > 1:
		s.wrap("   ", human.Count(len(twins), noun)+" "+many+" with them")
	case len(twins) == 1 && len(c.verdicts()) == 1:
		s.wrap("   ", "its "+noun+" "+twinText(twins[0].Target)+" "+one+" with it")
	case len(twins) == 1:
		head := v.endsBy(twins[0])
		if head == nil {
			head, _ = v.verdict(twins[0].With)
		}
		s.wrap("   ", noun+" "+twinText(twins[0].Target)+" "+one+" with "+called(head.Target))
	}
}

// twinText names a docker run or a container, where another word tells which of these it is.
func twinText(t *graph.Target) string { return nameOf(t) + " " + handle(t) }

// left lists the targets whose outcome satisfies is, each with its outcome.
func (v *view) left(s *screen, vs verdicts, heading string, is func(done.Result) bool) {
	rest := vs.where(func(verdict *policy.Verdict) bool {
		outcome, ok := v.outcomes[verdict.Target.ID]
		return ok && is(outcome.Result)
	})
	if len(rest) == 0 {
		return
	}
	s.gap()
	s.section(red, heading)
	for _, verdict := range rest {
		outcome := v.outcomes[verdict.Target.ID]
		text := string(outcome.Result)
		if outcome.Detail != "" {
			text += ": " + sentence(outcome.Detail)
		}
		one := verdicts{verdict}
		s.reasoned(row{head: one.head(v.glyphs), cells: one.cells(v.glyphs)}, text)
	}
}

// notReached counts the targets that were to be reaped and have no outcome.
func (v *view) notReached(s *screen, reap verdicts) {
	rest := reap.where(func(verdict *policy.Verdict) bool {
		_, ok := v.outcomes[verdict.Target.ID]
		return !ok
	})
	if len(rest) > 0 {
		s.gap()
		s.wrap("", fmt.Sprintf("%s not tried in this sweep; the next one looks again.", human.Number(len(rest))+" more "+human.Verb(len(rest), "was", "were")))
	}
}

// pending shows what waits for proof, for how long, and the command that proves it.
func (v *view) pending(s *screen) {
	heading := ""
	for _, c := range v.causes(v.ownCause(v.on(waiting))) {
		if next := v.pendingHeading(c); next != heading {
			s.gap()
			s.section(yellow, next)
			heading = next
		}
		v.cause(s, c, would())
		v.proof(s, c)
	}
}

func (v *view) pendingHeading(c cause) string {
	heading := "PENDING " + v.glyphs.dot + " rule " + c.rule
	if c.limit > 0 {
		return heading + " " + v.glyphs.dot + " limit of " + human.Number(c.limit) + " a sweep"
	}
	if c.waitsFor != "" {
		return heading + " " + v.glyphs.dot + " waits for its container " + v.nameOf(c.waitsFor)
	}
	vs := c.verdicts()
	held := v.heldFor(vs[0])
	most := held
	for _, verdict := range vs {
		held, most = min(held, v.heldFor(verdict)), max(most, v.heldFor(verdict))
	}
	has := " held "
	if len(vs.where((*policy.Verdict).ByAge)) == len(vs) && !v.awaited(vs[0]) {
		has = " up "
	}
	heading += " " + v.glyphs.dot + has
	if most-held < oneTime {
		heading += human.Span(held)
	} else {
		heading += human.Ages(held, most)
	}
	if need := longestNeed(vs); need > 0 {
		heading += " of " + human.Exact(need)
	}
	return heading
}

// proof tells when the daemon reaps the targets of a cause, or how long the cause must
// still hold and the command that proves it.
func (v *view) proof(s *screen, c cause) {
	vs := c.verdicts()
	if left, due := v.allDue(vs); due {
		s.wrap("   ", v.dueWith(vs, left))
		return
	}
	if text := v.notSeenYet(vs); text != "" && c.unseen {
		s.wrap("   ", text)
		return
	}
	first, left := remaining(vs[0], v.at), time.Duration(0)
	for _, verdict := range vs {
		first, left = min(first, remaining(verdict, v.at)), max(left, remaining(verdict, v.at))
	}
	var parts []string
	switch {
	case left <= 0 || c.limit > 0:
	case left-first >= oneTime:
		parts = append(parts, human.ToGo(max(first, time.Second))+" to "+human.ToGo(left)+" still to go")
	default:
		parts = append(parts, human.ToGo(left)+" still to go")
	}
	if longestNeed(vs) > 0 && !v.in.Replay && !v.cannotAct() && !allAtOnce(vs) { // --now is among the next commands
		parts = append(parts, "prove it: "+v.proving(vs))
	}
	if text := v.otherwise(vs); text != "" {
		parts = append(parts, text)
	}
	if reason := vs[0].Reason; len(parts) == 0 && reason != "" {
		parts = append(parts, sentence(reason))
	}
	if len(parts) > 0 {
		s.wrap("   ", strings.Join(parts, "; "))
	}
}

// sources returns the sources of the last look. A source that was read worse in the first
// look has the status of that look.
func (v *view) sources() []inventory.Source { return sourcesOf(v.in) }

func sourcesOf(in Input) []inventory.Source {
	if in.Graph == nil || in.Graph.Snapshot == nil {
		return nil
	}
	sources := slices.Clone(in.Graph.Snapshot.Sources)
	if in.First == nil || in.First.Snapshot == nil {
		return sources
	}
	for i := range sources {
		for _, earlier := range in.First.Snapshot.Sources {
			if earlier.Name == sources[i].Name && earlier.Endpoint == sources[i].Endpoint && gravity(earlier) > gravity(sources[i]) {
				sources[i].Status, sources[i].Reason = earlier.Status, strings.TrimSpace("in the first look: "+earlier.Reason)
			}
		}
	}
	return sources
}

// gravity ranks statuses by how badly the source was read.
func gravity(s inventory.Source) int {
	return slices.Index([]inventory.Status{inventory.StatusOK, inventory.StatusAbsent, inventory.StatusPartial, inventory.StatusError}, s.Status)
}
