package policy_test

import (
	"slices"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// TestARuleIsInVainWhereItReapsNothing compares what a rule says of itself with its verdicts on every
// kind of target with every finding.
func TestARuleIsInVainWhereItReapsNothing(t *testing.T) {
	for _, row := range []struct{ match, why string }{
		{"{kind: session, finding: none}", "a session at work is never ended"},
		{"{kind: server, image: 'ghcr.io/*'}", "only a container has an image, a label or a state; write kind: container"},
		{"{kind: [session, gateway], label: {com.example.team: '*'}, finding: any}", "only a container has an image, a label or a state; write kind: container"},
		{"{kind: session, server: fetch, finding: any}", "a session has no server name; write session in place of server"},
		{"{kind: [server, container], finding: ambiguous}", "what is ambiguous is never ended: it may be somebody's"},
		{"{kind: server, finding: [ambiguous, orphaned]}", ""},
		{"{kind: session, finding: any}", ""},
		{"{kind: session, finding: [idle, none]}", ""},
		{"{kind: [session, server], finding: none}", ""},
		{"{kind: [server, container], image: 'ghcr.io/*'}", ""},
		{"{image: 'ghcr.io/*'}", ""},
		{"{kind: [session, server], server: fetch}", ""},
	} {
		p := mustLoad(t, "version: 1\nmode: enforce\nrules: [{name: x, match: "+row.match+", action: terminate}]\n")
		if got := p.Rules[0].InVain(); got != row.why {
			t.Errorf("%s: %q, want %q", row.match, got, row.why)
		}
		if reaps := reapsAny(p); reaps != (row.why == "") {
			t.Errorf("%s: it reaps %v", row.match, reaps)
		}
	}
	if p := mustLoad(t, "version: 1\nrules: [{name: x, match: {kind: session, finding: none}, action: report}]\n"); p.Rules[0].InVain() != "" {
		t.Error("a rule that reports sessions at work does something")
	}
}

// reapsAny reports that a policy reaps some target of any kind with any finding.
func reapsAny(p *policy.Policy) bool { return len(reapedKinds(p)) > 0 }

// reapedKinds are the kinds of which a policy reaps a target with some finding. The user of a container is not known, nor
// the owner of what is orphaned.
func reapedKinds(p *policy.Policy) (kinds []graph.Kind) {
	for _, kind := range []graph.Kind{graph.KindServer, graph.KindGateway, graph.KindSession, graph.KindContainer} {
		reaps := func(found graph.Finding) bool {
			isIdle := func(t *graph.Target) { t.Idle = inventory.Known(9 * time.Hour) }
			isUnknown := func(t *graph.Target) {
				if kind == graph.KindContainer {
					t.User, t.UID = "", inventory.Fact[int]{}
				}
				if found == graph.FindingOrphaned {
					t.Owner = graph.Owner{Liveness: graph.LivenessGone}
				}
			}
			return judgeOne(p, target(kind, 100, live(found), isIdle, isUnknown)).Decision == policy.Reap
		}
		if slices.ContainsFunc([]graph.Finding{graph.FindingNone, graph.FindingOrphaned, graph.FindingIdle}, reaps) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}
