package top

import (
	"slices"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

const filterLead = "filter: "

// foot shows the last note, else the keys.
func (m Model) foot() []Line {
	switch {
	case m.mode == typing:
		return []Line{plain(filterLead + m.filter)}
	case m.answers():
		return m.beside(m.answer(), m.hints)
	}
	return []Line{plain(m.hints(m.width))}
}

// beside adds the keys behind an answer of one line, as far as there is room. While something is done most
// keys mean nothing.
func (m Model) beside(answer []Line, keys func(width int) string) []Line {
	const gap = "    "
	if m.busy != "" || len(answer) != 1 {
		return answer
	}
	room := m.width - human.Width(m.safe(answer[0].String())) - len(gap)
	if text := keys(room); human.Width(text) <= room {
		answer[0] = append(answer[0], Span{Text: gap + text})
	}
	return answer
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

// hints lists as many keys as a width has room for.
func (m Model) hints(width int) string {
	text := "? help"
	if below := len(m.rows) - m.first - m.roomAbove(1); below > 0 {
		text = m.either("↓ ", "down: ") + human.Count(below, "more row") + "  " + text
	}
	hints := slices.Concat([]string{"q quit"}, m.enters(), m.deeds(), []string{"/ filter"}, m.nexts(), []string{"e events", "s sort", "space fold"})
	for _, hint := range hints {
		if human.Width(text)+2+len(hint) > width {
			break
		}
		text += "  " + hint
	}
	return text
}

// enters is the hint at Enter. A heading has no details.
func (m Model) enters() []string {
	switch r, found := m.row(); {
	case !found || r.node != nil:
		return []string{"enter details"}
	case r.open == folded:
		return []string{"enter unfold"}
	}
	return []string{"enter fold"}
}

// nexts is the hint at n, if there is anything that it goes to.
func (m Model) nexts() []string {
	found := m.tree.Totals.Going()+m.tree.Totals.Reported > 0
	m.tree.Walk(func(n *overview.Node, _ int) bool {
		found = found || m.isMatter(row{node: n})
		return !found
	})
	if !found {
		return nil
	}
	return []string{"n next"}
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
	if may := m.mayEnd(c); m.mayStop() && may > 0 && !m.mustWait(c) {
		if may < len(c.targets) {
			which = " " + human.Number(may)
		}
		deeds = append(deeds, "x stop"+which)
	}
	return deeds
}

// mustWait reports a thing of a live owner that waits for its time: x looks for too short a time to prove that.
func (m Model) mustWait(c choice) bool {
	if c.isGroup() {
		return false
	}
	n := c.node
	if head := m.goesWith(n); head != nil {
		n = head
	}
	return m.looksTooShort(n)
}

// looksTooShort is mustWait of a thing that goes by itself.
func (m Model) looksTooShort(n *overview.Node) bool {
	if m.from != Daemon {
		return false
	}
	isLive := n.State == overview.StatePending && n.Owner.Liveness == graph.LivenessLive
	return isLive && m.switchesOf(n) == policy.Switches{} && n.Next.DueAt.Sub(m.now) > m.options.Settle
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
