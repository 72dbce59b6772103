package graph

import (
	"slices"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/catalogue"
)

// TestAnEndThatALeakedGatewayHolds is told to be held by that, also where others may hold it too whom this user cannot
// see.
func TestAnEndThatALeakedGatewayHoldsIsToldToBeHeldByIt(t *testing.T) {
	const world = `
		1  0 1  0 null null systemd
		50 1 50 10 p1! p2! docker-mcp gateway run
		51 50 50 11 p3@50 p4@50 mcp-server-fetch
		90 1 90 0 null null sshd # fds?
	`
	g := Correlate(nil, look(t, world), Options{Catalogue: catalogue.New(catalogue.Extra{})})
	for _, target := range g.Targets {
		if target.Root == nil || target.Root.PID != 51 {
			continue
		}
		var texts []string
		for _, e := range target.Evidence {
			texts = append(texts, string(e.Check)+": "+e.Text)
		}
		got, want := strings.Join(texts, "\n"), "only docker-mcp 50 is seen to "
		isProof := slices.ContainsFunc(target.Evidence, func(e Evidence) bool { return e.Says == SaysOwned && e.Proof })
		if target.Finding != FindingNone || strings.Count(got, want) != 2 || isProof {
			t.Errorf("%s:\n%s", target.Finding, got)
		}
		return
	}
	t.Fatal("the server is no target")
}
