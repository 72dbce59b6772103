package top

import (
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
)

// undecided is a world with a server that leaked, and a gateway that stays for the server below it, of which nobody
// sees who uses it.
func undecided() *world {
	w := newWorld()
	w.Verdicts = make([]policy.Verdict, 0, 8)
	left := gone("codex", 5)
	orphaned(w.server("memory", 600, left), time.Minute)
	gateway := kept(orphaned(w.server("docker-mcp", 610, left), 0), time.Minute)
	gateway.Target.Kind, gateway.Target.Below = graph.KindGateway, []string{"620:1"}
	gateway.Vetoes = []graph.Veto{{Guard: graph.GuardUnproven, Text: "fetch 620 below it may be in use"}}
	gateway.Target.Vetoes = nil
	w.server("fetch", 620, graph.Owner{Liveness: graph.LivenessLive})
	return w
}

// TestAGatewayWithSomethingBelowItThatMayBeInUseSaysSo: the name of a guard is no reason.
func TestAGatewayWithSomethingBelowItThatMayBeInUseSaysSo(t *testing.T) {
	r := reads(t, undecided())
	for width, want := range map[int]string{160: " may be in use below it ", 100: " may be in use below it ", 80: " kept  "} {
		r.sends(Resized{width, 40})
		wantOn(t, r.screen(), []string{want}, []string{"unproven", "may be use"})
	}
	r.types("n enter")
	wantOn(t, r.screen(), []string{"docker-mcp 610: orphaned, kept: may be in use below it\n"}, nil)
}
