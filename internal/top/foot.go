package top

import (
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/overview"
)

const filterLead = "filter: "

// foot shows the last note, else the keys.
func (m Model) foot() Line {
	switch {
	case m.mode == typing:
		return plain(filterLead + m.filter)
	case m.note.text != "":
		return toned(m.note.tone, m.note.text)
	case m.busy != "":
		return toned(overview.ToneWaits, m.progress())
	}
	return plain(m.hints())
}

// hints lists as many keys as there is room for.
func (m Model) hints() string {
	text := "? help"
	for _, hint := range []string{"q quit", "enter details", "p keep", "x stop", "/ filter", "s sort", "space fold", "n next leak", "e events"} {
		if human.Width(text)+2+len(hint) > m.width {
			break
		}
		text += "  " + hint
	}
	return text
}
