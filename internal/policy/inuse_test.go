package policy_test

import (
	"testing"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
)

// TestARuleEndsWhatIsInUseWhereItSaysSo compares what a rule says that it ends though a live session uses
// it with the verdicts on a server and a container in use.
func TestARuleEndsWhatIsInUseWhereItSaysSo(t *testing.T) {
	for _, row := range []struct {
		rule                string
		servers, containers bool
	}{
		{"match: {finding: any}, action: terminate", true, true},
		{"match: {kind: [server, container], finding: [orphaned, none]}, action: terminate", true, true},
		{"match: {session: claude-code, finding: none}, action: terminate", true, true},
		{"match: {kind: server, finding: any}, action: terminate", true, false},
		{"match: {kind: [session, container], finding: any}, action: terminate", false, true},
		{"match: {kind: container, image: 'ghcr.io/acme/*'}, action: remove", false, true},
		{"match: {kind: session, finding: any}, action: terminate", false, false},
		{"match: {finding: orphaned}, action: terminate", false, false},
		{"match: {finding: any}, action: report", false, false},
	} {
		p := mustLoad(t, "version: 1\nmode: enforce\nrules: [{name: all, "+row.rule+"}]\n")
		ends := func(kind graph.Kind) bool {
			return judgeOne(p, target(kind, 100, live(graph.FindingNone))).Decision == policy.Reap
		}
		if servers, containers := ends(graph.KindServer), ends(graph.KindContainer); servers != row.servers || containers != row.containers {
			t.Errorf("%s: it ends servers %v, containers %v; want %v, %v", row.rule, servers, containers, row.servers, row.containers)
		}
		if rule := &p.Rules[0]; rule.EndsServersInUse() != row.servers || rule.EndsContainersInUse() != row.containers {
			t.Errorf("%s: it says servers %v, containers %v; want %v, %v", row.rule, rule.EndsServersInUse(), rule.EndsContainersInUse(), row.servers, row.containers)
		}
	}
}
