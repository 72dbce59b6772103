package graph

import (
	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/usage"
)

// session is one live agent client: its outermost process and those of the same
// client that share its stdio (a launcher and the agent it starts are one).
type session struct {
	root    *node
	name    string
	members []*node
	servers int
}

// findSessions groups the processes that the catalogue takes for sessions.
func (c *correlation) findSessions() {
	for _, n := range c.nodes { // older first: a launcher stands before its agent
		if n.class.Role != catalogue.RoleSession || n.Configured != "" {
			continue
		}
		s := c.launcherOf(n)
		if s == nil {
			s = &session{root: n, name: n.class.Name}
			c.sessions = append(c.sessions, s)
		}
		s.members = append(s.members, n)
		c.sessionOf[n] = s
	}
}

func (c *correlation) launcherOf(n *node) *session {
	if n.lineage != lineageLive {
		return nil
	}
	above := c.sessionOf[n.parent]
	if above == nil || above.name != n.class.Name || !n.class.Part && !sameStdin(n, n.parent) {
		return nil
	}
	return above
}

// sameStdin is passesStdin for clients, which may share a terminal too.
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

// reportSessions counts what each session owns.
func (c *correlation) reportSessions() []Session {
	byRoot := map[inventory.ID]*session{}
	memory := map[inventory.ID]uint64{}
	for _, s := range c.sessions {
		byRoot[s.root.ID()] = s
		for _, member := range s.members {
			memory[s.root.ID()] += usage.Memory(member.Process)
		}
	}
	for _, target := range c.targets {
		owner := c.sessionOwning(target)
		if s := byRoot[owner]; s != nil && target.Kind != KindSession {
			memory[owner] += target.MemoryBytes
			if target.Kind != KindContainer {
				s.servers++
			}
		}
	}
	var sessions []Session
	for _, s := range c.sessions {
		reported := Session{Process: s.root.Process, Name: s.name, Liveness: LivenessLive, Servers: s.servers, MemoryBytes: memory[s.root.ID()], Target: s.root.target}
		for _, member := range s.members {
			reported.Members = append(reported.Members, member.Process)
		}
		sessions = append(sessions, reported)
	}
	return sessions
}

// sessionOwning is the session at the end of a target's chain of owners.
func (c *correlation) sessionOwning(target *Target) inventory.ID {
	owner := target.Owner
	for range 8 { // gateways below gateways: no real chain is longer
		if owner.Kind != OwnerGateway {
			break
		}
		gateway := c.byPID[owner.ID.PID]
		if gateway == nil || gateway.target == nil {
			break
		}
		owner = gateway.target.Owner
	}
	return owner.ID
}
