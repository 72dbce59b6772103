package policy

import (
	"cmp"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
)

// Bundle is what ends together and at one time: a gateway or an idle session with all below it, a docker run with its
// containers. The head is the one by which the others end.
type Bundle struct {
	Head    *graph.Target
	Members []*graph.Target // without the head
}

// ties are the targets that cannot end without each other. Ids without a target are left out.
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
		v.user = v.Target.UID
		if runner, found := t.byID[v.Target.Runner]; found && v.Target.Kind == graph.KindContainer {
			v.user = runner.Target.UID
		}
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

// isHeld reports a target that must not end together with another.
func (v *Verdict) isHeld() bool { _, stays := v.mustStay(); return stays }

// called names a target in a reason.
func called(t *graph.Target) human.Sentence {
	return human.Say("%s %s", t.Name, human.Mark(t.Handle()))
}

// mustStay is why a target must not end together with another. That it is unproven, or
// known by its shape alone, is no such reason: the other target's verdict then counts
// for both.
func (v *Verdict) mustStay() (graph.Veto, bool) {
	who := called(v.Target)
	if v.Protected != nil {
		kept := graph.VetoOf(graph.GuardProtected, human.Say("%v would end with it and is protected by %q", who, v.Protected.Name))
		kept.For = v.Target.ID
		return kept, true
	}
	for _, veto := range v.Target.Vetoes {
		if veto.Guard != graph.GuardUnproven && veto.Guard != graph.GuardShapeOnly {
			kept := graph.VetoOf(veto.Guard, human.Say("%v would end with it: %v", who, veto.Sentence()))
			kept.Marked, kept.For = veto.Marked, cmp.Or(veto.For, v.Target.ID)
			return kept, true
		}
	}
	return graph.Veto{}, false
}

// stayBehind keeps, or lets wait, what leaked targets have by which somebody could still come to it: it goes no sooner
// than they.
func (t ties) stayBehind(verdicts []Verdict) {
	t.stayProtected(verdicts)
	decided := tie(slices.Clone(verdicts))
	for i := range verdicts {
		for _, id := range verdicts[i].Target.Behind {
			if first, ok := decided.byID[id]; ok {
				verdicts[i].goAfter(first)
			}
		}
	}
}

// stayProtected keeps what a protected target holds, and what that holds: whoever keeps a hub keeps its servers.
func (t ties) stayProtected(verdicts []Verdict) {
	for i := range verdicts {
		v := &verdicts[i]
		if holder := t.protector(v.Target, map[string]bool{}); holder != nil && v.Decision != Keep {
			why := human.Say("%v, which has its stdio, is protected by %q", called(holder.Target), holder.Protected.Name)
			v.keepBecause([]graph.Veto{graph.VetoOf(graph.GuardProtected, why)})
		}
	}
}

// protector is the first protected target that holds another, itself or by what it holds; nil if none does. Targets that
// were asked before are in seen.
func (t ties) protector(of *graph.Target, seen map[string]bool) *Verdict {
	for _, id := range of.Holders {
		holder := t.byID[id]
		if holder == nil || seen[id] {
			continue
		}
		if seen[id] = true; holder.Protected != nil {
			return holder
		}
		if found := t.protector(holder.Target, seen); found != nil {
			return found
		}
	}
	return nil
}

// goAfter lets v go no sooner than a target that may still speak to it.
func (v *Verdict) goAfter(first *Verdict) {
	who := human.Say("%v, by which somebody could still come to it", called(first.Target))
	switch {
	case v.Decision == Keep:
	case first.Decision == Pending:
		v.waitFor(first, who)
	case first.Decision == Keep:
		v.keepBecause([]graph.Veto{graph.VetoOf(graph.GuardInUse, human.Say("%v, stays", who))})
	}
}

// bundle makes the bundles. The target that goes first takes what would go later or stay without it; of two that go at
// once a gateway comes before what is below it, and a docker run before its containers. What goes at the same time
// by a rule of its own is of the same bundle.
func (t ties) bundle(verdicts []Verdict) {
	t.wait(verdicts)
	with := map[*Verdict][]*Verdict{}
	var heads []*Verdict
	for i := range verdicts {
		v := &verdicts[i]
		if v.Bundle = nil; !v.UnderWay() {
			v.Head = ""
		}
		if tied := t.tiedTo(v); v.open() && len(tied) > 0 {
			with[v], heads = tied, append(heads, v)
		}
	}
	slices.SortStableFunc(heads, func(a, b *Verdict) int {
		return cmp.Or(a.due().Compare(b.due()), cmp.Compare(len(with[b]), len(with[a])), inTurn(b, a))
	})
	for _, head := range heads {
		if head.Bundle != nil {
			continue
		}
		head.Bundle = &Bundle{Head: head.Target}
		for _, v := range with[head] {
			head.gather(v)
		}
		for _, v := range with[head] { // what a gateway leaves may end with its container, or with its docker run
			for _, other := range t.tiedTo(v) {
				if v.Bundle == head.Bundle && takesAlong(head.Target) && !takesAlong(v.Target) {
					v.gather(other)
				}
			}
		}
	}
}

// gather adds to its bundle what goes when v does.
func (v *Verdict) gather(other *Verdict) {
	switch {
	case other.Bundle != nil || other.UnderWay():
		return
	case v.takes(other):
		v.take(other)
	case !other.open() || !other.due().Equal(v.due()):
		return
	}
	v.Bundle.Members, other.Bundle = append(v.Bundle.Members, other.Target), v.Bundle
}

// wait has a docker run end no sooner than its containers, or stay with them: without it they would be leaked.
func (t ties) wait(verdicts []Verdict) {
	for i := range verdicts {
		runner := &verdicts[i]
		if !runner.open() || runner.UnderWay() || runner.Target.Kind != graph.KindServer {
			continue
		}
		for _, container := range t.containers[runner.Target.ID] {
			who := human.Say("its container %v", called(container.Target))
			switch {
			case runner.Decision == Keep, container.isFree():
			case container.Decision == Pending:
				runner.waitFor(container, who)
			case container.Decision == Keep:
				runner.keepBecause([]graph.Veto{graph.VetoOf(graph.GuardEngine, human.Say("%v stays, and would be left without its docker run", who))})
			}
		}
	}
}

// waitFor lets v wait for another pending target, if that is due later.
func (v *Verdict) waitFor(other *Verdict, who human.Sentence) {
	switch later := other.due().Sub(v.due()); {
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

// tiedTo is all that may end because a target does: of a gateway and an idle session all below it, of a docker run its
// containers, of a container its docker run.
func (t ties) tiedTo(v *Verdict) []*Verdict {
	switch {
	case takesAlong(v.Target):
		return t.under(v.Target)
	case v.Target.Kind != graph.KindContainer:
		return t.containers[v.Target.ID]
	}
	return t.runnerOf(v)
}

// runnerOf is the docker run of a container.
func (t ties) runnerOf(v *Verdict) []*Verdict {
	if runner, found := t.byID[v.Target.Runner]; found && v.Target.Kind == graph.KindContainer && runner.Target.Kind == graph.KindServer {
		return []*Verdict{runner}
	}
	return nil
}

// takesAlong reports a target that ends with everything below it: a gateway, or a session, unless it hoards zombies.
func takesAlong(t *graph.Target) bool {
	return t.Kind == graph.KindGateway || t.Kind == graph.KindSession && t.Finding != graph.FindingZombies
}

// due is when an open target goes: at once, at its time, or after all times where that is not known.
func (v *Verdict) due() time.Time {
	switch {
	case v.Decision == Reap:
		return time.Time{}
	case v.DueAt.IsZero():
		return time.Unix(1<<40, 0)
	}
	return v.DueAt
}

// alike is by how much the times of a docker run and its container differ where both are
// found at once: the container starts a moment later.
const alike = 3 * time.Second

// takes reports that a target ends because the head does, and not before by itself.
func (head *Verdict) takes(v *Verdict) bool {
	isContainer, stays := v.Target.Kind == graph.KindContainer, v.Decision == Keep
	isLater := stays || !v.due().Before(head.due().Add(alike))
	switch {
	case head.Decision == Pending && head.IfIdle && v.Decision == Pending && !v.IfIdle: // it goes in any case
		return false
	case head.Target.Kind == graph.KindContainer:
		return stays || isLater && !head.UnderWay()
	case head.UnderWay() && v.isHeld():
		return false
	case !takesAlong(head.Target):
		return v.isFree()
	case head.listenersStay && v.Target.Listening.Or(v.Target.Listening.IsUnreadable()):
		return false
	case isContainer:
		return isLater && len(v.Target.Vetoes) == 0
	}
	return stays || !v.due().Before(head.due())
}

// isFree reports a container that goes with its runner: no rule names it, or only once it has rested, and nothing keeps it.
func (v *Verdict) isFree() bool {
	return (v.Rule == "" || v.resting) && v.Protected == nil && len(v.Target.Vetoes) == 0
}

// take has v end because the head does: in the head's time, by its rule. The docker run of a container that is
// reaped is kept, and exits with it.
func (head *Verdict) take(v *Verdict) {
	went := *v
	*v = Verdict{Target: v.Target, user: v.user, Bundle: v.Bundle, Head: head.Target.ID}
	switch exits := head.Target.Kind == graph.KindContainer; {
	case exits && head.Decision == Reap && went.Decision == Keep && went.Rule != "":
		*v, v.Head = went, head.Target.ID
	case exits && head.Decision == Reap:
		v.because("it ends with its container")
	default:
		v.Decision, v.Rule, v.RuleOrigin, v.Action, v.Grace, v.Switch = head.Decision, head.Rule, head.RuleOrigin, head.Action, head.Grace, head.Switch
		v.because("it goes with %v, by rule %q", called(head.Target), head.Rule)
		v.waitWith(head, exits)
	}
}

// waitWith gives v the time of a head that waits, or that is being stopped. A docker run exits with its container.
func (v *Verdict) waitWith(head *Verdict, exits bool) {
	switch {
	case head.UnderWay():
		v.waitUntilOver(head)
		return
	case head.Decision == Reap:
		return
	}
	v.For, v.Held, v.DueAt, v.Needs, v.NeedsLook, v.IfIdle = head.For, head.Held, head.DueAt, head.Needs, head.NeedsLook, head.IfIdle
	v.because("it goes with %v once that is due, by rule %q", called(head.Target), head.Rule)
	if exits {
		v.Action = ActionTerminate
		v.because("it ends with its container %v once that is due, by rule %q", called(head.Target), head.Rule)
	}
}

// limit leaves the verdicts beyond one sweep's limit for a later sweep. It is part of
// judging, not only of planning, so that the verdict reap means that this sweep
// reaps.
func (t ties) limit(verdicts []Verdict, acts int, next time.Time) {
	if acts <= 0 { // no file can set this; a plan then does nothing
		return
	}
	_, later := divide(verdicts, acts)
	for _, v := range later {
		v.within = &within{*v, acts}
		v.Decision, v.DueAt = Pending, next
		v.because("rule %q would stop it, but a sweep stops no more than %d (limits.max_actions): it waits for the next", v.Rule, acts)
		t.takeRunner(v)
	}
}

// takeRunner gives the docker run that exits with a container the container's time.
func (t ties) takeRunner(container *Verdict) {
	if runner, found := t.byID[container.Target.Runner]; found && runner.Head == container.Target.ID {
		container.take(runner)
	}
}
