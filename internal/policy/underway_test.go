package policy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// begun are the acts that a plan has on these targets.
func begun(t *testing.T, plan policy.Plan, targets ...*graph.Target) (acts []policy.Act) {
	t.Helper()
	for _, target := range targets {
		acts = append(acts, act(t, plan, target))
	}
	return acts
}

// holds is who has these processes in its hands.
func holds(pids ...int) func(inventory.ID) bool {
	return func(id inventory.ID) bool { return slices.Contains(pids, id.PID) }
}

func TestWhatIsUnderWayIsReapedAndNotPlannedAgain(t *testing.T) {
	orphan, other := target(graph.KindServer, 100), target(graph.KindServer, 110)
	container := target(graph.KindContainer, 500)
	runner := target(graph.KindServer, 600, runnerOf(container))
	gateway := gatewayWorld(nil)
	acts := begun(t, planOf(t, shipped(t), append(gateway, orphan, other, runner, container)...), append(gateway, orphan, other, runner, container)...)
	of := func(targets ...*graph.Target) policy.UnderWay {
		return policy.UnderWay{Acts: slices.DeleteFunc(slices.Clone(acts), func(a policy.Act) bool {
			return !slices.ContainsFunc(targets, func(t *graph.Target) bool { return t.ID == a.TargetID })
		})}
	}
	killed := func(pids ...int) policy.UnderWay {
		act := policy.Act{TargetID: "1:1", Rule: "orphaned-servers", Verb: policy.ActionTerminate}
		for i, pid := range pids {
			act.Members = append(act.Members, inventory.ID{PID: pid, Start: uint64(7 + i)})
		}
		return policy.UnderWay{InKernel: []policy.Act{act}}
	}
	pinned := target(graph.KindServer, 100, vetoed(graph.GuardPinned))
	for _, row := range []struct {
		world    string
		underWay policy.UnderWay
		targets  []*graph.Target
		decided  string   // in the order of the targets
		planned  []string // what a sweep begins
		because  string   // is in the reason of the first
	}{
		{"nothing", policy.UnderWay{}, []*graph.Target{orphan, other}, "reap reap", []string{"server 100", "server 110"}, "nobody alive owns it"},
		{"one of two", of(orphan), []*graph.Target{orphan, other}, "reap reap", []string{"server 110"}, "it is being stopped"},
		{"one that was pinned when it had begun", of(orphan), []*graph.Target{pinned, other}, "reap reap", []string{"server 110"}, "it is being stopped"},
		{"one that is not there any more", of(orphan), []*graph.Target{other}, "reap", []string{"server 110"}, "nobody alive owns it"},
		{"a tree whose rest shows as another target", policy.UnderWay{Holds: holds(101)}, []*graph.Target{orphan, other}, "reap reap", []string{"server 110"}, "the tree that it comes from"},
		{"a container: its runner waits", of(container), []*graph.Target{runner, container}, "pending reap", nil, "waits for fetch eager_fermi"},
		{"a runner: its container waits", of(runner), []*graph.Target{container, runner}, "pending reap", nil, "waits for fetch 600"},
		{"a server below a gateway: the gateway waits, and what goes with it", of(gateway[1]), gateway, "pending reap pending", nil, "waits for fetch 300"},
		{"a gateway: what is below it waits", of(gateway[0]), gateway, "reap pending pending", nil, "it is being stopped"},
		{"all of a gateway", of(gateway...), gateway, "reap reap reap", nil, "it is being stopped"},
		{"what was killed and stays in the kernel", killed(100, 101), []*graph.Target{orphan, other}, "reap reap", []string{"server 110"}, "the kernel has not ended it"},
		{"a tree of which only a part was killed", killed(100), []*graph.Target{orphan}, "reap", []string{"server 100"}, "nobody alive owns it"},
		{"another process with the number of one that was killed", killed(99, 100, 101), []*graph.Target{orphan}, "reap", []string{"server 100"}, "nobody alive owns it"},
	} {
		t.Run(row.world, func(t *testing.T) {
			p := shipped(t)
			verdicts := judgeAll(p, policy.JudgeOptions{UnderWay: row.underWay}, row.targets...)
			if got := decisions(verdicts); got != row.decided {
				t.Errorf("decided %s, want %s", got, row.decided)
			}
			if !strings.Contains(verdicts[0].Reason, row.because) {
				t.Errorf("because %q, want %q in it", verdicts[0].Reason, row.because)
			}
			plan := policy.MakePlan(verdicts, p, at(0))
			if got := ends(plan.Acts); !slices.Equal(got, row.planned) || len(plan.Deferred) > 0 {
				t.Errorf("planned %v and deferred %v, want %v", got, ends(plan.Deferred), row.planned)
			}
		})
	}
}

// TestWhatIsAboutToBeStoppedIsNotSaidToBe, and no sweep begins it a second time all the same.
func TestWhatIsAboutToBeStoppedIsNotSaidToBe(t *testing.T) {
	p, orphan := shipped(t), target(graph.KindServer, 100)
	acts := begun(t, planOf(t, p, orphan), orphan)
	acts[0].Imminent = true
	verdicts := judgeAll(p, policy.JudgeOptions{UnderWay: policy.UnderWay{Acts: acts}}, orphan)
	if v := verdicts[0]; !v.UnderWay() || !v.Begun.Imminent || !strings.HasPrefix(v.Reason, "it is about to be stopped, by rule") {
		t.Errorf("%+v", v)
	}
	if plan := policy.MakePlan(verdicts, p, at(0)); len(plan.Acts) > 0 {
		t.Errorf("planned %v", ends(plan.Acts))
	}
}

// TestWhatIsUnderWayKeepsTheFindingItsActBeganWith: its `docker run` has ended while the
// container is being removed, so that the look finds nobody that it could be of.
func TestWhatIsUnderWayKeepsTheFindingItsActBeganWith(t *testing.T) {
	p, container := shipped(t), target(graph.KindContainer, 500)
	acts := begun(t, planOf(t, p, container), container)
	later := target(graph.KindContainer, 500, func(t *graph.Target) { t.Finding, t.Since, t.Owner = graph.FindingNone, time.Time{}, graph.Owner{} })
	for _, row := range []struct {
		world    string
		underWay policy.UnderWay
		want     *graph.Target
	}{
		{"it is being removed", policy.UnderWay{Acts: acts}, container},
		{"nothing is under way", policy.UnderWay{}, later},
		{"an act on what had no finding", policy.UnderWay{Acts: []policy.Act{{TargetID: container.ID, Verb: policy.ActionRemove}}}, later},
	} {
		got := judgeAll(p, policy.JudgeOptions{UnderWay: row.underWay}, later)[0].Target
		if got.Finding != row.want.Finding || got.Owner != row.want.Owner || !got.Since.Equal(row.want.Since) {
			t.Errorf("%s: %s of %v since %v, want %s of %v since %v", row.world, got.Finding, got.Owner, got.Since, row.want.Finding, row.want.Owner, row.want.Since)
		}
	}
}

func TestWhatIsUnderWayTakesItsUsersShareOfTheLimit(t *testing.T) {
	crowd := func(from, number int) (targets []*graph.Target) {
		for i := range number {
			targets = append(targets, target(graph.KindServer, 100+from+i, ofUser(1000)))
		}
		return targets
	}
	lone := target(graph.KindServer, 200, ofUser(1001))
	for _, row := range []struct {
		name     string
		limit    int
		underWay int // of the crowd, the first ones
		world    []*graph.Target
		want     []string
	}{
		{"nothing is under way", 3, 0, crowd(0, 5), []string{"server 100", "server 101", "server 102"}},
		{"a part of the share is", 3, 2, crowd(0, 5), []string{"server 102"}},
		{"all of it is", 3, 3, crowd(0, 5), nil},
		{"all of it is, and another user comes", 3, 3, append(crowd(0, 5), lone), []string{"server 200"}},
		{"who has none under way comes first", 1, 0, append(crowd(0, 2), lone), []string{"server 100"}},
		{"and not who has one", 2, 1, append(crowd(0, 3), lone), []string{"server 200", "server 101"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := mustLoad(t, fmt.Sprintf("version: 1\nextends: builtin\nlimits: {max_actions: %d}\n", row.limit))
			acts := begun(t, planOf(t, shipped(t), row.world...), row.world[:row.underWay]...)
			verdicts := judgeAll(p, policy.JudgeOptions{UnderWay: policy.UnderWay{Acts: acts}}, row.world...)
			plan := policy.MakePlan(verdicts, p, at(0))
			if got := ends(plan.Acts); !slices.Equal(got, row.want) {
				t.Errorf("planned %v, want %v", got, row.want)
			}
			if got := len(plan.Acts) + len(plan.Deferred) + row.underWay; got != len(row.world) {
				t.Errorf("%d of %d", got, len(row.world))
			}
			for i, v := range verdicts {
				if i < row.underWay != v.UnderWay() || v.UnderWay() && v.Decision != policy.Reap {
					t.Errorf("%s: %s, under way %v", v.Target.ID, v.Decision, v.UnderWay())
				}
			}
		})
	}
}

// TestAHardLimitCountsWhatIsBeingEnded: what is asked to end runs once more, and so is
// no longer the longest idle one. Others must not go in its place.
func TestAHardLimitCountsWhatIsBeingEnded(t *testing.T) {
	p := mustLoad(t, "version: 1\nrules: [{name: cap, match: {kind: server, finding: any}, max_per_owner: 3, action: terminate}]\n")
	idle := func(d time.Duration) change {
		return func(t *graph.Target) { live(graph.FindingNone)(t); t.Idle = inventory.Known(d) }
	}
	world := func(first, second time.Duration) []*graph.Target {
		return []*graph.Target{
			target(graph.KindServer, 100, idle(first)), target(graph.KindServer, 110, idle(second)),
			target(graph.KindServer, 120, idle(time.Minute)), target(graph.KindServer, 130, idle(time.Minute)), target(graph.KindServer, 140, idle(time.Minute)),
		}
	}
	targets := world(time.Hour, time.Hour)
	plan := planOf(t, p, targets...)
	if got := len(plan.Acts); got != 2 {
		t.Fatalf("%d of 5 are over a limit of 3", got)
	}
	under := policy.UnderWay{Acts: begun(t, plan, targets[0], targets[1])}
	for _, v := range judgeAll(p, policy.JudgeOptions{UnderWay: under}, world(0, 0)...) {
		goes := v.Target.Root.PID <= 110
		if (v.Decision == policy.Reap) != goes || v.UnderWay() != goes {
			t.Errorf("server %d: %v, under way %v", v.Target.Root.PID, v.Decision, v.UnderWay())
		}
	}
}

// TestAnIdleSessionIsToldAsItWasWhenItsEndBegan: what goes with it ends first, and a look taken meanwhile sees it at
// work.
func TestAnIdleSessionIsToldAsItWasWhenItsEndBegan(t *testing.T) {
	began := noon.Add(-44 * time.Second)
	codex := graph.Owner{Name: "codex", Liveness: graph.LivenessLive}
	now := session()
	now.Owner = codex
	origin := policy.Origin{File: "p.yaml", Line: 4}
	rests := []graph.Evidence{{Check: graph.CheckActivity, Text: "none of its processes has done anything"}}
	act := policy.Act{Evidence: rests, TargetID: now.ID, Rule: "idle-end", RuleOrigin: origin, Verb: policy.ActionTerminate, Finding: graph.FindingIdle, FindingSince: began}
	v := judgeAll(shipped(t), policy.JudgeOptions{UnderWay: policy.UnderWay{Acts: []policy.Act{act}}}, now)[0]
	if len(v.Target.Evidence) != 1 || v.Target.Evidence[0].Text != rests[0].Text {
		t.Errorf("evidence %+v", v.Target.Evidence)
	}
	if !v.UnderWay() || v.Target.Finding != graph.FindingIdle || !v.Target.Since.Equal(began) || v.Target.Idle.Or(0) != 44*time.Second || v.Target.Owner != codex || v.RuleOrigin != origin {
		t.Errorf("%s since %s, idle for %v, of %+v, by the rule at %s, under way %v", v.Target.Finding, v.Target.Since, v.Target.Idle, v.Target.Owner, v.RuleOrigin, v.UnderWay())
	}
}

// TestWhatIsLeftOfATreeHasTheGraceOfTheActOnIt, not that of the policy which judges it now.
func TestWhatIsLeftOfATreeHasTheGraceOfTheActOnIt(t *testing.T) {
	left := target(graph.KindServer, 100)
	act := policy.Act{TargetID: "99:1", Members: []inventory.ID{{PID: 99, Start: 1}, left.Root.ID()}, Rule: "theirs", Verb: policy.ActionTerminate, Grace: 10 * time.Second}
	v := judgeAll(shipped(t), policy.JudgeOptions{UnderWay: policy.UnderWay{Acts: []policy.Act{act}, Holds: holds(100)}}, left)[0]
	if !v.UnderWay() || v.Rule != "theirs" || v.Grace != 10*time.Second {
		t.Errorf("under way %v by rule %q, with a grace of %s", v.UnderWay(), v.Rule, v.Grace)
	}
}
