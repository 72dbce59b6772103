package serve

import (
	"testing"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

func TestTheStatusTellsWhoseSessionsAndThingsAre(t *testing.T) {
	p := &inventory.Process{PID: 5, Start: 1, Cwd: "/home/ann/src", User: "ann"}
	if c := clientOf(&graph.Session{Name: "codex", Process: p}); c.Cwd != p.Cwd || c.User != "ann" {
		t.Errorf("a session: %+v", c)
	}
	run := &graph.Target{ID: "5:1", Kind: graph.KindServer, Root: p}
	for _, row := range []struct {
		world, user string
		target      *graph.Target
	}{
		{"a server", "ann", run},
		{"the container of a docker run", "ann", &graph.Target{ID: "0a", Runner: run.ID, Container: &inventory.Container{}}},
		{"a container", "", &graph.Target{ID: "0b", Container: &inventory.Container{}}},
	} {
		who := clients{targets: map[string]*graph.Target{run.ID: run}}
		if got := who.userOf(row.target); got != row.user {
			t.Errorf("%s: user %q, want %q", row.world, got, row.user)
		}
	}
}
