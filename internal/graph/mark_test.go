package graph

import (
	"testing"

	"github.com/reaperd/reaperd/internal/inventory"
)

func TestAPeerThatNobodyKnowsIsNotClosed(t *testing.T) {
	for _, peer := range []inventory.Peer{"OPEN", "gone", "half", ""} {
		t.Run(string(peer), func(t *testing.T) {
			snapshot := look(t, `
				1  0 1  0 null null init
				58 1 44 3 sa!  sb!  node /x/x-mcp
				59 1 44 3 sc!  sd!  node /x/y-mcp`)
			snapshot.Processes[1].Stdin = inventory.Known(inventory.Stdio{Kind: inventory.KindSocket, ID: "socket:[a]", Peer: peer})
			snapshot.Processes[2].Stdout = inventory.Known(inventory.Stdio{Kind: inventory.KindSocket, ID: "socket:[d]", Peer: peer})
			g := Correlate(nil, snapshot, Options{Catalogue: simple{}})
			expect(t, g, "58 ambiguous unknown unproven\n59 orphaned unknown unproven")
		})
	}
}
