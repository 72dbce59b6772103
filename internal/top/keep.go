package top

import (
	"github.com/reaperd/reaperd/internal/overview"
)

// sayAwaits says what becomes of an older copy that counts as in use, if it goes on idling.
func (m Model) sayAwaits(s *sheet, n *overview.Node) {
	awaits := n.Next.Awaits
	if awaits.Rule == "" || n.State == overview.StatePinned || m.isPinned(n) { // a pin keeps it then
		return
	}
	s.say("next", awaits.String()+" ("+m.options.Home.Short(awaits.Origin, "")+")")
	if !awaits.Action.Reaps() && m.mayStop() {
		s.say("stop it", "once it has, x asks to (reaperd sweep --duplicates "+n.Typed()+")")
	}
}

// sayKeep says how to keep the node, or what keeps it.
func (m Model) sayKeep(s *sheet, n *overview.Node) {
	place := m.rowOf(n).place
	switch {
	case n.State == overview.StateReaping:
		s.say("keep it", tooLate)
	case m.isPinned(n) && m.noRoomIn != "":
		s.say("pinned", m.pinText(n)+"; "+m.noRoom())
	case m.isPinned(n):
		s.say("pinned", "p ends the pin (reaperd unpin "+n.Typed()+")")
		if n.Kind == overview.KindSession {
			s.say("", "the pin ends with the session, and keeps what it holds only until then; p there keeps it for longer")
		}
	case m.keeper(n) != nil:
		s.say("kept", m.pinText(n))
	case n.State == overview.StatePinned || place.Pinned:
		s.say("pinned", m.pinText(n))
	case place.KeptWith.Target != "" && m.tree.Top(n.Key) != nil:
		session := m.tree.Top(n.Key)
		s.say("kept", session.Title()+" stays, with all that it holds: "+m.pinText(session))
	case n.Protected: // its reason says so
	case n.Target != "" && m.noRoomIn != "":
		s.say("keep it", m.noRoom())
	case n.Target != "" && m.goesWith(n) != nil:
		head, with := m.goesWith(n), ""
		if head.Kind == overview.KindSession { // what else a gateway has is judged by itself
			with = ", with all that it holds"
		}
		s.say("keep it", "p pins it, and then "+head.Title()+" stays too"+with+" (reaperd pin "+n.Typed()+")")
	case n.Target != "":
		s.say("keep it", "p pins it, and reaperd leaves it alone (reaperd pin "+n.Typed()+")")
	}
}

// noRoom tells why p is refused while the disk is full.
func (m Model) noRoom() string {
	return "p is refused: the disk of " + m.noRoomIn + " is full. Make room there first"
}
