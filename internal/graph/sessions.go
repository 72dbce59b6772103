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
		switch {
		case s != nil:
			s.members = append(s.members, n)
			n.session = s
		case !n.class.Helper:
			c.newSession(n)
		}
	}
}

func (c *correlation) newSession(n *node) {
	n.session = &session{root: n, name: n.class.Name, members: []*node{n}}
	c.sessions = append(c.sessions, n.session)
}

// promoteHelpers makes sessions of the helpers that have servers themselves.
func (c *correlation) promoteHelpers() {
	for _, t := range c.trees {
		var by []*node
		if t.root.lineage == lineageLive {
			by = append(by, t.root.parent)
		}
		for _, pid := range t.root.Stdin.Or(inventory.Stdio{}).Holders {
			by = append(by, c.byPID[pid])
		}
		for _, n := range by {
			if n != nil && n.class.Helper && n.session == nil && n.Alive() {
				c.newSession(n)
			}
		}
	}
}

// shareDaemons gives the servers of a client's daemon to the session that they work for: the
// one session of that client and user in the server's folder, while somebody is connected to
// the daemon.
func (c *correlation) shareDaemons() {
	for _, target := range c.targets {
		daemon := c.byPID[target.Owner.ID.PID]
		if target.Owner.Kind != OwnerSession || daemon == nil || !daemon.class.Daemon || daemon.Connections.Or(0) == 0 || target.Root == nil {
			continue
		}
		var users []*session
		for _, s := range c.sessions {
			if s.root != daemon && s.name == daemon.class.Name && isSameFact(s.root.UID, daemon.UID) && s.root.Cwd == target.Root.Cwd {
				users = append(users, s)
			}
		}
		if len(users) == 1 {
			target.Owner = Owner{Name: users[0].name, Kind: OwnerSession, ID: users[0].root.ID(), Liveness: LivenessLive}
		}
	}
}

func (c *correlation) launcherOf(n *node) *session {
	if n.lineage != lineageLive {
		return nil
	}
	above := n.parent.session
	switch {
	case above == nil:
		return nil
	case n.parent.class.Adapts == n.class.Name:
		return above
	case above.name != n.class.Name || !n.class.Part && !n.class.Helper && !sameStdin(n, n.parent):
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
	owned := map[inventory.ID][]*Target{}
	for _, t := range c.targets {
		if t.Owner.Liveness == LivenessLive && !t.Incidental {
			owned[t.Owner.ID] = append(owned[t.Owner.ID], t)
		}
	}
	for i, s := range c.sessions {
		sessions[i] = Session{Process: s.root.Process, Name: s.name, Liveness: LivenessLive, Members: s.root.target.Members, Target: s.root.target}
		if c.options.IdleOver > 0 {
			c.measure(&sessions[i], owned)
		}
	}
	return sessions
}
