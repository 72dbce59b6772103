package top

import (
	"slices"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/overview"
)

// sayGone tells of a session that has ended: when, where, and what it left.
func (m Model) sayGone(s *sheet, n *overview.Node) {
	what, since, at := "a session that has ended: nobody alive owns what it left", "ended", ", as far as reaperd has seen"
	if n.Name == "" { // nobody saw who left these, and when
		what, since, at = "nobody is known who started these, and nobody alive owns them", "first seen", "; they may have leaked long before"
	}
	s.say("what", what)
	if !n.Owner.Since.IsZero() {
		s.say(since, m.moment(n.Owner.Since)+" ("+human.Span(m.age(n.Owner.Since))+" ago)"+at)
	}
	var folders []string
	for i := range n.Children {
		if folder := m.folderOf(&n.Children[i]); folder != "" && !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	if len(folders) > 0 {
		s.say("folder", human.List(folders)+", by what it left")
	}
	s.gap()
	s.say("left", n.Totals.String()+", "+human.Bytes(n.Memory()))
	m.sayLeft(s, n.Children)
	s.gap()
	m.sayDeeds(s, groupOf(n, n.Children))
}

// sayDeeds tells how to keep and how to stop what a session left, as far as that is not being
// stopped already.
func (m Model) sayDeeds(s *sheet, c choice) {
	left := "all that it left"
	if c.node.Name == "" {
		left = "all that was left"
	}
	all := c.all(left)
	switch {
	case len(c.targets) == 0:
		s.say("keep it", tooLateForAll)
		return
	case c.late > 0:
		s.say("too late", "the end of "+human.Number(c.late)+" of these has begun")
	}
	switch {
	case m.areAllPinned(c):
		s.say("pinned", all+" is pinned"+m.endsPins(c))
		return
	case m.noRoomIn != "":
		s.say("keep it", m.noRoom())
	default:
		s.say("keep it", "p pins "+all+"; on one row, that alone")
	}
	switch {
	case m.allStay(c):
		s.say("stop it", "x stops none of it: "+all+" stays")
	case m.mayStop() && m.mayEnd(c) < len(c.targets):
		s.say("stop it", m.partText(c))
	case m.mayStop():
		s.say("stop it", "x asks to stop "+all+" now")
	default:
		s.say("stop it", m.handText(m.byHand().StopAllCommand(wordsOf(c.node.Children))))
	}
}

// partText tells what x asks to stop of a group of which some stays: "x asks to stop git 1707
// now; fetch 1251 stays".
func (m Model) partText(c choice) string {
	ends, stay := m.part(c)
	text := "x asks to stop " + human.Number(len(ends)) + " of these now; "
	if len(ends) == 1 {
		text = "x asks to stop " + ends[0].Title() + " now; "
	}
	if len(stay) == 1 {
		return text + stay[0].Title() + " stays"
	}
	return text + human.Number(len(stay)) + " stay"
}

// wordsOf returns the words on a command line for the targets among nodes and below them whose
// end has not begun.
func wordsOf(nodes []overview.Node) []string {
	var words []string
	for _, n := range below(nodes) {
		if n.State != overview.StateReaping {
			words = append(words, n.Typed())
		}
	}
	return words
}

// sayLeft names the servers and containers among nodes and below them, with their states.
func (m Model) sayLeft(s *sheet, nodes []overview.Node) {
	for i := range nodes {
		left := &nodes[i]
		if left.Kind == overview.KindProcess {
			continue
		}
		state, tone := m.state(m.rowOf(left))
		s.tell("", left.Title()+": "+state, tone)
		m.sayLeft(s, left.Children)
	}
}

// endsPins tells what p does to the pins of a group, behind a sentence without its full stop.
func (m Model) endsPins(c choice) string {
	switch {
	case m.noRoomIn != "":
		return "; " + m.noRoom()
	case len(c.targets) == 1:
		return "; p ends that pin"
	case len(m.endable(c)) == 0:
		return "; p on one row ends its pin"
	}
	return "; p ends the pins that it began here"
}

// folderOf is the working directory of a node, as scan writes it.
func (m Model) folderOf(n *overview.Node) string {
	return overview.FolderOf(n.Cwd, n.User, m.options.Home)
}
