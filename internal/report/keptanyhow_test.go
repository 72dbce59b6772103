package report

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
)

// TestNoChangeOfARuleIsOfferedWhereAGuardKeepsAnyhow, as for an agent that nobody knows.
func TestNoChangeOfARuleIsOfferedWhereAGuardKeepsAnyhow(t *testing.T) {
	const why = `it is no known client; in policies.yaml, sessions: [{name: "myagent"}] makes it one`
	for _, row := range []struct {
		world          string
		vetoes         []graph.Veto
		scans, explain string
		never          string
	}{
		{"nothing else keeps it", nil, "rule listening-orphans only reports; to act, add to policies.yaml", "to act     add to policies.yaml", "leave it alone too"},
		{"a guard does", []graph.Veto{{Guard: graph.GuardUnproven, Text: why}}, "rule listening-orphans only reports; one that acts would leave it alone too: " + why, "guards     " + why, "action: terminate"},
	} {
		w := newWorld("linux", 4)
		agent := orphaned(w.server("myagent", 40, time.Hour, 0, "myagent"), graph.Owner{})
		agent.Vetoes = row.vetoes
		w.decide(agent, policy.Keep, "listening-orphans", policy.ActionReport).Vetoes = nil // guards are asked for a rule that acts
		var scanned, explained strings.Builder
		if err := Table(&scanned, w.input(), Options{Width: 200}); err != nil {
			t.Fatal(err)
		}
		if err := Explain(&explained, w.input(), agent.ID, Options{Width: 200}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(scanned.String(), row.scans) || !strings.Contains(explained.String(), row.explain) || strings.Contains(scanned.String()+explained.String(), row.never) {
			t.Errorf("%s: want %q and %q, not %q, in\n%s\n%s", row.world, row.scans, row.explain, row.never, scanned.String(), explained.String())
		}
	}
}
