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
// deferred (see [Verdict.Limit]). Users share the limit.
func MakePlan(verdicts []Verdict, p *Policy, now inventory.Moment) Plan {
	ties := tie(verdicts)
	plan := Plan{MadeAt: now, Concurrency: p.Limits.Concurrency}
	reaped, later := divide(verdicts, p.Limits.MaxActions)
	for _, v := range append(reaped, later...) {
		act := actOn(v, ties, plan.MadeAt)
		if len(plan.Acts) < len(reaped) && v.begins() {
			plan.Acts = append(plan.Acts, act)
		} else {
			plan.Deferred = append(plan.Deferred, act)
		}
	}
	link(plan.Acts, ties)
	return plan
}

func actOn(v *Verdict, ties ties, at inventory.Moment) Act {
	t := v.Target
	act := Act{
		ID: actID(v, at), TargetID: t.ID, Kind: t.Kind, User: v.user, Verb: v.Action, Rule: v.Rule, RuleOrigin: v.RuleOrigin, Name: t.Name,
		Owner: t.Owner, Finding: t.Finding, Why: v.Reason, Evidence: t.Evidence, Grace: v.Grace,
		Root: t.Root, Container: t.Container, With: v.Head,
		Volumes:     v.volumes,
		MemoryBytes: t.MemoryBytes, FindingSince: t.Since, For: v.For, Held: v.Held, ByAge: v.ByAge(), Switch: v.Switch,
	}
	for _, member := range t.Members {
		act.Members = append(act.Members, member.ID())
	}
	if runner, known := ties.byID[t.Runner]; known && runner.Head == t.ID && runner.Decision == Keep && runner.Target.Root != nil {
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

// Select narrows verdicts to the wanted targets and those that end with them: what a gateway or an idle session takes
// along, and all of a docker run and its containers. What goes with a target that is not wanted stays, unless an act on
// it has begun. A sweep's limit then counts only these.
func Select(verdicts []Verdict, want func(*graph.Target) bool) []Verdict {
	wanted, bundles := map[string]bool{}, map[*Bundle]bool{}
	for i := range verdicts {
		v := &verdicts[i]
		wanted[v.Target.ID] = want(v.Target)
		if b := v.Bundle; b != nil && wanted[v.Target.ID] && (b.Head.ID == v.Target.ID || !takesAlong(b.Head)) {
			bundles[b] = true
		}
	}
	var selected []Verdict
	for i := range verdicts {
		if v := &verdicts[i]; wanted[v.Target.ID] || bundles[v.Bundle] {
			selected = append(selected, *v)
		}
	}
	for i := range selected {
		if v := &selected[i]; v.Head != "" && !wanted[v.Head] && !bundles[v.Bundle] && !v.UnderWay() {
			head := v.Bundle.Head
			*v = Verdict{Target: v.Target, user: v.user}
			v.because("it goes with %v, and not without it", called(head))
		}
	}
	limit, next := unlimited(selected)
	tie(selected).limit(selected, limit, next)
	return selected
}

// ByRule narrows verdicts to those that these rules decided, and what ends with it. A sweep's limit then counts only
// these.
func ByRule(verdicts []Verdict, rules []string) []Verdict {
	chosen := slices.Clone(verdicts)
	limit, next := unlimited(chosen)
	for i := range chosen {
		if v := &chosen[i]; !slices.Contains(rules, v.Rule) { // no rule that is meant ends it before
			*v = Verdict{Target: v.Target}
		}
	}
	tie(chosen).bundle(chosen)
	chosen = slices.DeleteFunc(chosen, func(v Verdict) bool { return v.Rule == "" && v.Head == "" })
	tie(chosen).limit(chosen, limit, next)
	return chosen
}

// unlimited lifts a sweep's limit from verdicts, and returns it with the time of the next sweep; zero: it was not
// reached.
func unlimited(verdicts []Verdict) (limit int, next time.Time) {
	ties := tie(verdicts)
	for i := range verdicts {
		if v := &verdicts[i]; v.within != nil {
			limit, next = v.within.limit, v.DueAt
			*v = v.within.Verdict
			ties.takeRunner(v)
		}
	}
	return limit, next
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
