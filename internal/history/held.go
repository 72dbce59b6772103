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

// toldOfHeld explains a session which is gone, by each act of reaperd on a server or
// container of that session.
func (f *Fate) toldOfHeld() []paragraph {
	told := []paragraph{{"", human.Safe(journal.Called(f.Held[0].Owner)) + " is not running here. What reaperd did to what it had:"}}
	if f.Ended != "" {
		told = []paragraph{{"", "What reaperd did to what it had:"}}
	}
	for i := range f.Held {
		if i == mostHeld {
			return append(told, paragraph{"  ", "and " + human.Number(len(f.Held)-i) + " more: reaperd history"})
		}
		told = append(told, inBrief(f.Held[i], ""))
	}
	return told
}
