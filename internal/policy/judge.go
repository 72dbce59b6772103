package policy

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
)

// GracefulClose is how long a client may take to end a server in good order: the SDKs
// of MCP close its stdin, wait, and signal after 2 to 5 s each. Until then a closed
// stdio below a live client proves nothing.
const GracefulClose = 10 * time.Second

// LikelyRest is how long what may be a job must have been at rest since its stdio closed: an
// agent or a job at work has a server's name or wiring, too.
const LikelyRest = 10 * time.Minute

// leastLooks is how many looks in a row must have seen a finding, where no other number is asked for.
const leastLooks = 2

// JudgeOptions are the inputs of [Judge] beside graph and policy.
type JudgeOptions struct {
	// OneShot marks a pass that a person asks for: what nobody owns does not wait for its rule's
	// time, and the age of what has ended counts as the time that its finding has held.
	OneShot bool
	// Looks is how many looks in a row must have seen a finding; 0 is two. Settle is for how long
	// they must have seen it in any case.
	Looks  int
	Settle time.Duration
	// UnderWay is what earlier sweeps have begun to end and not finished.
	UnderWay UnderWay
}

// Judge decides about each target of a graph, in the graph's order.
func Judge(g *graph.Graph, p *Policy, options JudgeOptions) []Verdict {
	j := judge{policy: p, options: options}
	if g.Snapshot != nil {
		j.now = g.Snapshot.TakenAt
	}
	verdicts := make([]Verdict, len(g.Targets))
	for i, target := range g.Targets {
		verdicts[i].Target = target
	}
	j.ties = tie(verdicts)
	j.decideEach(verdicts)
	// Each of these changes verdicts because of those on the targets tied to theirs.
	j.ties.hold(verdicts)                                               // keeps what would take something kept along
	j.ties.stayBehind(verdicts)                                         // keeps, or lets wait, what others could still come to
	j.ties.leaveUnderWay(verdicts, options.UnderWay, j.now)             // leaves alone what earlier sweeps work on
	j.ties.bundle(verdicts)                                             // gives what ends together one time
	j.ties.limit(verdicts, p.Limits.MaxActions, p.Schedule.Next(j.now)) // leaves the rest to later sweeps
	return verdicts
}

// decideEach decides about each target by itself: by protect, else by the first rule
// that matches.
func (j judge) decideEach(verdicts []Verdict) {
	var open []*Verdict
	for i := range verdicts {
		if !j.protects(&verdicts[i]) {
			open = append(open, &verdicts[i])
		}
	}
	for i := range j.policy.Rules {
		open = j.apply(&j.policy.Rules[i], open)
	}
	for _, v := range open {
		v.Unread = j.unread(v.Target)
		v.because("%v", v.reasonForNoRule())
	}
	for i := range verdicts {
		if v := &verdicts[i]; v.next != nil && v.Decision == Keep {
			j.decide(v.next, v)
		}
	}
}

type judge struct {
	policy  *Policy
	options JudgeOptions
	now     time.Time
	ties    ties
}

// protects reports that an entry of protect keeps the target.
func (j judge) protects(v *Verdict) bool {
	for i := range j.policy.Protect {
		entry := &j.policy.Protect[i]
		if entry.Match.matches(j.withContainers(v.Target)) == no {
			continue
		}
		v.Protected = entry
		v.because("protected by %q", entry.Name)
		if entry.Reason != "" {
			v.because("protected by %q: %s", entry.Name, strings.TrimSuffix(entry.Reason, "."))
		}
		return true
	}
	return false
}

// withContainers is a target as exclude and protect see it: with the containers of a
// runner, because the runner ends with them.
func (j judge) withContainers(t *graph.Target) candidate {
	c := alone(t)
	for _, v := range j.ties.containers[t.ID] {
		c.containers = append(c.containers, v.Target.Container)
	}
	return c
}

// apply lets one rule decide about the open verdicts, and returns those that it
// leaves open.
func (j judge) apply(rule *Rule, open []*Verdict) []*Verdict {
	var claimed, left []*Verdict
	for _, v := range open {
		if j.claims(rule, v.Target) {
			claimed = append(claimed, v)
		} else {
			j.awaits(rule, v)
			left = append(left, v)
		}
	}
	if rule.MaxPerOwner > 0 {
		over := beyond(rule.MaxPerOwner, claimed, j.options.UnderWay.goes())
		for _, v := range claimed {
			if !over[v] {
				left = append(left, v)
			}
		}
		claimed = slices.DeleteFunc(claimed, func(v *Verdict) bool { return !over[v] })
	}
	for _, v := range claimed {
		j.decide(rule, v)
	}
	return left
}

// claims reports that a rule matches a target and does not exclude it.
func (j judge) claims(rule *Rule, t *graph.Target) bool {
	switch {
	case !rule.wants(t.Finding), t.Incidental && !rule.namesIncidental(t.Kind):
		return false
	case rule.Match.matches(alone(t)) != yes:
		return false
	case rule.Exclude != nil && rule.Exclude.matches(j.withContainers(t)) != no:
		return false
	}
	return rule.reaches(t)
}

// unread is the first rule that acts and may name a target, of which not all that the rule asks for could be read; ""
// if there is none.
func (j judge) unread(t *graph.Target) string {
	for i := range j.policy.Rules {
		rule := &j.policy.Rules[i]
		isMeant := rule.Action.Reaps() && rule.wants(t.Finding) && (!t.Incidental || rule.namesIncidental(t.Kind))
		if isMeant && rule.Match.matches(alone(t)) == unreadable && (rule.Exclude == nil || rule.Exclude.matches(j.withContainers(t)) == no) && rule.reaches(t) {
			return rule.Name
		}
	}
	return ""
}

// namesIncidental reports that the rule names targets of a kind that rules reach only
// if they name it.
func (r *Rule) namesIncidental(kind graph.Kind) bool {
	if kind == graph.KindSession {
		return slices.Contains(r.Match.Kinds, kind)
	}
	return r.namesContainers()
}

// namesContainers reports that the rule says which containers it means. Only such a
// rule may touch a container that is no MCP server.
func (r *Rule) namesContainers() bool {
	m := &r.Match
	if len(m.Label) > 0 || len(m.Image) > 0 {
		return true
	}
	return len(m.Name) > 0 && slices.Contains(m.Kinds, graph.KindContainer)
}

// beyond are the verdicts over the limit of their owner. Targets that are already
// being reaped count first: else as many again would be chosen meanwhile. Targets that
// are kept anyway count too and are chosen last. In between the longest idle come
// first, then the oldest.
func beyond(limit int, claimed []*Verdict, goes func(*graph.Target) bool) map[*Verdict]bool {
	over := map[*Verdict]bool{}
	owned := map[graph.Owner][]*Verdict{}
	for _, v := range claimed {
		if owner := v.Target.Owner; (!owner.ID.IsZero() || owner.Name != "") && !v.Target.Deduced {
			key := graph.Owner{ID: owner.ID, Name: owner.Name}
			owned[key] = append(owned[key], v)
		}
	}
	for _, copies := range owned {
		slices.SortStableFunc(copies, func(a, b *Verdict) int {
			return cmp.Or(compareBool(!goes(a.Target), !goes(b.Target)), leastMissed(a, b))
		})
		for _, v := range copies[:max(0, len(copies)-limit)] {
			over[v] = true
		}
	}
	return over
}

func leastMissed(a, b *Verdict) int {
	return cmp.Or(
		compareBool(len(a.Target.Vetoes) > 0, len(b.Target.Vetoes) > 0),
		cmp.Compare(b.Target.Idle.Or(0), a.Target.Idle.Or(0)),
		cmp.Compare(b.Target.Age, a.Target.Age),
		cmp.Compare(a.Target.ID, b.Target.ID))
}

// decide makes the verdict of a rule about a target that it matches.
func (j judge) decide(rule *Rule, v *Verdict) {
	v.Rule, v.RuleOrigin, v.Action, v.volumes = rule.Name, rule.Origin, rule.Action, rule.Volumes
	if v.Action == ActionRemove && v.Target.Finding == graph.FindingOrphaned && v.Target.Reused != "" {
		v.Action = ActionTerminate // somebody may start it again
	}
	v.Grace, v.For, v.Held, v.Vetoes = rule.Grace, rule.For, j.held(rule, v.Target), nil
	v.listenersStay = rule.Match.Listening != nil && !*rule.Match.Listening
	if !rule.Action.Reaps() {
		v.Action = ActionReport
		v.because("rule %q only reports it: %v", rule.Name, wrong(v.Target))
		return
	}
	j.weigh(rule, v)
	if vetoes := j.guards(rule, v.Target); len(vetoes) > 0 {
		v.keepBecause(vetoes)
	}
}

// weigh decides between reap and pending. There is one count: the time that the finding must hold, or that for which a
// session or an older copy must do nothing, whichever is over later.
func (j judge) weigh(rule *Rule, v *Verdict) {
	t := v.Target
	held, need := v.Held, needed(rule, t)
	v.Switch = rule.bySwitch
	if j.options.OneShot && isNobodys(rule, t) {
		need = 0
	}
	least, rested := rule.Rest(t)
	mustRest := least > rested && least-rested >= need-held
	if v.IfIdle = least > 0; mustRest {
		held, need, v.Held, v.For, v.resting = rested, least, rested, least, true
	}
	v.NeedsLook = t.Looks < cmp.Or(j.options.Looks, leastLooks) || t.Held < j.options.Settle
	if held >= need && !v.NeedsLook {
		v.Decision = Reap
		v.because("rule %q: %v", rule.Name, wrong(t))
		return
	}
	v.Decision = Pending
	v.DueAt = j.now.Add(max(0, need-held))
	if held < need {
		v.Needs = roundUp(need)
		form := "rule %q wants it to hold for %s, and it has for %s"
		switch {
		case mustRest:
			form = "rule %q wants it to have done nothing for %s, and it has for %s"
		case !t.Job.IsZero():
			v.because("rule %q: %v, so it must have been at rest for %s, and it has for %s", rule.Name, t.Job, human.Mark(human.Span(v.Needs)), human.Mark(human.Span(held)))
			return
		case held > t.Held:
			form = "rule %q wants it to have run for %s, and it has for %s"
		}
		v.because(form, rule.Name, human.Mark(human.Span(v.Needs)), human.Mark(human.Span(held)))
		return
	}
	v.because("rule %q waits for a second look at it", rule.Name)
}

// needed is how long a finding must have held for a rule. An orphaned container whose
// owner lives needs the time of a graceful close: its owner has closed the runner's
// stdio and may be ending it.
func needed(rule *Rule, t *graph.Target) time.Duration {
	closing := t.Finding == graph.FindingOrphaned && t.Kind == graph.KindContainer && t.Owner.Liveness == graph.LivenessLive
	switch {
	case !t.Job.IsZero():
		return max(rule.For, LikelyRest)
	case t.Finding == graph.FindingDisconnected, closing:
		return max(rule.For, GracefulClose+time.Millisecond)
	}
	return rule.For
}

// held is how long the finding has held. A one-shot counts the age of targets that have ended, and
// of containers that a rule takes whoever owns them.
func (j judge) held(rule *Rule, t *graph.Target) time.Duration {
	held := t.Held
	switch {
	case !t.Job.IsZero():
		held = min(t.Held, t.Idle.Or(0))
	case t.Kind == graph.KindSession && t.Finding == graph.FindingNone: // idle counts from the beginning of its rest
		_, held = rule.Rest(t)
	case j.options.OneShot && ageCounts(rule, t):
		held = max(t.Held, t.Age)
	}
	if limits := &rule.Match; limits.CPUOver > 0 || limits.MemoryOver > 0 {
		return min(held, limits.exceededFor(t))
	}
	return held
}

// exceededFor is how long every look has shown more than the limits allow. Each
// look's share of a processor covers the time since the look before.
func (m *Match) exceededFor(t *graph.Target) time.Duration {
	first, found := graph.FirstWhile(t.Samples, m.exceeded)
	if !found {
		return 0
	}
	since := first.At
	if m.MemoryOver == 0 {
		since = first.From
	}
	return t.Samples.At.Since(since)
}

// exceeded reports that a look showed more than the limits allow.
func (m *Match) exceeded(s graph.Sample) bool {
	return (m.CPUOver == 0 || s.CPUPercent > m.CPUOver) && (m.MemoryOver == 0 || s.MemoryBytes > m.MemoryOver)
}

// ageCounts reports that a target's age may stand for the time its finding has held.
// It may not below a live owner, nor for a target that listens or may listen: its
// users come and go. What may be a job must have been seen at rest.
func ageCounts(rule *Rule, t *graph.Target) bool {
	switch {
	case !t.Job.IsZero(), t.Listening.Or(t.Listening.IsUnreadable()):
		return false
	case t.Kind == graph.KindContainer && rule.ignoresOwner():
		return true
	case t.Owner.Liveness == graph.LivenessLive:
		return false
	}
	return t.Finding == graph.FindingOrphaned || t.Finding == graph.FindingExited
}

// isNobodys reports an orphan for which a person need not wait: a channel that the kernel shows
// closed never opens again. Below a live owner the wait is part of the proof.
func isNobodys(rule *Rule, t *graph.Target) bool {
	return t.Finding == graph.FindingOrphaned && ageCounts(rule, t) && t.Owner.Liveness != graph.LivenessLive
}

// guards are the vetoes of a target and the policy's own two: a server that is known
// by its shape alone must be orphaned or disconnected, and a session without a
// finding is in use.
func (j judge) guards(rule *Rule, t *graph.Target) []graph.Veto {
	finding := t.Finding
	if t.Kind == graph.KindSession && finding == graph.FindingNone && rule.wants(finding) {
		why := notIdle(t.Idle.Or(0), j.policy.IdleOver())
		return append(slices.Clone(t.Vetoes), graph.Veto{Guard: graph.GuardInUse, Text: why.String(), Said: why})
	}
	if !t.ByShape || finding == graph.FindingOrphaned || finding == graph.FindingDisconnected {
		return t.Vetoes
	}
	return append(slices.Clone(t.Vetoes), graph.Veto{Guard: graph.GuardShapeOnly,
		Text: "it is known for a server by its stdio alone, and so is stopped only when nobody is behind it"})
}

// notIdle says why a session without a finding is kept. It may have done nothing for a while, and count as idle later.
func notIdle(idle, over time.Duration) human.Sentence {
	if idle < graph.LeastIdle || idle >= over {
		return human.Say("it does not count as idle")
	}
	return human.Say("it has been idle for %s, and counts as idle from %s on", human.Mark(human.Span(idle)), human.Span(over))
}

// keepBecause turns a verdict into keep. The rule that decided stays named.
func (v *Verdict) keepBecause(vetoes []graph.Veto) {
	v.Decision, v.DueAt, v.Needs, v.NeedsLook, v.IfIdle, v.WaitsFor = Keep, time.Time{}, 0, false, false, ""
	v.Vetoes = vetoes
	v.because("rule %q would stop it, but %v", v.Rule, vetoes[0].Sentence())
}

func (v *Verdict) reasonForNoRule() human.Sentence {
	t := v.Target
	switch {
	case t.Finding != graph.FindingNone && v.Unread != "":
		return human.Say("rule %q may name it, and not all that it asks for could be read: %v", v.Unread, wrong(t))
	case t.Finding != graph.FindingNone:
		return human.Say("no rule acts on it: %v", wrong(t))
	case t.Owner.IsUnseen() && t.Kind != graph.KindContainer: // a container's docker run lives, or one of several
		return human.Say("it may be in use, by a process that cannot be seen from here")
	case t.Owner.Liveness == graph.LivenessLive:
		return human.Say("%s owns it", cmp.Or(t.Owner.Name, "a live process"))
	}
	for _, e := range t.Evidence {
		if e.Says == graph.SaysSilent && e.Text != "" {
			return human.Say("nothing says whose it is: %v", e.Sentence())
		}
	}
	return human.Say("nothing says whose it is")
}

// roundUp is a duration rounded up to whole seconds.
func roundUp(d time.Duration) time.Duration { return (d + time.Second - 1).Truncate(time.Second) }
