package history

import (
	"slices"

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

// holdToo adds the acts on what went with a gateway that a session had: the gateway was its owner.
func (f *Fate) holdToo(along []journal.Entry) {
	for _, entry := range along {
		_, head := journal.Named(entry.With)
		if slices.ContainsFunc(f.Held, func(held journal.Entry) bool { return held.TargetID == head }) {
			f.Held = append(f.Held, entry)
		}
	}
	slices.SortStableFunc(f.Held, func(a, b journal.Entry) int { return a.Time.Compare(b.Time) })
}

// Acted are the ids of what reaperd has acted on, or has begun to, each with the id of its session:
// "" if it is none's.
func (f *Fate) Acted() map[string]string {
	acted := map[string]string{}
	for _, entry := range slices.Concat(f.Entries, f.begun, f.Held) {
		acted[entry.TargetID] = ownerOf(&entry).ID
	}
	return acted
}

// mostHeld is how many acts on what sessions had are listed, the last ones.
const mostHeld = 10

// toldOfHeld explains sessions which are gone, each by the acts of reaperd on its servers and
// containers.
func (f *Fate) toldOfHeld() (told []paragraph) {
	acts := f.Held
	if more := len(acts) - mostHeld; more > 0 {
		acts = acts[more:]
		told = append(told, paragraph{"", human.Number(more) + " more before these: reaperd history"})
	}
	var owners []string
	byOwner := map[string][]paragraph{}
	for _, act := range acts {
		if byOwner[act.Owner] == nil {
			owners = append(owners, act.Owner)
		}
		byOwner[act.Owner] = append(byOwner[act.Owner], inBrief(act, ""))
	}
	for _, owner := range owners {
		name := human.Safe(journal.Called(owner))
		head := name + " is not running here. What reaperd did to what it had:"
		if f.Ended != "" || len(f.Entries) > 0 { // which tell its end
			head = "What reaperd did to what " + name + " had:"
		}
		told = append(append(told, paragraph{"", head}), byOwner[owner]...)
	}
	return told
}
