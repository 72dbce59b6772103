package policy_test

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// TestASessionThatRestsWaitsForTheRuleThatStopsIt from the first quiet look on, and stays if no rule will.
func TestASessionThatRestsWaitsForTheRuleThatStopsIt(t *testing.T) {
	const stop, reports = "{name: stop, for: 30s, match: {kind: session, idle_for: 70s}, action: terminate}", "{name: report, match: {kind: session, idle_for: 40s}}"
	rests := func(d time.Duration) change { // it does not count as idle yet
		return func(t *graph.Target) { t.Idle, t.Held = inventory.Known(d), time.Hour }
	}
	for _, row := range []struct {
		world  string
		rules  string
		target *graph.Target
		want   time.Duration // until then; zero: it is not pending
	}{
		{"its rule wants more", stop, session(idleFor(43 * time.Second)), 27 * time.Second},
		{"another only reports it meanwhile", stop + ", " + reports, session(idleFor(43 * time.Second)), 27 * time.Second},
		{"the rule's own time is over later", "{name: stop, for: 5m, match: {kind: session, idle_for: 70s}, action: terminate}", session(idleFor(43 * time.Second)), 5*time.Minute - 43*time.Second},
		{"one before it only reports, and matches first", reports + ", " + stop, session(idleFor(43 * time.Second)), 0},
		{"one before it will only report by then", "{name: report, match: {kind: session, idle_for: 60s}}, " + stop, session(idleFor(43 * time.Second)), 0},
		{"one before it reports later than that", "{name: report, match: {kind: session, idle_for: 2h}}, " + stop, session(idleFor(43 * time.Second)), 27 * time.Second},
		{"one before it stops it later than another", "{name: later, match: {kind: session, idle_for: 2h}, action: terminate}, {name: stop, match: {kind: session, idle_for: 40s}, action: terminate}", session(idleFor(43 * time.Second)), 0},
		{"it is about other sessions", "{name: stop, match: {kind: session, idle_for: 70s, name: codex}, action: terminate}", session(idleFor(43 * time.Second)), 0},
		{"no rule acts", reports, session(idleFor(43 * time.Second)), 0},
		{"its time is over", stop, session(idleFor(2 * time.Minute)), 0},
		{"it limits the servers of an owner", "{name: stop, max_per_owner: 1, match: {finding: [idle, duplicate], idle_for: 70s}, action: terminate}", session(idleFor(43 * time.Second)), 0},
		{"it is pinned", stop, session(idleFor(43*time.Second), vetoed(graph.GuardPinned)), 0},
		{"it is in use", stop, session(), 0},
		{"it does nothing, and does not count as idle yet", stop, session(rests(43 * time.Second)), 27 * time.Second},
		{"the rule's own time, which counts from then on", "{name: stop, for: 5m, match: {finding: idle, idle_for: 70s}, action: terminate}", session(rests(43 * time.Second)), 5*time.Minute - 43*time.Second},
		{"only one look has seen that it does nothing", stop, session(func(t *graph.Target) { t.Rested, t.Held = 43*time.Second, time.Hour }), 27 * time.Second},
		{"that look was a moment after its use", stop, session(func(t *graph.Target) { t.Rested, t.Held = 9*time.Second, time.Hour }), 0},
		{"it has only paused", stop, session(rests(9 * time.Second)), 0},
		{"it does nothing, and another only reports by then", reports + ", " + stop, session(rests(20 * time.Second)), 0},
		{"it does nothing, and is pinned", stop, session(rests(43*time.Second), vetoed(graph.GuardPinned)), 0},
	} {
		got := judgeOne(mustLoad(t, "version: 1\nrules: ["+row.rules+"]"), row.target)
		isPending := got.Decision == policy.Pending && got.IfIdle
		if isPending != (row.want > 0) || isPending && (got.Rule != "stop" || got.DueAt.Sub(noon) != row.want) {
			t.Errorf("%s: %s by %q in %s, if idle %v, want one in %s", row.world, got.Decision, got.Rule, got.DueAt.Sub(noon), got.IfIdle, row.want)
		}
	}
}

// TestWhatAGuardKeepsAndARestingSessionHoldsKeepsTheSession, and all that it holds waits with it else.
func TestWhatAGuardKeepsAndARestingSessionHoldsKeepsTheSession(t *testing.T) {
	const rules = "version: 1\nrules: [{name: stop, match: {kind: session, idle_for: 70s}, action: terminate}]\n"
	rests := func(t *graph.Target) { t.Idle, t.Held = inventory.Known(43*time.Second), time.Hour }
	for _, row := range []struct {
		world  string
		policy string
		change change
		want   string
		veto   string
	}{
		{"a server", rules, func(*graph.Target) {}, "pending pending", ""},
		{"a server of which something is not proven", rules, vetoed(graph.GuardUnproven), "pending pending", ""},
		{"a pinned server", rules, vetoed(graph.GuardPinned), "keep keep", "fetch 200 would end with it: "},
		{"a server that others use", rules, vetoed(graph.GuardInUse), "keep keep", "fetch 200 would end with it: "},
		{"a protected server", rules + "protect: [{name: mine, match: {kind: server}}]\n", func(*graph.Target) {}, "keep keep", `fetch 200 would end with it and is protected by "mine"`},
		{"a pinned server, and no rule acts", "version: 1\n", vetoed(graph.GuardPinned), "keep keep", ""},
	} {
		for _, idles := range []change{idleFor(43 * time.Second), rests} {
			server := target(graph.KindServer, 200, live(graph.FindingNone))
			row.change(server)
			verdicts := judgeAll(mustLoad(t, row.policy), policy.JudgeOptions{}, session(idles, below(server.ID)), server)
			v := verdicts[0]
			if decisions(verdicts) != row.want || (verdicts[1].Head == v.Target.ID) != (v.Decision == policy.Pending) || verdicts[1].IfIdle != v.IfIdle {
				t.Errorf("%s: %s, its server has the head %q", row.world, decisions(verdicts), verdicts[1].Head)
			}
			if (len(v.Vetoes) > 0) != (row.veto != "") || row.veto != "" && !strings.HasPrefix(v.Vetoes[0].Sentence().String(), row.veto) {
				t.Errorf("%s: kept by %v, want %q", row.world, v.Vetoes, row.veto)
			}
		}
	}
}

// TestAnOlderCopyWaitsForItsRestToBeOver, where a rule stops it then. One at work is in use.
func TestAnOlderCopyWaitsForItsRestToBeOver(t *testing.T) {
	idle := inventory.Known[time.Duration]
	acts := mustLoad(t, "version: 1\nrules: [{name: copies, match: {kind: server, finding: duplicate, idle_for: 20m}, action: terminate}]\n")
	for _, row := range []struct {
		world  string
		policy *policy.Policy
		target *graph.Target
		want   time.Duration // until it goes; zero: it stays
		rests  bool
	}{
		{"it has done nothing for two seconds", acts, target(graph.KindServer, 100, copyOf(2, idle(2*time.Second))), 20*time.Minute - 2*time.Second, false},
		{"it is at work", acts, target(graph.KindServer, 100, copyOf(2, idle(0))), 0, true},
		{"the rule keeps it, and it rests", acts, target(graph.KindServer, 100, copyOf(1, idle(time.Second))), 0, true},
		{"the rule only reports it", shipped(t), target(graph.KindServer, 100, copyOf(2, idle(2*time.Second))), 0, true},
		{"the rule reports it now", shipped(t), target(graph.KindServer, 100, copyOf(2, idle(time.Hour))), 0, false},
		{"no rule is about it, and it rests", shipped(t), target(graph.KindGateway, 100, copyOf(2, idle(2*time.Minute))), 0, true},
		{"no rule is about it, and it has done nothing for as long as usual", shipped(t), target(graph.KindGateway, 100, copyOf(2, idle(30*time.Minute))), 0, false},
		{"a server in use", acts, target(graph.KindServer, 100, live(graph.FindingNone)), 0, false},
	} {
		v := judgeOne(row.policy, row.target)
		if (v.Decision == policy.Pending) != (row.want > 0) || row.want > 0 && (v.DueAt.Sub(noon) != row.want || !v.IfIdle) || v.Rests() != row.rests {
			t.Errorf("%s: %s in %s, rests %v", row.world, v.Decision, v.DueAt.Sub(noon), v.Rests())
		}
	}
}

// TestWhatIsLeakedBelowARestingSessionHasItsOwnTime: it goes whether the session stays idle or not.
func TestWhatIsLeakedBelowARestingSessionHasItsOwnTime(t *testing.T) {
	p := mustLoad(t, "version: 1\nextends: builtin\nrules: [{name: idle-sessions, for: 30s, match: {idle_for: 30s}, action: terminate}]\n")
	leaked, used := target(graph.KindServer, 200, held(time.Second, 2)), target(graph.KindServer, 210, live(graph.FindingNone))
	verdicts := judgeAll(p, policy.JudgeOptions{}, session(idleFor(20*time.Second), below(leaked.ID, used.ID)), leaked, used)
	if v := verdicts[1]; v.Decision != policy.Pending || v.Rule != "orphaned-servers" || v.Head != "" || v.IfIdle {
		t.Errorf("what is leaked: %s by %q with %q, if idle %v", v.Decision, v.Rule, v.Head, v.IfIdle)
	}
	if v := verdicts[2]; v.Decision != policy.Pending || v.Rule != "idle-sessions" || v.Head != verdicts[0].Target.ID || !v.IfIdle {
		t.Errorf("what is in use: %s by %q with %q, if idle %v", v.Decision, v.Rule, v.Head, v.IfIdle)
	}
}

// TestWhatAGatewayLeavesGoesWithItsDockerRun: a container that listens is not meant by the gateway's rule, and would be
// left without the docker run that goes.
func TestWhatAGatewayLeavesGoesWithItsDockerRun(t *testing.T) {
	listens := func(t *graph.Target) { t.Listening = inventory.Known(true) }
	for _, waits := range []change{held(time.Hour, 9), held(time.Minute, 9)} {
		verdicts := judgeAll(shipped(t), policy.JudgeOptions{}, gatewayWorld(map[int]change{200: waits, 400: listens})...)
		if c := verdicts[2]; c.Decision != verdicts[0].Decision || c.Head != verdicts[1].Target.ID || !c.DueAt.Equal(verdicts[0].DueAt) {
			t.Errorf("the gateway: %s, the container: %s at %v with %q", verdicts[0].Decision, c.Decision, c.DueAt, c.Head)
		}
	}
}

// TestADockerRunDoesNotWaitForAContainerThatMayRestForLonger: its own end is proven.
func TestADockerRunDoesNotWaitForAContainerThatMayRestForLonger(t *testing.T) {
	p, _ := shipped(t).Switched(policy.Switches{Duplicates: true})
	container := target(graph.KindContainer, 400, copyOf(2, inventory.Known(20*time.Minute)))
	runner := target(graph.KindServer, 300, runnerOf(container))
	verdicts := judgeAll(p, policy.JudgeOptions{}, container, runner)
	if decisions(verdicts) != "reap reap" || verdicts[0].Head != runner.ID {
		t.Errorf("%s, the container goes with %q", decisions(verdicts), verdicts[0].Head)
	}
}

// TestADockerRunIsNotToldByTheTimeOfAContainerThatMayStay: it goes at its own, and takes that along.
func TestADockerRunIsNotToldByTheTimeOfAContainerThatMayStay(t *testing.T) {
	p, _ := mustLoad(t, "version: 1\nextends: builtin\nrules: [{name: orphaned-servers, for: 20m}]\n").Switched(policy.Switches{Duplicates: true})
	container := target(graph.KindContainer, 400, copyOf(2, inventory.Known(29*time.Minute)))
	runner := target(graph.KindServer, 300, runnerOf(container), held(time.Minute, 9))
	verdicts := judgeAll(p, policy.JudgeOptions{}, container, runner)
	if c, r := verdicts[0], verdicts[1]; !c.IfIdle || r.IfIdle || c.DueAt.Sub(noon) != time.Minute || r.DueAt.Sub(noon) != 19*time.Minute {
		t.Errorf("the container is due in %s, if idle %v; its docker run in %s, if idle %v", c.DueAt.Sub(noon), c.IfIdle, r.DueAt.Sub(noon), r.IfIdle)
	}
}

// TestWhatGoesSoonerThanItsGatewayKeepsItsTime: it does not wait for the gateway.
func TestWhatGoesSoonerThanItsGatewayKeepsItsTime(t *testing.T) {
	for wait, want := range map[time.Duration]string{time.Minute: "pending reap", 10 * time.Second: "pending pending"} {
		server := target(graph.KindServer, 300, held(wait, 9))
		gateway := target(graph.KindGateway, 200, live(graph.FindingZombies), held(time.Minute, 9), below(server.ID))
		gateway.Zombies = 526
		if verdicts := judgeAll(shipped(t), policy.JudgeOptions{}, gateway, server); decisions(verdicts) != want || verdicts[1].Head != "" {
			t.Errorf("held for %s: %s, with %q", wait, decisions(verdicts), verdicts[1].Head)
		}
	}
}
