package policy_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// pick is one of several values.
func pick[T any](r *rand.Rand, all ...T) T { return all[r.IntN(len(all))] }

// tangle is a world of a few targets that hang together at random: gateways and sessions with servers below them, docker
// runs with their containers.
func tangle(r *rand.Rand) (all []*graph.Target) {
	for i := range 2 + r.IntN(7) {
		kind := pick(r, graph.KindServer, graph.KindServer, graph.KindContainer, graph.KindContainer, graph.KindGateway, graph.KindSession)
		found := map[graph.Kind][]graph.Finding{
			graph.KindServer:    {graph.FindingNone, graph.FindingOrphaned, graph.FindingDisconnected, graph.FindingDuplicate},
			graph.KindContainer: {graph.FindingNone, graph.FindingOrphaned, graph.FindingDuplicate, graph.FindingExited, graph.FindingAmbiguous},
			graph.KindGateway:   {graph.FindingNone, graph.FindingZombies, graph.FindingRespawning, graph.FindingOrphaned},
			graph.KindSession:   {graph.FindingNone, graph.FindingIdle, graph.FindingOrphaned},
		}[kind]
		t := target(kind, 100+10*i, finding(pick(r, found...)), held(pick(r, 0, 25*time.Second, 29*time.Second, time.Minute, time.Hour), pick(r, 1, 2, 9)))
		t.Zombies, t.Respawns, t.Generation = 526, 50, r.IntN(4)
		t.Idle = pick(r, inventory.Fact[time.Duration]{}, inventory.Known(time.Duration(0)), inventory.Known(20*time.Minute), inventory.Known(3*time.Hour))
		t.Listening = pick(r, inventory.Known(false), inventory.Known(false), inventory.Known(true))
		if r.IntN(8) == 0 {
			vetoed(pick(r, graph.GuardPinned, graph.GuardUnproven, graph.GuardInUse))(t)
		}
		for _, above := range all {
			takes := above.Kind == graph.KindGateway || above.Kind == graph.KindSession
			switch isOpen := r.IntN(2) == 0; {
			case takes && isOpen && (kind == graph.KindServer || kind == graph.KindGateway):
				above.Below = append(above.Below, t.ID)
			case above.Kind == graph.KindServer && isOpen && kind == graph.KindContainer && t.Runner == "":
				above.Containers, t.Runner = append(above.Containers, t.ID), above.ID
			}
		}
		all = append(all, t)
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// TestABundleHasOneTime whatever hangs together: nothing that is pinned goes along, no docker run goes before its containers,
// and what has a head goes with it.
func TestABundleHasOneTime(t *testing.T) {
	p := mustLoad(t, "version: 1\nextends: builtin\nrules: [{name: idle-sessions, match: {idle_for: 2h}, action: terminate}, {name: duplicates, action: terminate}]\n")
	for seed := range uint64(3000) {
		targets := tangle(rand.New(rand.NewPCG(seed, 1)))
		verdicts := judgeAll(p, policy.JudgeOptions{OneShot: seed%2 == 0}, targets...)
		by, reaped := map[string]*policy.Verdict{}, 0
		for i := range verdicts {
			by[verdicts[i].Target.ID] = &verdicts[i]
			if verdicts[i].Decision == policy.Reap {
				reaped++
			}
		}
		for _, v := range verdicts {
			if fault := faultOf(&v, by); fault != "" {
				t.Errorf("seed %d: the %s %s is %s by %q at %v with %q: %s", seed, v.Target.Kind, v.Target.ID, v.Decision, v.Rule, v.DueAt, v.Head, fault)
			}
		}
		if plan := policy.MakePlan(verdicts, p, at(0)); len(plan.Acts) != reaped || len(plan.Deferred) > 0 {
			t.Errorf("seed %d: %d acts and %d deferred, and %d are reaped", seed, len(plan.Acts), len(plan.Deferred), reaped)
		}
	}
}

// faultOf says what is wrong with a verdict among others.
func faultOf(v *policy.Verdict, by map[string]*policy.Verdict) string {
	head, exits := by[v.Head], v.Decision == policy.Keep
	for _, veto := range v.Target.Vetoes {
		if v.Goes() && veto.Guard != graph.GuardUnproven {
			return fmt.Sprintf("it goes although it is kept: %s", veto.Guard)
		}
	}
	switch {
	case v.Head != "" && (head == nil || !head.Goes()):
		return "its head does not go"
	case v.Head != "" && exits && (head.Target.Kind != graph.KindContainer || head.Decision != policy.Reap):
		return "it cannot exit with a head that is no container, or waits"
	case v.Head != "" && !exits && (v.Decision != head.Decision || !v.DueAt.Equal(head.DueAt) || v.Rule != head.Rule):
		return "its head goes at another time"
	case v.Head == v.Target.ID:
		return "it is its own head"
	}
	for _, id := range v.Target.Containers {
		container := by[id]
		isLeft := v.Decision == policy.Reap && container.Decision != policy.Reap && len(container.Target.Vetoes) == 0
		if v.Head == "" && isLeft && container.Target.Kind == graph.KindContainer {
			return "it goes before its container " + container.Decision.String()
		}
	}
	return ""
}
