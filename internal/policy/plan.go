package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

// planKeeps is how long a plan may be acted on. Observations age within seconds: PIDs
// are reused, clients come back.
const planKeeps = 10 * time.Second

// Plan is what one sweep will do, in order.
type Plan struct {
	MadeAt inventory.Moment
	Acts   []Act
	// Deferred are the acts that the limits, or a sweep's time, leave for later
	// sweeps.
	Deferred []Act
	// Concurrency is how many acts may run at a time.
	Concurrency int
}

// ByID are the acts by their ids.
func (p Plan) ByID() map[string]Act {
	acts := make(map[string]Act, len(p.Acts))
	for _, act := range p.Acts {
		acts[act.ID] = act
	}
	return acts
}

// LongestGrace is the longest time that a target of the plan has to end by itself.
func (p Plan) LongestGrace() (longest time.Duration) {
	for _, act := range p.Acts {
		longest = max(longest, act.Grace)
	}
	return longest
}

// Act is one thing to end.
type Act struct {
	// ID is made of target, rule and the moment of the plan. It is the same in two
	// plans of one moment, and different for any two acts.
	ID       string
	TargetID string
	Kind     graph.Kind
	// User is the user whose share of the limits the act takes: that of the
	// processes, or of a container's runner. Unknown has a share of its own.
	User inventory.Fact[int]
	Verb Action // terminate or remove
	// Volumes: anonymous volumes are removed with a container.
	Volumes bool
	Rule    string
	// RuleOrigin is where the rule is written.
	RuleOrigin Origin
	Name       string
	Owner      graph.Owner
	Finding    graph.Finding
	// Why is the verdict's reason.
	Why      string
	Evidence []graph.Evidence
	Grace    time.Duration

	// Root and Members are the tree, parents before children; nil for a container.
	Root    *inventory.Process
	Members []inventory.ID
	// Container is set for a container. Runner is the `docker run` that ends by itself with it, while no act is on
	// that; zero is none.
	Container   *inventory.Container
	Runner      inventory.ID
	RunnerBytes uint64

	// After are the acts that must come first: those on a runner's containers. The
	// runner's own outcome is then expected to be exited.
	After []string
	// Below are the acts on the targets below a gateway. They are carried out while
	// the gateway is frozen, because it would start its servers again.
	Below []string
	// With is the target that this one is reaped with, as in [Verdict].
	With string

	MemoryBytes uint64
	// FindingSince is when the finding was first seen, OwnerGoneSince when the
	// owner was first seen gone; zero is not known.
	FindingSince   time.Time
	OwnerGoneSince time.Time
	// For is how long the rule wanted the finding to hold, and Held how long it had as
	// the rule counted it. ByAge: a one-shot counted the target's age.
	For, Held time.Duration
	ByAge     bool
	// Switch is the switch of a sweep by hand that asked for the act, as in [Verdict].
	Switch string
	// ByHand is the command by which a person asked for the act: "sweep", "sweep --duplicates".
	// Empty: the daemon acts. By is that person's user name.
	ByHand string
	By     string
	// Imminent marks an act under way that has not begun, nor has the one that it goes with or waits for: its target is
	// watched a last time, or waits for its turn. Until it begins a pin, a pause or use keeps the target.
	Imminent bool
}

// Stale reports that the plan is older than planKeeps on either clock. Wall time
// notices suspend and steps of the clock; awake time notices a wall clock that was
// set back. On Linux Go's monotonic reading stops during suspend, so it is stripped
// for wall time and stands in for awake time if the moments have none. now must be
// read just before the call.
func (p Plan) Stale(now inventory.Moment) bool {
	wall := now.At.Round(0).Sub(p.MadeAt.At.Round(0)).Abs()
	return wall > planKeeps || now.Since(p.MadeAt) > planKeeps
}

// MakePlan orders the targets to reap: containers, then servers and sessions, then
// each gateway after the targets below it. What the limit leaves for later sweeps is
// deferred (see [Verdict.Beyond]). Users share the limit.
func MakePlan(verdicts []Verdict, p *Policy, now inventory.Moment) Plan {
	ties := tie(verdicts)
	plan := Plan{MadeAt: now, Concurrency: p.Limits.Concurrency}
	reaped, later := divide(verdicts, ties, p.Limits.MaxActions)
	for _, v := range reaped {
		if v.begins() {
			plan.Acts = append(plan.Acts, actOn(v, ties, plan.MadeAt))
		} else {
			later = append(later, v)
		}
	}
	for _, v := range later {
		plan.Deferred = append(plan.Deferred, actOn(v, ties, plan.MadeAt))
	}
	link(plan.Acts, ties)
	link(plan.Deferred, ties)
	return plan
}

func actOn(v *Verdict, ties ties, at inventory.Moment) Act {
	t := v.Target
	act := Act{
		ID: actID(v, at), TargetID: t.ID, Kind: t.Kind, User: ties.userOf(v), Verb: v.Action, Rule: v.Rule, RuleOrigin: v.RuleOrigin, Name: t.Name,
		Owner: t.Owner, Finding: t.Finding, Why: v.Reason, Evidence: t.Evidence, Grace: v.Grace,
		Root: t.Root, Container: t.Container, With: v.With,
		Volumes:     v.volumes,
		MemoryBytes: t.MemoryBytes, FindingSince: t.Since, For: v.For, Held: v.Held, ByAge: v.ByAge(), Switch: v.Switch,
	}
	for _, member := range t.Members {
		act.Members = append(act.Members, member.ID())
	}
	if runner, known := ties.byID[t.Runner]; known && runner.EndsWith == t.ID && runner.Target.Root != nil {
		act.Runner, act.RunnerBytes = runner.Target.Root.ID(), runner.Target.MemoryBytes
	}
	if t.Owner.Liveness == graph.LivenessGone {
		act.OwnerGoneSince = t.Owner.Since
	}
	return act
}

// Parts are the ids of the processes that end with an act: its tree, of which what is left may be a target of that id
// by now, and the runner of a container.
func (a *Act) Parts() []string {
	var ids []string
	if !a.Runner.IsZero() {
		ids = append(ids, a.Runner.String())
	}
	for _, member := range a.Members {
		ids = append(ids, member.String())
	}
	return ids
}

func actID(v *Verdict, at inventory.Moment) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d", v.Target.ID, v.Rule, at.At.UnixNano()))
	return hex.EncodeToString(sum[:8])
}

// link sets which acts wait for which.
func link(acts []Act, ties ties) {
	ids := map[string]string{}
	for _, act := range acts {
		ids[act.TargetID] = act.ID
	}
	for i := range acts {
		act := &acts[i]
		if target := ties.byID[act.TargetID].Target; takesAlong(target) {
			act.Below = actIDs(ids, ties.under(target))
		} else {
			act.After = actIDs(ids, ties.containers[act.TargetID])
		}
	}
}

func actIDs(ids map[string]string, verdicts []*Verdict) []string {
	var found []string
	for _, v := range verdicts {
		if id, ok := ids[v.Target.ID]; ok {
			found = append(found, id)
		}
	}
	return found
}

// Select narrows verdicts to the wanted targets and those that end with them: a
// gateway's servers, a runner's containers, and a container's runner if that is to be
// ended too, or ends by itself then. What goes with a target that is not wanted stays,
// unless an act on it has begun. A sweep's limit then counts only these.
func Select(verdicts []Verdict, want func(*graph.Target) bool) []Verdict {
	ties := tie(verdicts)
	chosen := map[*Verdict]bool{}
	for i := range verdicts {
		v := &verdicts[i]
		if !want(v.Target) {
			continue
		}
		chosen[ties.byID[v.Target.ID]] = true
		if container, known := ties.byID[v.EndsWith]; known { // a runner goes by way of its container
			chosen[container] = true
		}
		if v.proven() {
			for _, other := range ties.under(v.Target) {
				chosen[other] = true
			}
			if runner, known := ties.byID[v.Target.Runner]; known && (runner.proven() || runner.EndsWith == v.Target.ID) {
				chosen[runner] = true
			}
		}
		if v.Decision == Pending { // what waits with it is shown with it
			for _, other := range ties.under(v.Target) {
				isOwn := other.Target.Runner == v.Target.ID // a docker run goes by way of its container
				chosen[other] = chosen[other] || other.Decision == Pending && (v.Target.Kind == graph.KindGateway || isOwn || v.With == other.Target.ID)
			}
			if runner, known := ties.byID[v.Target.Runner]; known && (v.With == runner.Target.ID || runner.With == v.Target.ID) {
				chosen[runner] = true
			}
		}
	}
	var selected []Verdict
	for i := range verdicts {
		if chosen[&verdicts[i]] {
			selected = append(selected, verdicts[i])
		}
	}
	for i := range selected {
		if head, found := ties.byID[selected[i].With]; found && !chosen[head] && !selected[i].UnderWay {
			selected[i].stayWithout(head.Target)
		}
	}
	limitAgain(selected)
	return selected
}

// stayWithout keeps a target that goes only together with another.
func (v *Verdict) stayWithout(head *graph.Target) {
	*v = Verdict{Target: v.Target, Decision: Keep}
	v.because("it goes with %v, and not without it", called(head))
}

// ByRule narrows verdicts to those that these rules decided, and the runners that end with a container among them. A
// sweep's limit then counts only these.
func ByRule(verdicts []Verdict, rules []string) []Verdict {
	ties := tie(verdicts)
	isMeant := func(v *Verdict) bool { return slices.Contains(rules, v.Rule) }
	endsWithOne := map[*Verdict]bool{}
	for i := range verdicts {
		v := &verdicts[i]
		if runner, known := ties.byID[v.Target.Runner]; known && isMeant(v) && v.open() && !v.UnderWay && v.Target.Kind == graph.KindContainer {
			endsWithOne[runner] = true
		}
	}
	var chosen []Verdict
	for i := range verdicts {
		switch v := &verdicts[i]; {
		case isMeant(v):
			chosen = append(chosen, *v)
		case endsWithOne[v]: // no rule that is meant ends it before
			chosen = append(chosen, Verdict{Target: v.Target})
		}
	}
	limitAgain(chosen)
	return chosen
}

// limitAgain applies a sweep's limit again, to verdicts that were selected from
// others.
func limitAgain(verdicts []Verdict) {
	limit, next := 0, time.Time{}
	for i := range verdicts {
		if v := &verdicts[i]; v.Beyond > 0 {
			limit, next = v.Beyond, v.DueAt
			v.Decision, v.DueAt, v.Beyond, v.EndsWith = Reap, time.Time{}, 0, ""
			v.because("%v", v.within)
		}
	}
	ties := tie(verdicts)
	if limit > 0 {
		ties.limit(verdicts, limit, next)
	}
	ties.endLater(verdicts)
	ties.markEnding(verdicts) // a runner that stays without its gateway ends with its container all the same
}

// StillHolds is the part of a shown plan, of which there are the keys, that a fresh one confirms, by
// target, rule and verb, with the fresh look's facts. Targets below a shown gateway or runner are
// included even if they are new. Any other act waits for another sweep if something
// that was not shown must come before it.
func StillHolds(shown []string, fresh Plan) Plan {
	agreed := agreement(shown, fresh)
	plan := Plan{MadeAt: fresh.MadeAt, Concurrency: fresh.Concurrency, Deferred: fresh.Deferred}
	kept := map[string]bool{}
	left := func(id string) bool { return !kept[id] }
	for _, act := range fresh.Acts {
		if !agreed[act.ID] || slices.ContainsFunc(act.After, left) {
			continue
		}
		act.Below = slices.DeleteFunc(slices.Clone(act.Below), left)
		kept[act.ID] = true
		plan.Acts = append(plan.Acts, act)
	}
	return plan
}

// agreement are the fresh acts that were shown, or that belong below one that was.
func agreement(shown []string, fresh Plan) map[string]bool {
	agreed := map[string]bool{}
	heads := map[string]bool{}
	for _, act := range fresh.Acts {
		if !slices.Contains(shown, act.Key()) {
			continue
		}
		agreed[act.ID], heads[act.TargetID] = true, true
		for _, id := range act.Below {
			agreed[id] = true
		}
	}
	for _, act := range fresh.Acts {
		if act.With != "" && heads[act.With] {
			agreed[act.ID] = true
		}
	}
	return agreed
}

// Key is equal for the same act in two plans: one target, rule and verb.
func (a Act) Key() string {
	sum := sha256.Sum256([]byte(a.TargetID + "\x00" + a.Rule + "\x00" + string(a.Verb)))
	return hex.EncodeToString(sum[:8])
}

// Keys are those of a plan's acts.
func (p Plan) Keys() (keys []string) {
	for _, act := range p.Acts {
		keys = append(keys, act.Key())
	}
	return keys
}
