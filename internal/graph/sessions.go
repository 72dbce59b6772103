package graph

import (
	"fmt"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/human"
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
		if n.class.Role != inventory.RoleSession || isConfigured(n) {
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
		for _, n := range append(by, c.holders(t.root.Stdin)...) {
			if n.class.Helper && n.session == nil && n.Alive() {
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

// sessionAbove is the nearest session above a process; nil if there is none. Each process is asked once, so that a
// long chain costs its length.
func sessionAbove(n *node) *session {
	if !n.placed && n.lineage == lineageLive {
		n.placed = true
		if n.below = n.parent.session; n.below == nil {
			n.below = sessionAbove(n.parent)
		}
	}
	return n.below
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

// judgeSessions makes a target of each session and gives it a finding: orphaned for a
// headless client whose own client is gone, zombies for one that hoards them. It also
// reports unknown programs that look like leaked clients.
func (c *correlation) judgeSessions() {
	left := map[*node]bool{} // the processes of orphaned sessions
	for _, s := range c.sessions {
		target := c.sessionTarget(s)
		switch evidence := c.isAbandoned(s, left); {
		case len(evidence) > 0:
			target.Finding, target.Owner, target.Evidence = FindingOrphaned, Owner{Liveness: LivenessGone}, evidence
			if s.root.lineage == lineageLive {
				target.veto(GuardUnproven, "%s, which speaks to it, lives, and may have it work on", c.nameOf(s.root.parent, s.root.parent.PID))
			}
			for _, member := range s.members {
				left[member] = true
			}
		case target.Zombies >= c.options.ZombiesOver:
			target.Finding = FindingZombies
		default:
			target.Incidental = true
		}
		c.targets = append(c.targets, target)
	}
	for _, n := range c.unknownClients() {
		c.reportUnknown(n)
	}
	for _, n := range c.nodes {
		if n.class.Helper && !n.class.Daemon && n.session == nil && n.lineage != lineageLive && n.lineage != lineageUnknown && n.Service == "" && c.sessionAt(n) == nil {
			c.reportHelper(n)
		}
	}
}

// reportHelper reports a helper of a client that has lost the client and has no session below it.
func (c *correlation) reportHelper(n *node) {
	target := c.reportLeft(n, n.class.Name, Evidence{Check: CheckAncestor, Says: SaysOrphaned, Text: "it helps the sessions of " + n.class.Name + ", and neither its client nor a session of its is there"})
	target.Owner.Liveness = LivenessGone
}

// reportLeft makes a target of a process that is no session and seems to be left over.
func (c *correlation) reportLeft(n *node, name string, evidence ...Evidence) *Target {
	target := c.sessionTarget(&session{root: n, name: name, members: []*node{n}})
	target.Finding, target.Evidence = FindingOrphaned, evidence
	c.targets = append(c.targets, target)
	return target
}

// isQuiet reports a session without a finding.
func isQuiet(t *Target) bool { return t.Kind == KindSession && t.Incidental }

// isAbandoned returns the evidence that a headless session is orphaned: it is used
// over its stdio, both ends are closed, and nobody is connected to it. It returns nil
// if that does not hold. left are the processes of orphaned sessions: a session that
// one of them started (an editor's adapter) is orphaned with it.
func (c *correlation) isAbandoned(s *session, left map[*node]bool) []Evidence {
	root := s.root
	headless := slices.ContainsFunc(s.members, func(n *node) bool { return n.class.Headless || n.memory.adapted })
	if !headless || root.lineage == lineageUnknown || root.lineage == lineageLive && !left[root.parent] || root.Service != "" || isListenerInUse(s.members) {
		return nil
	}
	own := func(pid int) bool {
		n := c.byPID[pid]
		return n != nil && (left[n] || slices.Contains(s.members, n))
	}
	stdin, stdout := c.endOf(own, root.Stdin), c.endOf(own, root.Stdout)
	if stdin.state != endGone || stdout.state != endGone && stdout.state != endUnrecorded {
		return nil
	}
	evidence := []Evidence{{Check: CheckStdin, Says: SaysOrphaned, Proof: true, Text: "it is spoken to over its stdin, and nobody holds the other end"}}
	if root.lineage == lineageLive {
		evidence[0].Text = "it is spoken to over its stdin, and only what is left over itself holds the other end"
		evidence = append(evidence, evidenceOf(CheckAncestor, SaysOrphaned, human.Say("below %s, which nobody speaks to any more", c.nameOf(root.parent, root.parent.PID))))
	}
	return evidence
}

// isListenerInUse reports that somebody is connected to a member, or that this cannot
// be told.
func isListenerInUse(members []*node) bool {
	return slices.ContainsFunc(members, func(n *node) bool { return n.Connections.Or(0) > 0 || n.Listening.IsUnreadable() })
}

// unknownClients are programs that the catalogue does not know, that own servers and
// that seem leaked: their parent is a boundary, nobody but their servers holds the other
// ends of their stdio, and they do not listen. They may still be at work (an agent
// without a terminal whose launcher has exited), so they are only reported, and their
// servers are kept.
//
// A shell that speaks to a server has the server's pipe as its own stdin or stdout for
// that moment: `read answer <&"$from_server"`.
func (c *correlation) unknownClients() []*node {
	var found []*node
	for _, t := range c.trees {
		owner := c.byPID[t.owner.ID.PID]
		if t.owner.Kind != OwnerProcess || t.owner.Liveness != LivenessLive || owner == nil || owner.tree != nil || slices.Contains(found, owner) {
			continue
		}
		if c.isBoundary(owner) || owner.lineage != lineageBoundary && owner.lineage != lineageAdopted || owner.Service != "" || owner.Listening.Or(owner.Listening.IsUnreadable()) {
			continue
		}
		own := func(pid int) bool {
			n := c.byPID[pid]
			return n == owner || n != nil && n.tree != nil && n.tree.root.parent == owner // a server that it has started
		}
		if c.endOf(own, owner.Stdin).state == endGone && c.endOf(own, owner.Stdout).state == endGone {
			found = append(found, owner)
		}
	}
	return found
}

func (c *correlation) reportUnknown(n *node) {
	name := c.catalogue.Program(n.Process)
	target := c.reportLeft(n, name,
		Evidence{Check: CheckStdin, Says: SaysOrphaned, Text: "nobody but its own servers holds the other end of its stdin"},
		Evidence{Check: CheckStdout, Says: SaysOrphaned, Text: "nobody but its own servers reads its stdout"},
		Evidence{Check: CheckAncestor, Text: "no known client: it may be an agent at work, so it and its servers are kept; " + teach(n.Process, name)})
	target.How = "it is the client of an MCP server"
	target.veto(GuardUnproven, "it is no known client and may be at work")
}

// teach is the line of policies.yaml that declares a program to be a session.
func teach(p *inventory.Process, name string) string {
	key, glob := cmdline.MatchOf(strings.TrimSuffix(p.Exe, " (deleted)"), p.Args())
	return fmt.Sprintf("in policies.yaml, sessions: [{name: %q, match: {%s: [%q]}}] makes it one", name, key, glob)
}

func (c *correlation) sessionTarget(s *session) *Target {
	target := &Target{
		ID: s.root.ID().String(), Kind: KindSession, Name: s.name, How: s.root.class.Why, Root: s.root.Process,
		Age:  s.root.Age(c.snapshot.TakenAt),
		User: s.root.User, UID: s.root.UID,
	}
	target.take(s.members)
	c.countZombiesOf(target)
	return target
}
