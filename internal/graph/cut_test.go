package graph

import (
	"testing"

	"github.com/reaperd/reaperd/internal/inventory"
)

func TestCommandLinesThatWereCutAreTheSameOnlyWhereTheirHashesAre(t *testing.T) {
	one := &inventory.Process{UID: inventory.Known(1000), Argv: []string{"node", "server.js"}, ArgvHash: "aa"}
	for _, world := range []struct {
		says  string
		other *inventory.Process
		same  bool
	}{
		{"the same hash", &inventory.Process{UID: inventory.Known(1000), Argv: []string{"node", "server.js"}, ArgvHash: "aa"}, true},
		{"another hash", &inventory.Process{UID: inventory.Known(1000), Argv: []string{"node", "server.js"}, ArgvHash: "bb"}, false},
		{"a whole command line that is its beginning", &inventory.Process{UID: inventory.Known(1000), Argv: []string{"node", "server.js"}}, false},
	} {
		t.Run(world.says, func(t *testing.T) {
			if same := ShapeOf(one) == ShapeOf(world.other); same != world.same {
				t.Errorf("one shape: %v, want %v", same, world.same)
			}
			owner := Owner{ID: inventory.ID{PID: 44, Start: 1}, Name: "claude-code", Kind: OwnerSession, Liveness: LivenessLive}
			a, b := &Target{Kind: KindServer, Owner: owner, Root: one}, &Target{Kind: KindServer, Owner: owner, Root: world.other}
			if key := generationKey(a); key == "" || (key == generationKey(b)) != world.same {
				t.Errorf("one generation: %v, want %v", !world.same, world.same)
			}
		})
	}
}
