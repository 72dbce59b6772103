package serve

import (
	"testing"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

func TestTheStatusTellsWhoseSessionsAndThingsAre(t *testing.T) {
	p := &inventory.Process{PID: 5, Start: 1, Cwd: "/home/ann/src", User: "ann"}
	if c := clientOf(&graph.Session{Name: "codex", Process: p}); c.Cwd != p.Cwd || c.User != "ann" {
		t.Errorf("a session: %+v", c)
	}
	for user, target := range map[string]*graph.Target{"ann": {Root: p}, "": {Container: &inventory.Container{}}} {
		if got := pendingOf(&policy.Verdict{Target: target}); got.User != user {
			t.Errorf("pending: %+v, want user %q", got, user)
		}
	}
}
