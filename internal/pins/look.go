package pins

import (
	"fmt"
	"os"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/report"
	"github.com/reaperd/reaperd/internal/state"
)

// LookNotes are remarks about new pins that the look knows in which they were made: what is
// kept with a session, and which pins root's daemon does not go by.
func LookNotes(g *graph.Graph, found []state.Pin) []string {
	system, running := state.ForeignDaemon()
	var notes []string
	for i := range found {
		pin := &found[i]
		if held := report.HeldBy(g, pin.ID); held != "" {
			notes = append(notes, fmt.Sprintf("note: while %s lives, this keeps what it holds too: %s; a pin of its own keeps one for longer", called(pin), held))
		}
		if t, seen := g.Target(pin.ID); running && seen && isAnothers(t) {
			notes = append(notes, fmt.Sprintf("note: %s is another user's: the system daemon (process %d) does not go by your pin of it: sudo reaperd pin %s",
				called(pin), system.PID, Handle(pin)))
		}
	}
	return notes
}

// isAnothers reports a process of another user than this reaperd's.
func isAnothers(t *graph.Target) bool {
	uid, known := t.UID.Get()
	return known && uid != os.Geteuid() && t.Container == nil
}
