package history

import (
	"strings"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/word"
)

// ownerOf is the owner of what an entry is about. No word means one that is not known.
func ownerOf(entry *journal.Entry) word.Thing {
	space := strings.LastIndexByte(entry.Owner, ' ')
	if space < 0 {
		return word.Thing{Name: entry.Owner}
	}
	return word.Thing{Name: entry.Owner[:space], ID: entry.Owner[space+1:]}
}

// mostHeld is how many acts on what a session had are listed.
const mostHeld = 10

// heldLines tell what became of what a session had.
func (f *Fate) heldLines() []string {
	lines := []string{human.Safe(journal.Called(f.Held[0].Owner)) + " is not running here. What reaperd did to what it had:"}
	for i := range f.Held {
		if i == mostHeld {
			return append(lines, "  and "+human.Number(len(f.Held)-i)+" more: reaperd history")
		}
		a := Act{Entry: f.Held[i]}
		lines = append(lines, "  "+human.Moment(a.At().Local())+"  "+human.Safe(what(&a))+": "+human.Safe(a.Result)+" (rule "+human.Safe(a.Rule)+")")
	}
	return lines
}
