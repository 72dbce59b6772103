package policy_test

import (
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// session is a live one; without a change nothing is the matter with it.
func session(changes ...change) *graph.Target {
	t := target(graph.KindSession, 100, func(t *graph.Target) {
		t.Name, t.Finding, t.Incidental, t.Owner = "claude-code", graph.FindingNone, true, graph.Owner{Liveness: graph.LivenessUnknown}
	})
	for _, change := range changes {
		change(t)
	}
	return t
}

// idleFor is a session that has done nothing for so long.
func idleFor(d time.Duration) change {
	return func(t *graph.Target) {
		t.Finding, t.Incidental, t.Idle, t.Held, t.Looks = graph.FindingIdle, false, inventory.Known(d), d, 9
	}
}

func TestRulesForSessions(t *testing.T) {
	heavy := func(t *graph.Target) { t.MemoryBytes = 3 << 30 }
	for _, row := range []struct {
		world  string
		rule   string
		target *graph.Target
		want   policy.Decision
		named  bool // the rule is about it
	}{
		{"idle for long enough", "match: {kind: session, idle_for: 4h}, action: terminate", session(idleFor(5 * time.Hour)), policy.Reap, true},
		{"idle, and not for long enough: it waits", "match: {kind: session, idle_for: 4h}, action: terminate", session(idleFor(3 * time.Hour)), policy.Pending, true},
		{"in use", "match: {kind: session, idle_for: 4h}, action: terminate", session(), policy.Keep, false},
		{"idle, where the rule only reports", "match: {kind: session, idle_for: 4h}", session(idleFor(5 * time.Hour)), policy.Keep, true},
		{"idle for less than an hour, where the rule does not say for how long", "match: {kind: session}, action: terminate", session(idleFor(59 * time.Minute)), policy.Pending, true},
		{"idle and old", "match: {kind: session, older_than: 1h}, action: terminate", session(idleFor(2 * time.Hour)), policy.Reap, true},
		{"idle and young", "match: {kind: session, older_than: 3d}, action: terminate", session(idleFor(2 * time.Hour)), policy.Keep, false},
		{"idle and large", "match: {kind: session, memory_over: 2GiB}", session(idleFor(2*time.Hour), heavy), policy.Keep, true},
		{"idle and small", "match: {kind: session, memory_over: 2GiB}, action: terminate", session(idleFor(2 * time.Hour)), policy.Keep, false},
		{"in use and large: named, and not ended", "match: {kind: session, finding: any, memory_over: 2GiB}, action: terminate", session(heavy), policy.Keep, true},
		{"in use and old: named, and not ended", "match: {kind: session, finding: none, older_than: 1h}, action: terminate", session(), policy.Keep, true},
		{"idle, and the rule says no kind", "match: {user: dev}, action: terminate", session(idleFor(5 * time.Hour)), policy.Keep, false},
		{"idle, and the rule takes everything without a kind", "match: {finding: any}, action: terminate", session(idleFor(5 * time.Hour)), policy.Keep, false},
		{"in use, and the rule takes everything without a kind", "match: {finding: any}, action: terminate", session(), policy.Keep, false},
		{"idle, and pinned", "match: {kind: session, idle_for: 4h}, action: terminate", session(idleFor(5*time.Hour), vetoed(graph.GuardPinned)), policy.Keep, true},
	} {
		p := mustLoad(t, "version: 1\nrules: [{name: mine, for: 0s, "+row.rule+"}]")
		got := judgeOne(p, row.target)
		if got.Decision != row.want || (got.Rule == "mine") != row.named || got.Reported() != (row.named || row.target.Finding == graph.FindingIdle) {
			t.Errorf("%s: %s by %q (%s), reported %v", row.world, got.Decision, got.Rule, got.Reason, got.Reported())
		}
	}
}

// TestASessionThatDoesNotCountAsIdleIsKept: the guard denies no rest that the looks have seen.
func TestASessionThatDoesNotCountAsIdleIsKept(t *testing.T) {
	for _, row := range []struct {
		idle time.Duration
		more string // another rule
		want string
	}{
		{0, "", "it does not count as idle"},
		{time.Second, "", "it does not count as idle"}, // between two looks nearly every session rests
		{4*time.Minute + 22*time.Second, "", "it has been idle for 4m 22s, and counts as idle from 1h on"},
		{4*time.Minute + 22*time.Second, ", {name: soon, match: {kind: session, idle_for: 20m}}", "it has been idle for 4m 22s, and counts as idle from 20m on"},
	} {
		p := mustLoad(t, "version: 1\nrules: [{name: mine, for: 0s, match: {kind: session, finding: any}, action: terminate}"+row.more+"]")
		got := judgeOne(p, session(func(t *graph.Target) { t.Idle = inventory.Known(row.idle) }))
		if got.Decision != policy.Keep || len(got.Vetoes) != 1 || got.Vetoes[0].Text != row.want || got.Reason != `rule "mine" would stop it, but `+row.want {
			t.Errorf("idle for %s: %s, %v (%s)", row.idle, got.Decision, got.Vetoes, got.Reason)
		}
	}
}

func TestWhatAnIdleSessionHoldsGoesWithItOrKeepsIt(t *testing.T) {
	p := mustLoad(t, "version: 1\nmode: enforce\nrules: [{name: mine, match: {kind: session, idle_for: 4h}, for: 0s, action: terminate}]")
	server, box := target(graph.KindServer, 200, live(graph.FindingNone)), target(graph.KindContainer, 300, live(graph.FindingNone))
	runnerOf(box)(server)
	all := func(changes ...change) []policy.Verdict {
		for _, change := range changes {
			change(server)
		}
		return judgeAll(p, policy.JudgeOptions{}, session(idleFor(5*time.Hour), below(server.ID)), server, box)
	}
	verdicts := all()
	plan := policy.MakePlan(verdicts, p, inventory.Moment{At: noon})
	if len(plan.Acts) != 3 || plan.Acts[2].Kind != graph.KindSession || len(plan.Acts[2].Below) != 2 || plan.Acts[0].Kind != graph.KindContainer {
		t.Errorf("plan: %+v", plan.Acts)
	}
	for _, row := range []struct {
		world string
		guard graph.Guard
	}{{"a pinned server", graph.GuardPinned}, {"a server that others use", graph.GuardInUse}, {"another user's server", graph.GuardForeign}} {
		server.Vetoes = nil
		if verdicts := all(vetoed(row.guard)); verdicts[0].Decision != policy.Keep || verdicts[1].Decision != policy.Keep || verdicts[2].Decision != policy.Keep {
			t.Errorf("%s below it: %s", row.world, verdicts[0].Reason)
		}
	}
}

func TestFromWhenOnASessionIsIdle(t *testing.T) {
	for rules, want := range map[string]time.Duration{
		"[{name: a, match: {kind: session, idle_for: 10m}}]":               10 * time.Minute,
		"[{name: a, match: {kind: [server, session], idle_for: 20m}}]":     20 * time.Minute,
		"[{name: a, match: {kind: session, idle_for: 4h}}]":                time.Hour,
		"[{name: a, match: {kind: server, idle_for: 5m}}]":                 time.Hour,
		"[{name: a, match: {finding: duplicate, idle_for: 5m}}]":           time.Hour,
		"[{name: a, match: {finding: idle, idle_for: 5m, user: \"dev\"}}]": 5 * time.Minute,
	} {
		if got := mustLoad(t, "version: 1\nrules: "+rules).IdleOver(); got != want {
			t.Errorf("%s: %s, want %s", rules, got, want)
		}
	}
}
