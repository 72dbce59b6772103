package top

import (
	"cmp"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/human"
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
		s.tell("", m.unheeded[n.Target], overview.ToneWaits)
		if n.Kind == overview.KindSession {
			s.say("", "the pin ends with the session, and keeps what it holds only until then; p there keeps it for longer")
		}
	case m.keeper(n) != nil && m.unheededPin(n) != "":
		s.tell("pinned", "with "+m.keeper(n).Title()+", but "+m.unheededPin(n), overview.ToneWaits)
	case m.keeper(n) != nil:
		s.say("kept", m.pinText(n))
	case n.State == overview.StatePinned || place.Pinned:
		s.say("pinned", m.pinText(n))
	case place.KeptWith.Target != "" && m.tree.Top(n.Key) != nil:
		session := m.tree.Top(n.Key)
		s.say("kept", session.Title()+" stays, with all that it holds: "+m.pinText(session))
	case n.Protected && m.upTo() == "": // its reason says so
	case n.Target != "" && m.noRoomIn != "":
		s.say("keep it", m.noRoom())
	case m.ignoresPinOf(n) != "":
		s.say("keep it", m.ignoresPinOf(n))
		if gateway := m.tree.GatewayOf(n, m.reader); gateway != nil {
			s.say("", "p on "+gateway.Title()+" keeps it from both (reaperd pin "+gateway.Typed()+")")
		}
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

// unheededPin tells of the pin of a node, or of what it is kept with, that the daemon which decides does not go by it;
// empty if it does, or if there is no such pin.
func (m Model) unheededPin(n *overview.Node) string {
	if m.upTo() == "" {
		return ""
	}
	return m.unheeded[cmp.Or(n.KeptWith.Target, n.Target)]
}

// ignoresPinOf tells that the daemon which decides does not go by a pin of the reader's of a node, and how to pin it
// there; empty if it does, or if there is no such daemon.
func (m Model) ignoresPinOf(n *overview.Node) string {
	if !m.isIgnored(n) {
		return ""
	}
	daemon := m.decidingDaemon()
	return daemon.IsKeptFrom("p") + ": " + daemon.Command("reaperd pin "+human.Shell(n.Typed()))
}

// ignoresPinsOf is ignoresPinOf for those of a group whose pins are ignored.
func (m Model) ignoresPinsOf(c choice) string {
	var titles, words []string
	for _, target := range c.targets {
		if n := m.tree.OfTarget(target); m.isIgnored(n) {
			titles, words = append(titles, n.Title()), append(words, n.Typed())
		}
	}
	if len(words) == 0 {
		return ""
	}
	daemon := m.decidingDaemon()
	return daemon.Whose() + " does not go by your pins of " + human.List(titles) + ": " + daemon.Command("reaperd pin "+human.Shell(words...))
}

// isIgnored reports a node of which the daemon that decides ignores a pin of the reader's.
func (m Model) isIgnored(n *overview.Node) bool {
	return m.upTo() != "" && n.Target != "" && n.IsKeptByNoPinOf(m.reader)
}

// decidingDaemon is the daemon that upTo names.
func (m Model) decidingDaemon() beside.Daemon {
	if m.roots != "" {
		return beside.Daemon{User: "root"}
	}
	return m.neighbours[0]
}
