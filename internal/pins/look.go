package pins

import (
	"fmt"
	"os"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/state"
)

// LookNotes are remarks about new pins that the look knows in which they were made: what is
// kept with a session, and which pins root's daemon does not go by.
func LookNotes(g *graph.Graph, found []state.Pin) []string {
	system, running := state.ForeignDaemon()
	var notes []string
	for i := range found {
		pin := &found[i]
		if held := heldWith(g, pin); held > 0 {
			notes = append(notes, fmt.Sprintf("note: this keeps what %s holds too: %s", called(pin), human.Count(held, "server")))
		}
		if t, seen := g.Target(pin.ID); running && seen && isAnothers(t) {
			notes = append(notes, fmt.Sprintf("note: %s is another user's: the system daemon (process %d) does not go by your pin of it: sudo reaperd pin %s",
				called(pin), system.PID, Handle(pin)))
		}
	}
	return notes
}

// heldWith counts the servers of a pinned session.
func heldWith(g *graph.Graph, pin *state.Pin) int {
	held := 0
	for _, t := range g.Targets {
		if t.Kind != graph.KindSession && t.Owner.ID.String() == pin.ID {
			held++
		}
	}
	return held
}

// isAnothers reports a process of another user than this reaperd's.
func isAnothers(t *graph.Target) bool {
	uid, known := t.UID.Get()
	return known && uid != os.Geteuid() && t.Container == nil
}
