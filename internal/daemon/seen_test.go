package daemon

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

// What a look reads first may have changed by the time at which it ends.
func TestALookThatHadBegunIsNoLookAfterTheQuestion(t *testing.T) {
	asked := time.Date(2026, time.November, 28, 15, 0, 0, 0, time.UTC)
	at := func(began, ended time.Duration, first bool) *seen {
		return newSeen(seen{began: asked.Add(began), first: first,
			look: account.Look{Graph: &graph.Graph{Snapshot: &inventory.Snapshot{TakenAt: asked.Add(ended)}}}})
	}
	for _, c := range []struct {
		name string
		look *seen
		is   bool
	}{
		{"it began later", at(time.Second, 2*time.Second, false), true},
		{"it was under way", at(-time.Second, time.Second, false), false},
		{"it was under way, and nobody has looked before", at(-time.Second, time.Second, true), true},
		{"the first one was over", at(-2*time.Second, -time.Second, true), false},
	} {
		over, cancel := context.WithCancel(t.Context())
		cancel()
		b := newBoard()
		b.post(c.look, nil)
		if _, err := b.await(over, asked); (err == nil) != c.is || err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want an answer: %v", c.name, err, c.is)
		}
	}
}
