package policy

import (
	"cmp"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/sentence"
)

// ties are the targets that end together: a gateway with everything below it, a
// runner with its containers. Ids without a target are left out.
type ties struct {
	byID map[string]*Verdict
	// containers are the containers of each runner, by the runner's target id.
	containers map[string][]*Verdict
}

// tie finds the ties among verdicts.
func tie(verdicts []Verdict) ties {
	t := ties{byID: map[string]*Verdict{}, containers: map[string][]*Verdict{}}
	for i := range verdicts {
		t.byID[verdicts[i].Target.ID] = &verdicts[i]
	}
	for i := range verdicts {
		v := &verdicts[i]
		if v.Target.Runner != "" {
			t.addContainer(v.Target.Runner, v)
		}
		for _, id := range v.Target.Containers {
			if container, ok := t.byID[id]; ok {
				t.addContainer(v.Target.ID, container)
			}
		}
	}
	return t
}

func (t ties) addContainer(runner string, container *Verdict) {
	if container.Target.Kind == graph.KindContainer && !slices.Contains(t.containers[runner], container) {
		t.containers[runner] = append(t.containers[runner], container)
	}
}

// userOf is the user whose share of the limits a target takes: its own, or that of a
// container's runner.
func (t ties) userOf(v *Verdict) inventory.Fact[int] {
	if runner, ok := t.byID[v.Target.Runner]; ok && v.Target.Kind == graph.KindContainer {
		return runner.Target.UID
	}
	return v.Target.UID
}

// containersOf are the container targets of a runner.
func (t ties) containersOf(runner *graph.Target) []*graph.Target {
	var containers []*graph.Target
	for _, v := range t.containers[runner.ID] {
		containers = append(containers, v.Target)
	}
	return containers
}

// under is everything that ends when the target does, without the target: everything
// below it, to any depth, with containers.
func (t ties) under(target *graph.Target) []*Verdict {
	seen := map[string]bool{target.ID: true}
	var all []*Verdict
	var visit func(*graph.Target)
	visit = func(above *graph.Target) {
		var next []*Verdict
		for _, id := range above.Below {
			if v, ok := t.byID[id]; ok {
				next = append(next, v)
			}
		}
		for _, v := range append(next, t.containers[above.ID]...) {
			if !seen[v.Target.ID] {
				seen[v.Target.ID] = true
				all = append(all, v)
				visit(v.Target)
			}
		}
	}
	visit(target)
	return all
}

// EndsWith are the targets that end when a target does, without it: everything below it, to any depth, with
// containers.
func EndsWith(verdicts []Verdict, target *graph.Target) (all []*graph.Target) {
	for _, v := range tie(verdicts).under(target) {
		all = append(all, v.Target)
	}
	return all
}

// hold keeps the targets that cannot be ended without a protected or guarded one: a
// gateway with a pinned server below it, the runner of a protected container, the
// container of a pinned runner.
func (t ties) hold(verdicts []Verdict) {
	for i := range verdicts {
		v := &verdicts[i]
		if !v.open() {
			continue
		}
		bound := t.under(v.Target)
		if runner, ok := t.byID[v.Target.Runner]; ok {
			bound = append(bound, runner)
		}
		if veto, stays := firstToStay(bound); stays {
			v.keepBecause([]graph.Veto{veto})
		}
	}
}

// firstToStay is why the first of the targets that must stay does; false if none must.
func firstToStay(bound []*Verdict) (graph.Veto, bool) {
	for _, other := range bound {
		if veto, stays := other.mustStay(); stays {
			return veto, true
		}
	}
	return graph.Veto{}, false
}

// called names a target in a reason.
func called(t *graph.Target) sentence.S {
	return sentence.Of("%s %s", t.Name, sentence.Mark(t.Handle()))
}

// mustStay is why a target must not end together with another. That it is unproven, or
// known by its shape alone, is no such reason: the other target's verdict then counts
// for both.
func (v *Verdict) mustStay() (graph.Veto, bool) {
	who := called(v.Target)
	if v.Protected != nil {
		return graph.VetoOf(graph.GuardProtected, sentence.Of("%v would end with it and is protected by %q", who, v.Protected.Name)), true
	}
	for _, veto := range v.Target.Vetoes {
		if veto.Guard != graph.GuardUnproven && veto.Guard != graph.GuardShapeOnly {
			kept := graph.VetoOf(veto.Guard, sentence.Of("%v would end with it: %v", who, veto.Sentence()))
			kept.Marked, kept.For, kept.By = veto.Marked, cmp.Or(veto.For, v.Target.ID), veto.By
			return kept, true
		}
	}
	return graph.Veto{}, false
}

// takes reports that what is below a gateway ends with it.
func (v *Verdict) takes(below *Verdict) bool {
	if v.listenersStay && below.Target.Listening.Or(below.Target.Listening.IsUnreadable()) {
		return false
	}
	return below.Target.Kind != graph.KindContainer || below.Decision != Reap && len(below.Target.Vetoes) == 0
}

// stayBehind keeps, or lets wait, what leaked targets have by which somebody could still come to it: it goes no sooner
// than they.
func (t ties) stayBehind(verdicts []Verdict) {
	decided := tie(slices.Clone(verdicts))
	for i := range verdicts {
		for _, id := range verdicts[i].Target.Behind {
			if first, ok := decided.byID[id]; ok {
				verdicts[i].goAfter(first)
			}
		}
	}
}

// goAfter lets v go no sooner than a target that may still speak to it.
func (v *Verdict) goAfter(first *Verdict) {
	who := sentence.Of("%v, by which somebody could still come to it", called(first.Target))
	switch {
	case v.Decision == Keep:
	case first.Decision == Pending:
		v.waitFor(first, who)
	case first.Decision == Keep:
		v.keepBecause([]graph.Veto{graph.VetoOf(graph.GuardInUse, sentence.Of("%v, stays", who))})
	}
}

// follow also reaps what cannot outlive a reaped target: all that is below a
// gateway, and the containers of a runner that no rule matches.
func (t ties) follow(verdicts []Verdict) {
	isReaped := func(v *Verdict) bool { return v.Decision == Reap }
	t.carry(t.gateways(verdicts), verdicts, isReaped, (*Verdict).goWith)
}

// followLater lets wait, with each gateway and each runner that is pending, what [ties.follow] reaps with it once that
// is due. What goes sooner by a rule of its own keeps its own time.
func (t ties) followLater(verdicts []Verdict) {
	waits := func(v *Verdict) bool { return v.Decision == Pending && !v.UnderWay }
	var gateways []*Verdict
	for i := range verdicts {
		if v := &verdicts[i]; waits(v) && v.Target.Kind == graph.KindGateway {
			gateways = append(gateways, v)
		}
	}
	t.carry(gateways, verdicts, waits, func(v, head *Verdict) {
		if v.canWaitWith(head) {
			v.waitWith(head)
		}
	})
}

// carry has all that goes with one of the gateways, or with a runner, go along with that.
func (t ties) carry(gateways []*Verdict, verdicts []Verdict, isRunner func(*Verdict) bool, along func(v, head *Verdict)) {
	for _, head := range gateways {
		for _, v := range t.under(head.Target) {
			if head.takes(v) {
				along(v, head)
			}
		}
	}
	for i := range verdicts {
		head := &verdicts[i]
		if !isRunner(head) || head.Target.Kind == graph.KindContainer {
			continue
		}
		for _, v := range t.containers[head.Target.ID] {
			if v.isFree() {
				along(v, head)
			}
		}
	}
}

// isFree reports a container that goes with its runner: no rule names it, and nothing keeps it.
func (v *Verdict) isFree() bool {
	return v.Rule == "" && v.Protected == nil && len(v.Target.Vetoes) == 0
}

// canWaitWith reports that nothing ends v before head is due, and nothing ends head before. A container that is due at
// the same time goes by its own rule, as in [Verdict.takes].
func (v *Verdict) canWaitWith(head *Verdict) bool {
	switch {
	case v.UnderWay, v.EndsWith != "", v.With == head.Target.ID, head.With != "":
		return false
	case v.Decision == Pending && v.Target.Kind == graph.KindContainer:
		return v.DueAt.Sub(head.DueAt) >= alike
	}
	return v.Decision == Keep || v.Decision == Pending && !v.DueAt.Before(head.DueAt)
}

// wait keeps a runner until its container goes: ending the runner first would leak
// the container. A pending runner is due no sooner than its container.
func (t ties) wait(verdicts []Verdict) {
	for i := range verdicts {
		runner := &verdicts[i]
		if runner.Decision == Keep || runner.Target.Kind != graph.KindServer || runner.With != "" {
			continue
		}
		isDue := runner.Decision == Reap
		for _, container := range t.containers[runner.Target.ID] {
			who := sentence.Of("its container %v", called(container.Target))
			switch {
			case container.Decision == Pending:
				runner.waitFor(container, who)
			case container.Decision == Keep && (isDue || !container.isFree()):
				runner.keepBecause([]graph.Veto{graph.VetoOf(graph.GuardEngine, sentence.Of("%v stays, and would be left without its docker run", who))})
			}
			if runner.Decision == Keep {
				break
			}
		}
	}
}

// alike is by how much the times of a docker run and its container differ where both are
// found at once: the container starts a moment later.
const alike = 3 * time.Second

// waitFor lets v wait for another pending target, if that is due later.
func (v *Verdict) waitFor(other *Verdict, who sentence.S) {
	switch later := other.DueAt.Sub(v.DueAt); {
	case v.Decision == Pending && later <= 0:
		return
	case v.Decision == Pending && later < alike: // no reader tells them apart
		v.DueAt = other.DueAt
		return
	}
	v.Decision, v.DueAt, v.Needs, v.NeedsLook = Pending, other.DueAt, other.Needs, other.NeedsLook
	v.WaitsFor = other.Target.ID
	v.because("rule %q waits for %v", v.Rule, who)
}

// takesAlong reports a target that ends with everything below it: a gateway, or an
// idle or orphaned session.
func takesAlong(t *graph.Target) bool {
	return t.Kind == graph.KindGateway || t.Kind == graph.KindSession && (t.Finding == graph.FindingIdle || t.Finding == graph.FindingOrphaned)
}

// gateways are the reaped targets with others below them, without those that go with
// one further up.
func (t ties) gateways(verdicts []Verdict) []*Verdict {
	var reaped []*Verdict
	below := map[*Verdict]bool{}
	for i := range verdicts {
		if v := &verdicts[i]; v.proven() && takesAlong(v.Target) {
			reaped = append(reaped, v)
			for _, other := range t.under(v.Target) {
				below[other] = true
			}
		}
	}
	return slices.DeleteFunc(reaped, func(v *Verdict) bool { return below[v] })
}

// goWith reaps v together with head, under head's rule.
func (v *Verdict) goWith(head *Verdict) {
	*v = Verdict{
		Target: v.Target, Decision: Reap, Rule: head.Rule, RuleOrigin: head.RuleOrigin,
		Action: head.Action, Grace: head.Grace, Switch: head.Switch, With: head.Target.ID,
	}
	v.because("it goes with %v, by rule %q", called(head.Target), head.Rule)
}

// waitWith lets v wait together with head, and go when that does.
func (v *Verdict) waitWith(head *Verdict) {
	v.goWith(head)
	v.Decision, v.For, v.Held, v.DueAt, v.Needs = Pending, head.For, head.Held, head.DueAt, head.Needs
	v.NeedsLook, v.Beyond = head.NeedsLook, head.Beyond
	v.because("it goes with %v once that is due, by rule %q", called(head.Target), head.Rule)
}

// limit leaves the verdicts beyond one sweep's limit for a later sweep. It is part of
// judging, not only of planning, so that the verdict reap means that this sweep
// reaps.
func (t ties) limit(verdicts []Verdict, acts int, next time.Time) {
	if acts <= 0 { // no file can set this; a plan then does nothing
		return
	}
	_, later := divide(verdicts, t, acts)
	for _, v := range later {
		v.within = v.Said
		v.Decision, v.Beyond, v.DueAt = Pending, acts, next
		v.because("rule %q would stop it, but a sweep stops no more than %d (limits.max_actions): it waits for the next", v.Rule, acts)
	}
}

// markEnding marks the runners that end because their container is reaped, and that are not reaped themselves.
func (t ties) markEnding(verdicts []Verdict) {
	for i := range verdicts {
		container := &verdicts[i]
		runner, ok := t.byID[container.Target.Runner]
		if !ok || container.Decision != Reap || runner.Decision == Reap || runner.Target.Kind != graph.KindServer {
			continue
		}
		if runner.Decision == Pending && runner.Beyond == 0 && !container.UnderWay { // its own time is later
			*runner = Verdict{Target: runner.Target}
		}
		runner.EndsWith = container.Target.ID
		if runner.Rule == "" {
			runner.because("it ends with its container")
		}
	}
}

// endLater lets the runners of pending containers wait with these that no rule stops before: they end when their
// container does.
func (t ties) endLater(verdicts []Verdict) {
	for i := range verdicts {
		container := &verdicts[i]
		runner, ok := t.byID[container.Target.Runner]
		if !ok || container.Decision != Pending || container.UnderWay || container.With == runner.Target.ID || runner.Target.Kind != graph.KindServer {
			continue
		}
		isLater := runner.Decision == Pending && runner.Beyond == 0 && runner.DueAt.Sub(container.DueAt) >= alike
		if !runner.UnderWay && (isLater || runner.Decision == Keep && runner.EndsWith == "") {
			runner.waitWith(container)
			runner.Action = ActionTerminate
			runner.because("it ends with its container %v once that is due, by rule %q", called(container.Target), container.Rule)
		}
	}
}
