package top

import (
	"slices"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/overview"
)

const filterLead = "filter: "

// foot shows the last note, else the keys.
func (m Model) foot() []Line {
	switch {
	case m.mode == typing:
		return []Line{plain(filterLead + m.filter)}
	case m.answers():
		return m.answer()
	}
	return []Line{plain(m.hints())}
}

// answers reports whether the foot answers a key: with a note, or with what is being done.
func (m Model) answers() bool { return m.note != (note{}) || m.busy != "" }

// answer is what the foot answers. It takes more than one line where that leaves most of the
// screen to what is above.
func (m Model) answer() []Line {
	line := toned(m.note.tone, m.note.text)
	if m.note.text == "" {
		line = toned(overview.ToneWaits, m.progress())
	}
	if lines := m.wrapped(line); len(lines) <= m.height/4 {
		return lines
	}
	return []Line{line}
}

// hints lists as many keys as there is room for.
func (m Model) hints() string {
	text := "? help"
	if below := len(m.rows) - m.first - m.roomAbove(1); below > 0 {
		text = m.either("↓ ", "down: ") + human.Count(below, "more row") + "  " + text
	}
	hints := slices.Concat([]string{"q quit"}, m.enters(), m.deeds(), []string{"/ filter", "s sort", "space fold", "n next leak", "e events"})
	for _, hint := range hints {
		if human.Width(text)+2+len(hint) > m.width {
			break
		}
		text += "  " + hint
	}
	return text
}

// enters is the hint at Enter. A heading has no details.
func (m Model) enters() []string {
	if r, found := m.row(); found && r.node == nil {
		return nil
	}
	return []string{"enter details"}
}

// deeds lists the keys that act on the choice. Headings but LEAKED, and processes, have
// none. It leaves out p and x while they are refused, or change nothing.
func (m Model) deeds() []string {
	c := m.chosen()
	which := ""
	switch {
	case len(c.targets) == 0:
		return nil
	case c.isGroup() && m.areAllPinned(c):
		return m.unpinAll(c)
	case c.part:
		which = " shown"
	case c.isGroup():
		which = " " + c.all("all")
	}
	var deeds []string
	switch {
	case m.noRoomIn != "":
	case m.isPinned(c.node):
		deeds = append(deeds, "p unpin"+which)
	default:
		deeds = append(deeds, "p pin"+which)
	}
	if may := m.mayEnd(c); m.mayStop() && may > 0 {
		if may < len(c.targets) {
			which = " " + human.Number(may)
		}
		deeds = append(deeds, "x stop"+which)
	}
	return deeds
}

// unpinAll is the key that ends the pins of a group: those that p has begun; nil if p has begun
// none.
func (m Model) unpinAll(c choice) []string {
	switch n := len(m.endable(c)); {
	case n == 0 || m.noRoomIn != "":
		return nil
	case n == len(c.targets):
		if c.part {
			return []string{"p unpin shown"}
		}
		return []string{"p unpin all"}
	default:
		return []string{"p unpin the " + human.Number(n) + " pinned here"}
	}
}
