package daemon

import (
	"testing"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/reap"
	"github.com/reaperd/reaperd/internal/sweep"
)

// TestWhatALookSawOfATreeThatHasEndedSinceIsNotTold: a look that is taken while npm has ended and its server has not
// sees the server as a tree of its own.
func TestWhatALookSawOfATreeThatHasEndedSinceIsNotTold(t *testing.T) {
	npm, server, other := inventory.ID{PID: 32, Start: 1}, inventory.ID{PID: 38, Start: 2}, inventory.ID{PID: 48, Start: 3}
	for result, want := range map[human.Result]int{human.Killed: 1, human.Escaped: 2} {
		m := newMind(nil)
		g := &graph.Graph{Snapshot: &inventory.Snapshot{}, Targets: []*graph.Target{{ID: server.String()}, {ID: other.String()}}}
		act := policy.Act{TargetID: npm.String(), Members: []inventory.ID{npm, server}}
		m.post(sweep.Round{Policy: &policy.Policy{}, View: sweep.View{Graph: g}, Outcomes: []sweep.Outcome{{Act: act, Outcome: reap.Outcome{Result: result}}}},
			func(l account.Look) account.Look { return l })
		newest, _ := m.newest()
		if left := newest.look.Graph.Targets; len(left) != want || left[want-1].ID != other.String() {
			t.Errorf("%s: %d targets are left, want %d", result, len(left), want)
		}
	}
}
