package policy_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

func at(seconds float64) inventory.Moment {
	return inventory.Moment{At: noon.Add(time.Duration(seconds * float64(time.Second))), Awake: inventory.Known(1000 + seconds)}
}

// ends are what acts end, in order: kind and PID.
func ends(acts []policy.Act) []string {
	var all []string
	for _, act := range acts {
		name := act.TargetID[:3]
		if act.Kind == graph.KindContainer {
			name = act.TargetID[1:4]
		}
		all = append(all, string(act.Kind)+" "+name)
	}
	return all
}

func planOf(t *testing.T, p *policy.Policy, targets ...*graph.Target) policy.Plan {
	t.Helper()
	return policy.MakePlan(judgeAll(p, policy.JudgeOptions{}, targets...), p, at(0))
}

func act(t *testing.T, plan policy.Plan, target *graph.Target) policy.Act {
	t.Helper()
	for _, act := range plan.Acts {
		if act.TargetID == target.ID {
			return act
		}
	}
	t.Fatalf("nothing ends %s in %v", target.ID, ends(plan.Acts))
	return policy.Act{}
}

func TestAPlanEndsContainersFirstAndGatewaysBehindWhatHangsOnThem(t *testing.T) {
	container := target(graph.KindContainer, 500)
	runner := target(graph.KindServer, 600, runnerOf(container))
	world := gatewayWorld(nil)
	targets := append(world, runner, target(graph.KindServer, 700, live(graph.FindingNone)), container, target(graph.KindServer, 800))
	plan := planOf(t, shipped(t), targets...)

	want := []string{"container 500", "server 600", "server 800", "container 400", "server 300", "gateway 200"}
	if got := ends(plan.Acts); !slices.Equal(got, want) {
		t.Fatalf("order %v, want %v", got, want)
	}
	if got := act(t, plan, runner).After; !slices.Equal(got, []string{act(t, plan, container).ID}) {
		t.Errorf("the runner waits for %v", got)
	}
	gateway := act(t, plan, world[0])
	if want := []string{act(t, plan, world[1]).ID, act(t, plan, world[2]).ID}; !slices.Equal(gateway.Below, want) || gateway.After != nil {
		t.Errorf("below the gateway are %v, want %v; it waits for %v", gateway.Below, want, gateway.After)
	}
	if len(plan.Deferred) != 0 || plan.Concurrency != 8 || plan.MadeAt != at(0) {
		t.Errorf("plan %+v", plan)
	}
}

func TestAnActSaysWhatItEndsAndWhy(t *testing.T) {
	orphan := target(graph.KindServer, 100, func(t *graph.Target) { t.Since = noon.Add(-time.Minute) })
	got := act(t, planOf(t, shipped(t), orphan), orphan)
	if got.Verb != policy.ActionTerminate || got.Rule != "orphaned-servers" || got.Grace != 5*time.Second || got.Root != orphan.Root || got.Finding != graph.FindingOrphaned {
		t.Errorf("act %+v", got)
	}
	if want := []inventory.ID{{PID: 100, Start: 7}, {PID: 101, Start: 8}}; !slices.Equal(got.Members, want) {
		t.Errorf("members %v", got.Members)
	}
	if !got.OwnerGoneSince.Equal(noon.Add(-time.Hour)) || !got.FindingSince.Equal(noon.Add(-time.Minute)) || got.MemoryBytes != 50<<20 {
		t.Errorf("since %v, %v", got.OwnerGoneSince, got.FindingSince)
	}
	container := target(graph.KindContainer, 100)
	if got := act(t, planOf(t, shipped(t), container), container); got.Verb != policy.ActionRemove || got.Container != container.Container || got.Members != nil {
		t.Errorf("container %+v", got)
	}
}

func TestNothingIsPlannedForWhatIsKeptOrPending(t *testing.T) {
	plan := planOf(t, shipped(t),
		target(graph.KindServer, 100, vetoed(graph.GuardPinned)), target(graph.KindServer, 110, held(time.Second, 2)),
		target(graph.KindServer, 120, live(graph.FindingNone)), target(graph.KindSession, 130))
	if len(plan.Acts)+len(plan.Deferred) != 0 {
		t.Errorf("planned %v, deferred %v", ends(plan.Acts), ends(plan.Deferred))
	}
}

func TestActsAreNamedByTargetRuleAndMoment(t *testing.T) {
	targets := append(gatewayWorld(nil), target(graph.KindServer, 800), target(graph.KindServer, 900))
	verdicts, p := judgeAll(shipped(t), policy.JudgeOptions{}, targets...), shipped(t)
	first, again, later := policy.MakePlan(verdicts, p, at(0)), policy.MakePlan(verdicts, p, at(0)), policy.MakePlan(verdicts, p, at(1))
	if !reflect.DeepEqual(first, again) {
		t.Error("two plans of one moment differ")
	}
	seen := map[string]bool{}
	for _, act := range append(first.Acts, later.Acts...) {
		if seen[act.ID] {
			t.Errorf("%s names two acts", act.ID)
		}
		seen[act.ID] = true
	}
}

func TestAPlanIsStaleAfterAFewSecondsOnEitherClock(t *testing.T) {
	plan := policy.Plan{MadeAt: at(0)}
	for _, row := range []struct {
		world string
		now   inventory.Moment
		want  bool
	}{
		{"at once", at(0), false},
		{"a few seconds later", at(9), false},
		{"eleven seconds later", at(11), true},
		{"the machine slept an hour", inventory.Moment{At: noon.Add(time.Hour), Awake: inventory.Known(1001.0)}, true},
		{"the wall clock stands still", inventory.Moment{At: noon, Awake: inventory.Known(1060.0)}, true},
		{"the wall clock was put back", inventory.Moment{At: noon.Add(-time.Hour), Awake: inventory.Known(1001.0)}, true},
		{"no other clock is known", inventory.Moment{At: noon.Add(5 * time.Second)}, false},
	} {
		if got := plan.Stale(row.now); got != row.want {
			t.Errorf("%s: %v", row.world, got)
		}
	}
}

// In suspend the wall clock goes on and Go's monotonic one stands still.
func TestAPlanIsStaleAfterSuspend(t *testing.T) {
	made := time.Now()
	for _, row := range []struct {
		world           string
		wall, monotonic time.Duration
		want            bool
	}{
		{"at once", 0, 0, false},
		{"nine seconds later", 9 * time.Second, 9 * time.Second, false},
		{"eleven seconds later", 11 * time.Second, 11 * time.Second, true},
		{"the machine slept an hour", time.Hour, time.Second, true},
		{"the wall clock was put back", -time.Hour, time.Second, true},
		{"the wall clock was put back by what passed", 0, time.Minute, true},
	} {
		now := made.Add(row.wall)
		shiftMonotonic(&now, row.monotonic-row.wall)
		if wall, monotonic := now.Round(0).Sub(made.Round(0)), now.Sub(made); wall != row.wall || monotonic != row.monotonic {
			t.Fatalf("%s: the clocks differ by %v and %v: time.Time is laid out otherwise", row.world, wall, monotonic)
		}
		plan := policy.Plan{MadeAt: inventory.Moment{At: made, Awake: inventory.Known(7.0)}}
		if got := plan.Stale(inventory.Moment{At: now}); got != row.want {
			t.Errorf("%s: %v", row.world, got)
		}
		if got := plan.Stale(inventory.Moment{At: made.Round(0).Add(row.wall)}); row.wall != 0 && got != row.want {
			t.Errorf("%s, by a moment without a monotonic part: %v", row.world, got)
		}
	}
}

// shiftMonotonic moves the monotonic part alone, which package time never does:
// it is the second word of a [time.Time].
func shiftMonotonic(at *time.Time, by time.Duration) {
	*(*int64)(unsafe.Add(unsafe.Pointer(at), unsafe.Sizeof(uint64(0)))) += int64(by)
}

func TestSelectOnlyNarrows(t *testing.T) {
	container := target(graph.KindContainer, 500)
	runner := target(graph.KindServer, 600, runnerOf(container))
	world := gatewayWorld(nil)
	targets := append(world, runner, container, target(graph.KindServer, 800))
	verdicts := judgeAll(shipped(t), policy.JudgeOptions{}, targets...)
	for _, row := range []struct {
		world  string
		wanted *graph.Target
		want   []string
	}{
		{"one server", targets[5], []string{"server 800"}},
		{"a container, with the runner that ends after it", container, []string{"container 500", "server 600"}},
		{"a runner brings its container, which comes first", runner, []string{"container 500", "server 600"}},
		{"a gateway brings what hangs on it", world[0], []string{"container 400", "server 300", "gateway 200"}},
		{"a gateway's server is not ended without its gateway", world[1], nil},
		{"nor that one's container", world[2], nil},
		{"what is not there", target(graph.KindServer, 999), nil},
	} {
		selected := policy.Select(verdicts, func(t *graph.Target) bool { return t == row.wanted })
		if got := ends(policy.MakePlan(selected, shipped(t), at(0)).Acts); !slices.Equal(got, row.want) {
			t.Errorf("%s: %v, want %v", row.world, got, row.want)
		}
		if reaped := slices.ContainsFunc(selected, func(v policy.Verdict) bool { return v.Decision == policy.Reap }); reaped != (row.want != nil) {
			t.Errorf("%s: %v: a verdict to reap, and no act", row.world, selected)
		}
	}
}

// TestAContainerIsSelectedWithItsDockerRun, which exits with it where no act ends it: people are told of it.
func TestAContainerIsSelectedWithItsDockerRun(t *testing.T) {
	for _, row := range []struct {
		world  string
		runner change
		acts   int
	}{
		{"both are orphaned", finding(graph.FindingOrphaned), 2},
		{"nothing is wrong with the docker run", finding(graph.FindingNone), 1},
		{"the docker run would wait for longer", held(time.Second, 2), 1},
	} {
		container := target(graph.KindContainer, 500)
		runner := target(graph.KindServer, 600, runnerOf(container), row.runner)
		verdicts := judgeAll(shipped(t), policy.JudgeOptions{}, container, runner, target(graph.KindServer, 900))
		selected := policy.Select(verdicts, func(t *graph.Target) bool { return t == container })
		if plan := policy.MakePlan(selected, shipped(t), at(0)); len(selected) != 2 || len(plan.Acts) != row.acts {
			t.Errorf("%s: selected %d, %d acts", row.world, len(selected), len(plan.Acts))
		}
	}
}

// TestWhatWaitsBelowAGatewayThatWaitsIsSelectedWithIt: it is shown with that. What goes sooner stays out.
func TestWhatWaitsBelowAGatewayThatWaitsIsSelectedWithIt(t *testing.T) {
	waits, orphaned := held(time.Minute, 9), finding(graph.FindingOrphaned)
	for _, row := range []struct {
		world   string
		changes map[int]change // of the gateway, the server below it and that one's container
		want    string
	}{
		{"a gateway that waits", map[int]change{200: waits}, "pending pending pending"},
		{"what is below it is due", map[int]change{200: waits, 300: orphaned, 400: orphaned}, "pending"},
		{"a gateway that stays", map[int]change{200: live(graph.FindingNone), 300: held(10*time.Second, 2)}, "keep"},
	} {
		targets := append(gatewayWorld(row.changes), target(graph.KindServer, 900, held(time.Second, 2)))
		verdicts := judgeAll(shipped(t), policy.JudgeOptions{}, targets...)
		if got := decisions(policy.Select(verdicts, func(t *graph.Target) bool { return t == targets[0] })); got != row.want {
			t.Errorf("%s: selected %s, want %s", row.world, got, row.want)
		}
	}
}

// TestAnActThatHasBegunIsSelectedAsThat: also on what goes with a target that is not wanted.
func TestAnActThatHasBegunIsSelectedAsThat(t *testing.T) {
	world := gatewayWorld(nil)
	acts := begun(t, planOf(t, shipped(t), world...), world...)
	for _, underWay := range [][]policy.Act{acts, nil} {
		verdicts := judgeAll(shipped(t), policy.JudgeOptions{UnderWay: policy.UnderWay{Acts: underWay}}, world...)
		selected := policy.Select(verdicts, func(t *graph.Target) bool { return t == world[1] })
		if begun := len(underWay) > 0; len(selected) != 1 || selected[0].UnderWay() != begun || (selected[0].Decision == policy.Keep) == begun {
			t.Errorf("begun %v: selected %+v", begun, selected)
		}
	}
}

func TestTheLimitCountsTheActsOfTheRulesThatAreAskedFor(t *testing.T) {
	p := mustLoad(t, "version: 1\nextends: builtin\nlimits: {max_actions: 2}\n")
	var targets []*graph.Target
	for n := range 3 {
		targets = append(targets, target(graph.KindContainer, 500+n), target(graph.KindServer, 800+n))
	}
	verdicts := judgeAll(p, policy.JudgeOptions{}, targets...)
	for rule, want := range map[string]string{"orphaned-containers": "container", "orphaned-servers": "server"} {
		got := ends(policy.MakePlan(policy.ByRule(verdicts, []string{rule}), p, at(0)).Acts)
		if len(got) != 2 || !strings.HasPrefix(got[0], want) || !strings.HasPrefix(got[1], want) {
			t.Errorf("by rule %s: %v, want two of kind %s", rule, got, want)
		}
	}
	if got := policy.ByRule(verdicts, []string{"duplicates"}); len(got) != 0 {
		t.Errorf("by a rule that decided nothing: %v", got)
	}
}

func TestOnlyWhatWasShownAndStillHoldsIsDone(t *testing.T) {
	p := shipped(t)
	fresh := func(targets ...*graph.Target) policy.Plan {
		return policy.MakePlan(judgeAll(p, policy.JudgeOptions{}, targets...), p, at(5))
	}
	reused := target(graph.KindServer, 800)
	reused.Root = &inventory.Process{PID: 800, Start: 99}
	reused.ID = reused.Root.ID().String()
	container := target(graph.KindContainer, 500)
	for _, row := range []struct {
		world        string
		shown, fresh policy.Plan
		want         []string
	}{
		{"the same again", fresh(target(graph.KindServer, 800)), fresh(target(graph.KindServer, 800)), []string{"server 800"}},
		{"a new orphan was not shown", fresh(target(graph.KindServer, 800)), fresh(target(graph.KindServer, 800), target(graph.KindServer, 900)), []string{"server 800"}},
		{"its client came back", fresh(target(graph.KindServer, 800)), fresh(target(graph.KindServer, 800, live(graph.FindingNone))), nil},
		{"the PID is another process's now", fresh(target(graph.KindServer, 800)), fresh(reused), nil},
		{"another rule wants it now", fresh(target(graph.KindServer, 800)), fresh(target(graph.KindServer, 800, live(graph.FindingDisconnected))), nil},
		{"a container that was not shown must come first", fresh(target(graph.KindServer, 600)), fresh(container, target(graph.KindServer, 600, runnerOf(container))), nil},
		{"a gateway takes along what it started meanwhile", fresh(target(graph.KindGateway, 200, live(graph.FindingZombies), func(t *graph.Target) { t.Zombies = 526 })), fresh(gatewayWorld(nil)...), []string{"container 400", "server 300", "gateway 200"}},
		{"nothing was shown", policy.Plan{}, fresh(gatewayWorld(nil)...), nil},
		{"nothing is left", fresh(gatewayWorld(nil)...), policy.Plan{}, nil},
	} {
		got := policy.StillHolds(row.shown.Keys(), row.fresh)
		if !slices.Equal(ends(got.Acts), row.want) {
			t.Errorf("%s: %v, want %v", row.world, ends(got.Acts), row.want)
		}
		if got.MadeAt != row.fresh.MadeAt {
			t.Errorf("%s: made at %v", row.world, got.MadeAt)
		}
	}
}

// decided are the targets that were decided so, as ends tells acts.
func decided(verdicts []policy.Verdict, d policy.Decision) []string {
	var all []policy.Act
	for _, v := range verdicts {
		if v.Decision == d {
			all = append(all, policy.Act{TargetID: v.Target.ID, Kind: v.Target.Kind})
		}
	}
	names := ends(all)
	slices.Sort(names)
	return names
}

func TestWhatTheLimitLeavesIsPendingAndWhatIsSaidToBeReapedIsPlanned(t *testing.T) {
	container, other := target(graph.KindContainer, 500), target(graph.KindContainer, 510)
	runner := target(graph.KindServer, 600, runnerOf(container))
	alone := []*graph.Target{target(graph.KindServer, 100), target(graph.KindServer, 110), target(graph.KindServer, 120)}
	for _, row := range []struct {
		world   string
		limit   int
		targets []*graph.Target
		reaped  []string
	}{
		{"servers", 2, alone, []string{"server 100", "server 110"}},
		{"as many as the limit", 3, alone, []string{"server 100", "server 110", "server 120"}},
		{"a container and its runner stay together", 2, []*graph.Target{alone[0], runner, container, alone[1]}, []string{"container 500", "server 600"}},
		{"or wait together", 2, []*graph.Target{other, runner, container, alone[0]}, []string{"container 500", "server 600"}},
		{"a gateway that does not fit waits whole", 3, append(gatewayWorld(nil), alone[0]), []string{"server 100"}},
		{"a gateway that fits no sweep goes in part", 2, gatewayWorld(nil), []string{"container 400", "gateway 200"}},
		{"a runner that fits no sweep comes after its container", 1, []*graph.Target{runner, container}, []string{"container 500"}},
	} {
		p := mustLoad(t, fmt.Sprintf("version: 1\nextends: builtin\nschedule: \"@every 30s\"\nlimits: {max_actions: %d}\n", row.limit))
		verdicts := judgeAll(p, policy.JudgeOptions{}, row.targets...)
		if got := decided(verdicts, policy.Reap); !slices.Equal(got, row.reaped) {
			t.Errorf("%s: %v, want %v", row.world, got, row.reaped)
		}
		plan := policy.MakePlan(verdicts, p, at(0))
		if got := ends(plan.Acts); !slices.Equal(slices.Sorted(slices.Values(got)), row.reaped) {
			t.Errorf("%s: planned %v, want %v", row.world, got, row.reaped)
		}
		if len(plan.Acts)+len(plan.Deferred) != len(row.targets) {
			t.Errorf("%s: %v and %v: something is lost", row.world, ends(plan.Acts), ends(plan.Deferred))
		}
		for _, v := range verdicts {
			if v.Decision == policy.Reap {
				continue
			}
			if v.Decision != policy.Pending || v.Limit() != row.limit || v.Rule == "" || v.Needs != 0 || !v.DueAt.Equal(noon.Add(30*time.Second)) ||
				!strings.Contains(v.Reason, fmt.Sprintf("%d (limits.max_actions)", row.limit)) {
				t.Errorf("%s: %s %s: %+v", row.world, v.Target.Kind, v.Target.ID, v)
			}
		}
	}
	if plan := policy.MakePlan(judgeAll(shipped(t), policy.JudgeOptions{}, alone...), &policy.Policy{}, at(0)); len(plan.Acts) != 0 {
		t.Errorf("no limits set, and %v", ends(plan.Acts))
	}
}

func TestWhatIsSelectedHasTheRoomOfASweepToItself(t *testing.T) {
	container := target(graph.KindContainer, 500)
	targets := []*graph.Target{target(graph.KindServer, 100), target(graph.KindServer, 110), target(graph.KindServer, 120),
		target(graph.KindServer, 130), target(graph.KindServer, 600, runnerOf(container)), container}
	p := mustLoad(t, "version: 1\nextends: builtin\nlimits: {max_actions: 2}\n")
	verdicts := judgeAll(p, policy.JudgeOptions{}, targets...)
	selected := policy.Select(verdicts, func(t *graph.Target) bool { return t.Root != nil && t.Root.PID >= 110 && t.Root.PID < 600 })
	if got := decided(selected, policy.Reap); !slices.Equal(got, []string{"server 110", "server 120"}) {
		t.Errorf("reaped %v", got)
	}
	if got := decided(selected, policy.Pending); !slices.Equal(got, []string{"server 130"}) {
		t.Errorf("pending %v", got)
	}
	if selected[0].Reason != `rule "orphaned-servers": nobody alive owns it` || !selected[0].DueAt.IsZero() {
		t.Errorf("what has room now: %+v", selected[0])
	}
	if got := ends(policy.MakePlan(selected, p, at(0)).Acts); !slices.Equal(got, []string{"server 110", "server 120"}) {
		t.Errorf("planned %v", got)
	}
	if got := decided(verdicts, policy.Reap); !slices.Equal(got, []string{"container 500", "server 600"}) {
		t.Errorf("what was judged has changed: %v", got)
	}
}

// ofUser makes a target a user's.
func ofUser(uid int) func(*graph.Target) {
	return func(t *graph.Target) { t.UID = inventory.Known(uid) }
}

func TestUsersShareTheLimitOfASweep(t *testing.T) {
	crowd := func(number int) (targets []*graph.Target) {
		for i := range number {
			targets = append(targets, target(graph.KindServer, 100+i, ofUser(1000)))
		}
		return targets
	}
	for _, row := range []struct {
		name  string
		limit int
		world []*graph.Target
		want  []string
	}{
		{"one user takes all of it", 3, crowd(5), []string{"server 100", "server 101", "server 102"}},
		{"one of another user is behind a crowd", 3, append(crowd(5), target(graph.KindServer, 200, ofUser(1001))), []string{"server 100", "server 200", "server 101"}},
		{"two of another user get as much as the crowd", 4, append(crowd(5), target(graph.KindServer, 200, ofUser(1001)), target(graph.KindServer, 201, ofUser(1001))),
			[]string{"server 100", "server 200", "server 101", "server 201"}},
		{"what a user leaves is the others'", 4, append(crowd(5), target(graph.KindServer, 200, ofUser(1001))), []string{"server 100", "server 200", "server 101", "server 102"}},
		{"a container takes its runner's share", 3, append([]*graph.Target{}, func() []*graph.Target {
			container := target(graph.KindContainer, 500)
			runner := target(graph.KindServer, 600, runnerOf(container), ofUser(1001))
			return append(crowd(5), runner, container)
		}()...), []string{"container 500", "server 600", "server 100"}},
		{"what is nobody's that is known has a share of its own", 2, append(crowd(5), target(graph.KindServer, 200, func(t *graph.Target) { t.UID = inventory.Fact[int]{} })), []string{"server 100", "server 200"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := mustLoad(t, fmt.Sprintf("version: 1\nextends: builtin\nlimits: {max_actions: %d}\n", row.limit))
			plan := planOf(t, p, row.world...)
			if got := ends(plan.Acts); !slices.Equal(got, row.want) {
				t.Errorf("got %v, want %v", got, row.want)
			}
			if len(plan.Acts)+len(plan.Deferred) != len(row.world) {
				t.Errorf("%d acts and %d deferred of %d", len(plan.Acts), len(plan.Deferred), len(row.world))
			}
		})
	}
}

func TestTheLongestGraceOfAPlan(t *testing.T) {
	plan := policy.Plan{Acts: []policy.Act{{Grace: 3 * time.Second}, {Grace: time.Minute}, {}}}
	if got := plan.LongestGrace(); got != time.Minute {
		t.Errorf("the longest grace is %s", got)
	}
	if got := (policy.Plan{}).LongestGrace(); got != 0 {
		t.Errorf("the longest grace of no act is %s", got)
	}
}

// TestTheActOnAContainerNamesTheRunnerThatEndsWithIt, unless that has an act of its own.
func TestTheActOnAContainerNamesTheRunnerThatEndsWithIt(t *testing.T) {
	for _, row := range []struct {
		world  string
		runner change
		want   int
	}{
		{"nothing is wrong with the runner", finding(graph.FindingNone), 300},
		{"it goes by its own rule", finding(graph.FindingOrphaned), 0},
	} {
		container := target(graph.KindContainer, 400)
		runner := target(graph.KindServer, 300, runnerOf(container), row.runner)
		plan := policy.MakePlan(judgeAll(shipped(t), policy.JudgeOptions{}, container, runner), shipped(t), at(0))
		if got := plan.Acts[0]; got.Kind != graph.KindContainer || got.Runner.PID != row.want {
			t.Errorf("%s: the first act is on a %s, whose runner is %d", row.world, got.Kind, got.Runner.PID)
		}
	}
}

// TestWhatIsSweptByARuleTakesItsDockerRunAlong: nothing is wrong with the docker run of an older copy, or a rule that
// was not asked for names it.
func TestWhatIsSweptByARuleTakesItsDockerRunAlong(t *testing.T) {
	for _, row := range []struct {
		world  string
		rule   string
		copied graph.Finding
		runner change
		want   int
	}{
		{"an older copy", "duplicates", graph.FindingDuplicate, finding(graph.FindingNone), 300},
		{"an orphan, as its docker run is", "orphaned-containers", graph.FindingOrphaned, finding(graph.FindingOrphaned), 300},
		{"by the rule of the docker run alone", "orphaned-servers", graph.FindingDuplicate, finding(graph.FindingNone), 0},
	} {
		container := target(graph.KindContainer, 400, finding(row.copied), func(t *graph.Target) { t.Generation, t.Idle = 2, inventory.Known(time.Hour) })
		runner := target(graph.KindServer, 300, runnerOf(container), row.runner)
		p, _ := shipped(t).Switched(policy.Switches{Duplicates: true})
		swept := policy.ByRule(judgeAll(p, policy.JudgeOptions{}, container, runner, target(graph.KindServer, 800)), []string{row.rule})
		acts := policy.MakePlan(swept, p, at(0)).Acts
		if row.want == 0 {
			if len(swept) != 1 || swept[0].Target.Root.PID != 800 {
				t.Errorf("%s: swept %v", row.world, swept)
			}
			continue
		}
		if len(swept) != 2 || swept[1].Head != container.ID || len(acts) != 1 || acts[0].Runner.PID != row.want {
			t.Errorf("%s: swept %+v, acts %+v", row.world, swept, acts)
		}
	}
}
