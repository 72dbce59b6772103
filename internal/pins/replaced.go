package pins

import (
	"fmt"
	"slices"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/state"
)

// replacedNotes say which pins the new ones replace, and which end and reason are dropped
// with them. Alike pins are in one note, and so are those that were pinned in the same way already.
func replacedNotes(found, before []state.Pin) []string {
	var notes, same []string
	var changes []change
	handles := map[change][]string{}
	for i := range found {
		at := slices.IndexFunc(before, func(old state.Pin) bool { return old.ID == found[i].ID })
		if at < 0 {
			continue
		}
		was, is := stayOf(&before[at]), stayOf(&found[i])
		if is.Same(was) {
			same = append(same, Handle(&found[i]))
			continue
		}
		text := change{was.String(), is.Unlike(was)}
		if handles[text] == nil {
			changes = append(changes, text)
		}
		handles[text] = append(handles[text], Handle(&found[i]))
	}
	if len(same) > 0 {
		notes = append(notes, fmt.Sprintf("note: %s %s pinned already", human.List(same), human.Verb(len(same), "was", "were")))
	}
	for _, text := range changes {
		of := handles[text]
		notes = append(notes, fmt.Sprintf("note: this replaces the %s of %s %s: now %s %s",
			human.Plural(len(of), "pin"), human.List(of), text.from, human.Verb(len(of), "it has", "they have"), text.to))
	}
	return notes
}

// change is what a pin was, and what the one in its place has not, or has otherwise.
type change struct{ from, to string }

func stayOf(p *state.Pin) state.Stay { return state.Stay{Until: p.Until, Reason: p.Reason} }
