package pins

import (
	"fmt"
	"os"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/report"
	"github.com/reaperd/reaperd/internal/state"
)

// LookNotes are remarks about new pins that the look knows in which they were made: what is
// kept with a session, and which daemons of others do not go by them.
func LookNotes(g *graph.Graph, found []state.Pin, others beside.Daemons) []string {
	var notes []string
	for i := range found {
		pin := &found[i]
		if held := report.HeldBy(g, pin.ID); held != "" {
			notes = append(notes, fmt.Sprintf("note: while %s lives, this keeps what it holds too: %s; a pin of its own keeps one for longer", called(pin), held))
		}
	}
	return append(notes, IgnoredNotes(g, found, others)...)
}

// IgnoredNotes tell which daemon of another user looks after what was pinned, and does not go by the
// pin: root's, where it is a third user's; that of its user, where root has pinned it.
func IgnoredNotes(g *graph.Graph, found []state.Pin, others beside.Daemons) []string {
	var notes []string
	for i := range found {
		pin := &found[i]
		uid, known := userOf(g, pin.ID).Get()
		daemon, cares := others.Of(uid)
		if !known || !cares || uid == os.Geteuid() {
			continue
		}
		if t, seen := g.Target(pin.ID); daemon.UID == 0 && seen && t.Container != nil {
			continue // another note tells that
		}
		notes = append(notes, "note: "+daemon.IgnoresPinOfAnother(called(pin), Handle(pin)))
	}
	return notes
}

// userOf returns the user of the target or process with an id; unknown if the look has neither.
func userOf(g *graph.Graph, id string) inventory.Fact[int] {
	if t, seen := g.Target(id); seen {
		return g.UserOf(t)
	}
	for i := range g.Snapshot.Processes {
		if p := &g.Snapshot.Processes[i]; p.ID().String() == id {
			return p.UID
		}
	}
	return inventory.Fact[int]{}
}
