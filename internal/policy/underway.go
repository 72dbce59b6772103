package policy

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

// UnderWay is what earlier sweeps have begun to end and not finished. A look taken
// meanwhile may show such a target frozen, half ended, or without its root.
type UnderWay struct {
	Acts []Act
	// InKernel are acts that have killed all of their processes and wait for the
	// kernel to end them. Nothing more can be done about those.
	InKernel []Act
	// Holds reports that a running act works on a process, one that it found on the
	// way included; nil reports none.
	Holds func(inventory.ID) bool
}

// goes reports targets that are being reaped, or whose runner or container is.
func (u UnderWay) goes() func(*graph.Target) bool {
	acts, inKernel := byTarget(u.Acts), killed(u.InKernel)
	has := func(id string) bool { _, found := acts[id]; return found }
	return func(t *graph.Target) bool {
		_, dead := inKernel.all(t)
		return dead || has(t.ID) || has(t.Runner) || slices.ContainsFunc(t.Containers, has) || u.hasInHands(t)
	}
}

// leaveUnderWay leaves out of plans the targets that are being reaped, and those tied
// to them, which are judged again when the act is over.
func (t ties) leaveUnderWay(verdicts []Verdict, underWay UnderWay, now time.Time) {
	acts, inKernel := byTarget(underWay.Acts), killed(underWay.InKernel)
	for i := range verdicts {
		v := &verdicts[i]
		switch act, found := acts[v.Target.ID]; {
		case found:
			v.goesOn(act, now, fmt.Sprintf("it is %s, by rule %q", act.Verb.Stage(act.Imminent), act.Rule))
		case underWay.hasInHands(v.Target):
			v.goesOn(underWay.actOn(v), now, "the tree that it comes from is being stopped")
		default:
			if act, found := inKernel.all(v.Target); found {
				v.goesOn(act, now, fmt.Sprintf("it was killed, by rule %q, and the kernel has not ended it yet", act.Rule))
				v.inKernel = true
			}
		}
	}
	t.waitForUnderWay(verdicts)
}

// goesOn makes a verdict say what has begun.
func (v *Verdict) goesOn(act Act, now time.Time, reason string) {
	*v = Verdict{
		Target: asBegun(v.Target, act, now), user: v.user, Decision: Reap, Begun: &act,
		Rule: act.Rule, RuleOrigin: cmp.Or(act.RuleOrigin, v.RuleOrigin), Action: act.Verb, Grace: act.Grace, For: act.For, Held: act.Held, Head: act.With, Reason: reason,
	}
}

// asBegun is a target with the finding, its evidence and the owner that it had when an act on it began. A
// look taken meanwhile may not know them: the `docker run` of a container has ended, say.
func asBegun(t *graph.Target, act Act, now time.Time) *graph.Target {
	if act.Finding == graph.FindingNone {
		return t
	}
	was := *t
	if len(act.Evidence) > 0 {
		was.Evidence = act.Evidence
	}
	was.Finding, was.Since, was.Owner = act.Finding, act.FindingSince, cmp.Or(act.Owner, t.Owner)
	if act.Finding == graph.FindingIdle && !act.FindingSince.IsZero() {
		was.Idle = inventory.Known(max(0, now.Sub(act.FindingSince)))
	}
	return &was
}

func byTarget(acts []Act) map[string]Act {
	all := make(map[string]Act, len(acts))
	for _, act := range acts {
		all[act.TargetID] = act
	}
	return all
}

func (u UnderWay) hasInHands(t *graph.Target) bool {
	return u.Holds != nil && slices.ContainsFunc(t.Members, func(p *inventory.Process) bool { return u.Holds(p.ID()) })
}

// actOn is the act on the tree that a target is left of; what is known of it by its own verdict if no act names it.
func (u UnderWay) actOn(v *Verdict) Act {
	for _, act := range u.Acts {
		isPart := func(p *inventory.Process) bool { return slices.Contains(act.Members, p.ID()) }
		if slices.ContainsFunc(v.Target.Members, isPart) {
			return act
		}
	}
	return Act{Rule: v.Rule, Verb: v.Action, Grace: v.Grace}
}

// dead are processes that were killed, with the act that killed them.
type dead map[inventory.ID]Act

func killed(acts []Act) dead {
	all := dead{}
	for _, act := range acts {
		for _, id := range act.Members {
			all[id] = act
		}
	}
	return all
}

// all is the act that killed every member of a target.
func (d dead) all(t *graph.Target) (Act, bool) {
	if len(d) == 0 || t.Root == nil {
		return Act{}, false
	}
	for _, member := range t.Members {
		if _, found := d[member.ID()]; !found {
			return Act{}, false
		}
	}
	act, found := d[t.Root.ID()]
	return act, found
}

// waitForUnderWay makes targets wait that are tied to one that is being reaped: a
// container's runner, a runner's container, a gateway, the targets below it.
func (t ties) waitForUnderWay(verdicts []Verdict) {
	for i := range verdicts {
		if v := &verdicts[i]; v.UnderWay() {
			for _, below := range t.under(v.Target) {
				below.waitUntilOver(v)
			}
			if runner, found := t.byID[v.Target.Runner]; found {
				runner.waitUntilOver(v)
			}
			continue
		}
		for _, below := range t.under(verdicts[i].Target) {
			if below.UnderWay() {
				verdicts[i].waitUntilOver(below)
			}
		}
	}
}

func (v *Verdict) waitUntilOver(other *Verdict) {
	if v.UnderWay() || !v.open() {
		return
	}
	v.Decision, v.DueAt = Pending, time.Time{}
	v.because("rule %q would stop it, and waits for %v, which is %s", v.Rule, called(other.Target), ActionTerminate.Stage(other.Begun.Imminent))
}
