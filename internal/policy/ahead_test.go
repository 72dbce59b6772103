package policy_test

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// TestTheRuleThatAnIdleSessionComesTo is told before it matches, and decides nothing until then.
func TestTheRuleThatAnIdleSessionComesTo(t *testing.T) {
	const stop, reports = "{name: stop, for: 30s, match: {kind: session, idle_for: 70s}, action: terminate}", "{name: report, match: {kind: session, idle_for: 40s}}"
	rests := func(d time.Duration) change { // it does not count as idle yet
		return func(t *graph.Target) { t.Idle, t.Held = inventory.Known(d), time.Hour }
	}
	for _, row := range []struct {
		world  string
		rules  string
		target *graph.Target
		want   time.Duration // until then; zero: no rule
	}{
		{"its rule wants more", stop, session(idleFor(43 * time.Second)), 27 * time.Second},
		{"another only reports it meanwhile", stop + ", " + reports, session(idleFor(43 * time.Second)), 27 * time.Second},
		{"the rule's own time is over later", "{name: stop, for: 5m, match: {kind: session, idle_for: 70s}, action: terminate}", session(idleFor(43 * time.Second)), 5*time.Minute - 43*time.Second},
		{"one before it only reports, and matches first", reports + ", " + stop, session(idleFor(43 * time.Second)), 0},
		{"one before it will only report by then", "{name: report, match: {kind: session, idle_for: 60s}}, " + stop, session(idleFor(43 * time.Second)), 0},
		{"one before it reports later than that", "{name: report, match: {kind: session, idle_for: 2h}}, " + stop, session(idleFor(43 * time.Second)), 27 * time.Second},
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
		switch {
		case row.want == 0 && got.Ahead != nil:
			t.Errorf("%s: comes to %+v", row.world, got.Ahead)
		case row.want > 0 && (got.Ahead == nil || got.Ahead.Rule != "stop" || got.Ahead.DueAt.Sub(noon) != row.want || got.Decision != policy.Keep):
			t.Errorf("%s: %s, comes to %+v, want one in %s", row.world, got.Decision, got.Ahead, row.want)
		}
	}
}

// TestNoRuleIsAheadOfASessionThatHoldsWhatMustStay: the session would stay with it, and that is told.
func TestNoRuleIsAheadOfASessionThatHoldsWhatMustStay(t *testing.T) {
	const rules = "version: 1\nrules: [{name: stop, match: {kind: session, idle_for: 70s}, action: terminate}]\n"
	rests := func(t *graph.Target) { t.Idle, t.Held = inventory.Known(43*time.Second), time.Hour }
	for _, row := range []struct {
		world  string
		policy string
		change change
		veto   string
	}{
		{"a server", rules, func(*graph.Target) {}, ""},
		{"a server of which something is not proven", rules, vetoed(graph.GuardUnproven), ""},
		{"a pinned server", rules, vetoed(graph.GuardPinned), "fetch 200 would end with it: "},
		{"a server that others use", rules, vetoed(graph.GuardInUse), "fetch 200 would end with it: "},
		{"a protected server", rules + "protect: [{name: mine, match: {kind: server}}]\n", func(*graph.Target) {}, `fetch 200 would end with it and is protected by "mine"`},
		{"a pinned server, and no rule acts", "version: 1\n", vetoed(graph.GuardPinned), "fetch 200 would end with it: "},
		{"no rule acts", "version: 1\n", func(*graph.Target) {}, ""},
	} {
		for _, idles := range []change{idleFor(43 * time.Second), rests} {
			server := target(graph.KindServer, 200, live(graph.FindingNone))
			row.change(server)
			v := judgeAll(mustLoad(t, row.policy), policy.JudgeOptions{}, session(idles, below(server.ID)), server)[0]
			acts := strings.Contains(row.policy, "terminate")
			switch {
			case v.Decision != policy.Keep || (v.Ahead != nil) != (acts && row.veto == ""):
				t.Errorf("%s: %s, comes to %+v", row.world, v.Decision, v.Ahead)
			case row.veto == "" && (v.Bound != nil || v.Spared != nil):
				t.Errorf("%s: is bound to %+v, spared by %+v", row.world, v.Bound, v.Spared)
			case row.veto != "" && (v.Bound == nil || !strings.HasPrefix(v.Bound.Sentence().String(), row.veto)):
				t.Errorf("%s: is bound to %+v, want %q", row.world, v.Bound, row.veto)
			case v.Bound != nil && (v.Bound.Guard == graph.GuardProtected) != strings.Contains(row.policy, "protect"):
				t.Errorf("%s: guard %s", row.world, v.Bound.Guard)
			case row.veto != "" && (v.Spared != nil) != acts:
				t.Errorf("%s: is spared from %+v", row.world, v.Spared)
			}
		}
	}
}

// TestASessionsOwnPinSparesIt without its servers being asked.
func TestASessionsOwnPinSparesIt(t *testing.T) {
	server := target(graph.KindServer, 200, live(graph.FindingNone), vetoed(graph.GuardPinned))
	p := mustLoad(t, "version: 1\nrules: [{name: stop, match: {kind: session, idle_for: 70s}, action: terminate}]\n")
	v := judgeAll(p, policy.JudgeOptions{}, session(idleFor(43*time.Second), below(server.ID), vetoed(graph.GuardPinned)), server)[0]
	if v.Ahead != nil || v.Spared != nil {
		t.Errorf("ahead %+v, spared %+v", v.Ahead, v.Spared)
	}
}
