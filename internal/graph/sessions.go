package graph

import (
	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/inventory"
)

// session is one live agent client: its outermost process, and the processes of the
// same client that share its stdio (a launcher and the agent that it starts).
type session struct {
	root    *node
	name    string
	members []*node
}

// findSessions groups the processes that the catalogue knows as sessions.
func (c *correlation) findSessions() {
	for _, n := range c.nodes { // older first: a launcher stands before its agent
		if n.class.Role != catalogue.RoleSession || isConfigured(n) {
			continue
		}
		s := c.launcherOf(n)
		if s == nil {
			s = &session{root: n, name: n.class.Name}
			c.sessions = append(c.sessions, s)
		}
		s.members = append(s.members, n)
		n.session = s
	}
}

func (c *correlation) launcherOf(n *node) *session {
	if n.lineage != lineageLive {
		return nil
	}
	above := n.parent.session
	if above == nil || above.name != n.class.Name || !n.class.Part && !sameStdin(n, n.parent) {
		return nil
	}
	return above
}

// sameStdin is [passesStdin] for clients, which may share a terminal too.
func sameStdin(a, b *node) bool {
	one, known := a.Stdin.Get()
	other, alsoKnown := b.Stdin.Get()
	if !known || !alsoKnown {
		return false
	}
	if one.Kind == inventory.KindTTY && other.Kind == inventory.KindTTY {
		return one.ID == other.ID && a.TTY == b.TTY
	}
	return passesStdin(a, b)
}

// reportSessions makes the graph's sessions.
func (c *correlation) reportSessions() []Session {
	sessions := make([]Session, len(c.sessions))
	for i, s := range c.sessions {
		sessions[i] = Session{Process: s.root.Process, Name: s.name, Liveness: LivenessLive, Members: s.root.target.Members, Target: s.root.target}
	}
	return sessions
}
