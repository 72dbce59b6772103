package graph

import (
	"slices"
	"testing"
)

// TestWhatALeakedGatewayHoldsIsListedBelowIt, also where somebody unseen may hold it too: the gateway stays then.
func TestWhatALeakedGatewayHoldsIsListedBelowIt(t *testing.T) {
	const left = `
		1  0  1  0 null null init
		50 1  44 2 sa! sb! docker-mcp gateway run
		60 50 44 3 pc@50 pd@50 node /x/y-mcp
		61 50 44 3 pe! pf! node /x/z-mcp`
	for _, row := range []struct {
		world, look string
		unseen      bool // who holds what is below
		stays       bool
	}{
		{"all is seen", left, false, false},
		{"a user looks, who may not read all descriptors", left + "\nsource processes unread-descriptors", true, true},
	} {
		g := Correlate(nil, look(t, row.look), Options{Catalogue: simple{}})
		targets := map[string]*Target{}
		for _, target := range g.Targets {
			targets[firstWord(target.ID)] = target
		}
		gateway, below, left := targets["50"], targets["60"], targets["61"]
		if gateway == nil || below == nil || left == nil {
			t.Fatalf("%s: %d targets", row.world, len(g.Targets))
		}
		if below.Owner.IsUnseen() != row.unseen || hasVeto(gateway, GuardUnproven) != row.stays || gateway.Finding != FindingOrphaned || left.Finding != FindingOrphaned {
			t.Errorf("%s: 60 is of %+v, the gateway is %s with %v, 61 is %s", row.world, below.Owner, gateway.Finding, gateway.Vetoes, left.Finding)
		}
		if want := []string{below.ID, left.ID}; !slices.Equal(gateway.Below, want) {
			t.Errorf("%s: below the gateway are %v, want %v", row.world, gateway.Below, want)
		}
	}
}
