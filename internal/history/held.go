package history

import (
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/word"
)

// ownerOf returns the owner that an entry names, for comparison with what a person
// typed. If the entry names none, the result is empty and matches nothing.
func ownerOf(entry *journal.Entry) word.Thing {
	name, id := journal.Named(entry.Owner)
	return word.Thing{Name: name, ID: id}
}

// HeldIDs are the ids of what a session had and reaperd has acted on.
func (f *Fate) HeldIDs() []string {
	var ids []string
	for i := range f.Held {
		ids = append(ids, f.Held[i].TargetID)
	}
	return ids
}

// mostHeld is how many acts on what a session had are listed.
const mostHeld = 10

// heldLines returns the lines that explain a session which is gone: one for each act of
// reaperd on a server or container of that session.
func (f *Fate) heldLines() []string {
	lines := []string{human.Safe(journal.Called(f.Held[0].Owner)) + " is not running here. What reaperd did to what it had:"}
	if f.Ended {
		lines = []string{"What reaperd did to what it had:"}
	}
	for i := range f.Held {
		if i == mostHeld {
			return append(lines, "  and "+human.Number(len(f.Held)-i)+" more: reaperd history")
		}
		a := Act{Entry: f.Held[i]}
		lines = append(lines, "  "+human.Moment(a.At().Local())+"  "+human.Safe(Style{}.what(&a))+": "+human.Safe(a.Result)+" (rule "+human.Safe(a.Rule)+")")
	}
	return lines
}
