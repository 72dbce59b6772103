package graph

import (
	"slices"

	"github.com/reaperd/reaperd/internal/inventory"
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
		if n.class.Role != RoleSession || n.Configured != "" {
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
	if above == nil || above.name != n.class.Name || !sameStdin(n, n.parent) {
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
			memory[s.root.ID()] += memoryOf(member.Process)
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
		reported := Session{Process: s.root.Process, Name: s.name, Liveness: LivenessLive, Servers: s.servers, MemoryBytes: memory[s.root.ID()]}
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
		i := slices.IndexFunc(c.targets, func(t *Target) bool { return t.ID == owner.ID.String() })
		if i < 0 {
			break
		}
		owner = c.targets[i].Owner
	}
	return owner.ID
}

// judgeSessions makes targets of sessions that have a finding: a headless
// client whose own stdio lost its other ends, and one that hoards zombies.
func (c *correlation) judgeSessions() {
	for _, s := range c.sessions {
		target := c.sessionTarget(s)
		switch {
		case c.isAbandoned(s):
			target.Finding = FindingOrphaned
			target.Owner = Owner{Liveness: LivenessGone}
			target.Evidence = append(target.Evidence, Evidence{Check: CheckStdin, Says: SaysOrphaned, Proof: true,
				Text: "it is spoken to over its stdin, and nobody holds the other end"})
		case target.Zombies >= c.options.ZombiesOver:
			target.Finding = FindingZombies
		default:
			continue
		}
		c.targets = append(c.targets, target)
	}
}

// isAbandoned: the client is spoken to over its own stdio and nobody is at the
// other end, nor connected to what it listens on.
func (c *correlation) isAbandoned(s *session) bool {
	root := s.root
	headless := slices.ContainsFunc(s.members, func(n *node) bool { return n.class.Headless })
	if !headless || root.lineage == lineageLive || root.lineage == lineageUnknown || root.Service != "" {
		return false
	}
	stdin := c.endOf(root.unit, root.Stdin)
	stdout := c.endOf(root.unit, root.Stdout)
	used := slices.ContainsFunc(s.members, func(n *node) bool { return n.Clients.Or(0) > 0 || n.Listening.IsUnreadable() })
	return stdin.state == endGone && (stdout.state == endGone || stdout.state == endUnrecorded) && !used
}

func (c *correlation) sessionTarget(s *session) *Target {
	target := &Target{
		ID: s.root.ID().String(), Kind: KindSession, Name: s.name, How: s.root.class.Why, Root: s.root.Process,
		Finding: FindingNone, Owner: Owner{Liveness: LivenessUnknown}, Age: c.ageOf(s.root.Process),
		User: s.root.User, UID: s.root.UID,
	}
	for _, member := range s.members {
		target.Members = append(target.Members, member.Process)
		target.MemoryBytes += memoryOf(member.Process)
	}
	c.countZombiesOf(target, s.members)
	return target
}
