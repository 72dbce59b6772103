package top

import (
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/overview"
)

// mostNamed is how many nodes one line of the details names.
const mostNamed = 6

// sayAlong names what goes with a node, and of what a session has that stays what is about to go.
func (m Model) sayAlong(s *sheet, n *overview.Node) {
	var along, lost []*overview.Node
	m.tree.Walk(func(other *overview.Node, _ int) bool {
		switch {
		case !other.State.IsGoing():
		case other.Next.With == n.Key:
			along = append(along, other)
		case other.Next.With == "" && other != n && m.tree.Top(other.Key) == n:
			lost = append(lost, other)
		}
		return true
	})
	s.say("with it", named(along, (*overview.Node).Title))
	if n.Kind == overview.KindSession && !n.State.IsGoing() {
		s.tell("of it", named(lost, func(other *overview.Node) string {
			state, _ := m.state(m.rowOf(other))
			return other.Title() + " " + state
		}), overview.ToneWaits)
	}
}

// named lists nodes by their names, and counts those for which there is no room.
func named(nodes []*overview.Node, name func(*overview.Node) string) string {
	var names []string
	for _, n := range nodes[:min(len(nodes), mostNamed)] {
		names = append(names, name(n))
	}
	if more := len(nodes) - mostNamed; more > 0 {
		names = append(names, human.Number(more)+" more")
	}
	return human.List(names)
}
