package graph

import (
	"cmp"
	"slices"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
)

// guard gives targets their vetoes: reasons to keep a target whatever the policy
// says.
func (c *correlation) guard() {
	c.findSpokenTo()
	for _, target := range c.targets {
		if !c.readable {
			target.veto(GuardIncomplete, "the process table could not be read")
		}
		if target.Container != nil {
			c.guardContainer(target)
		} else {
			c.guardTree(target)
		}
		c.guardRestarts(target)
		if c.options.Pinned != nil {
			if pin, pinned := c.options.Pinned(target); pinned {
				target.keepPinned(pin)
			}
		}
	}
	c.spreadPins()
}

func (t *Target) veto(guard Guard, format string, args ...any) {
	t.vetoBecause(guard, human.Say(format, args...))
}

// vetoBecause is a veto for a reason; none where there is no reason.
func (t *Target) vetoBecause(guard Guard, why human.Sentence) {
	if !why.IsZero() {
		t.Vetoes = append(t.Vetoes, VetoOf(guard, why))
	}
}

func (c *correlation) guardTree(target *Target) {
	for _, member := range target.nodes {
		c.guardProcess(target, member)
	}
	if target.Kind != KindSession {
		if below := c.sessionBelow(target); below != nil {
			target.veto(GuardSession, "%s lives below it", c.nameOf(below, below.PID))
		}
	}
	if target.Kind == KindGateway && (c.docker.Failed || c.past.engineFailed) && c.asksEngine(target) {
		target.veto(GuardEngine, "the container engine did not answer, now or in the look before, and the containers of this gateway cannot be seen")
	}
	t := target.nodes[0].tree
	if t != nil && t.pinned != "" {
		target.keepMarked(t.pinned)
	}
	if pid := c.missingFrom(t); pid != 0 {
		target.veto(GuardIncomplete, "process %d of it was not seen: processes are missing from the table", pid)
	}
	if used := c.usedBelow(t); used != nil {
		target.veto(GuardUnproven, "%s %d below it may be in use", used.target.Name, used.root.PID)
	}
	switch {
	case target.InUse:
		target.veto(GuardInUse, "it listens and is in use")
	case slices.ContainsFunc(target.Members, hidesConnections):
		target.veto(GuardUnproven, "it listens, and who is connected to it could not be read")
	case !slices.ContainsFunc(target.Members, showsEnvironment):
		target.veto(GuardUnproven, "the system keeps its environment back, so whether REAPERD_KEEP is set cannot be told")
	}
}

// asksEngine reports a target of which a process, or one below it, is a container CLI's.
func (c *correlation) asksEngine(target *Target) bool {
	if slices.ContainsFunc(target.nodes, func(n *node) bool { return n.docker != nil }) {
		return true
	}
	isIts := func(n *node) bool { return n.target == target }
	return slices.ContainsFunc(c.runners, func(r *runner) bool { return ancestor(r.node, isIts) != nil })
}

// showsEnvironment reports a process whose environment the system shows. Children
// inherit the environment, so one such member is enough for a tree.
func showsEnvironment(p *inventory.Process) bool { return !p.EnvWithheld }

func (c *correlation) guardProcess(target *Target, n *node) {
	if c.mayBeRunner(n) {
		target.veto(GuardEngine, "the arguments of process %d could not be read, and it may run a container", n.PID)
	}
	switch {
	case n.PID <= 2:
		target.veto(GuardSystem, "process %d is the system's", n.PID)
	case n.first:
		target.veto(GuardFirst, "process %d is the first of its container", n.PID)
	case c.isObserver(n):
		target.veto(GuardSelf, "reaperd itself runs in or below process %d", n.PID)
	case n.Service != "":
		target.veto(GuardService, "process %d is the main process of %s", n.PID, n.Service)
	}
	own, known := c.snapshot.Host.UID.Get()
	switch {
	case !known && c.severalUsers:
		target.veto(GuardForeign, "process %d may be another user's: whose the table is was not recorded", n.PID)
	case known && own != 0:
		if uid, seen := n.UID.Get(); seen && uid != own {
			target.veto(GuardForeign, "process %d is another user's", n.PID)
		}
	}
}

// keep says that the environment of a member, or of a member that has ended since,
// asks to keep the tree; "" if none does.
func (t *tree) keep() string {
	for _, member := range t.members {
		if why := cmp.Or(member.Keep(), member.memory.pinned); why != "" {
			return why
		}
	}
	return ""
}

// isObserver reports reaperd's own process and its ancestors.
func (c *correlation) isObserver(n *node) bool {
	for self := c.byPID[c.snapshot.Host.SelfPID]; self != nil; self = self.parent {
		if self == n {
			return true
		}
	}
	return false
}

// sessionBelow finds a live session below a tree, or one whose stdio the tree holds;
// nil if there is none. A member younger than the session does not count as such a
// holder: it only inherited the end.
func (c *correlation) sessionBelow(target *Target) *node {
	if target.speaksTo != nil {
		return target.speaksTo
	}
	for _, n := range target.nodes {
		for _, child := range n.children {
			if child.tree == n.tree || child.lineage != lineageLive {
				continue
			}
			if found := c.sessionAt(child); found != nil {
				return found
			}
		}
	}
	return nil
}

// findSpokenTo notes of each target the session of whose stdin or stdout it holds an end.
func (c *correlation) findSpokenTo() {
	for _, s := range c.sessions {
		for _, stream := range s.root.stdio() {
			for _, holder := range c.holders(stream) {
				if t := holder.target; t != nil && t.speaksTo == nil && holder.Start <= s.root.Start {
					t.speaksTo = s.root
				}
			}
		}
	}
}

// missingFrom finds a process that was part of a tree, a server below it or a session
// below it at the last look and that the table lacks now. It returns 0 if there is none,
// and always if the table is complete.
func (c *correlation) missingFrom(t *tree) int {
	if c.whole || t == nil {
		return 0
	}
	missing := 0
	for id, r := range c.past.processes {
		isIts := func(member *node) bool {
			isBelow := r.parent == member.ID() && (r.server || r.class.Role == inventory.RoleSession)
			return isBelow || !r.lineage.IsZero() && member.memory.lineage == r.lineage
		}
		if c.byPID[id.PID] == nil && slices.ContainsFunc(t.members, isIts) && (missing == 0 || id.PID < missing) {
			missing = id.PID
		}
	}
	return missing
}

// usedBelow finds a tree below a leaked gateway, or held by one, that is not leaked
// itself: somebody else may hold it. It is nil if there is none.
func (c *correlation) usedBelow(gateway *tree) *tree {
	if gateway == nil || !gateway.gateway || gateway.live {
		return nil
	}
	return first(c.trees, func(t *tree) bool { return t.live && t.hangsOn(gateway) })
}

// hangsOn reports that an answer about a tree comes from another.
func (t *tree) hangsOn(other *tree) bool {
	isIts := func(n *node) bool { return n.tree == other }
	return slices.ContainsFunc(t.answers, func(a answer) bool { return slices.ContainsFunc(a.by, isIts) })
}

// leakedHolder is the first gateway that is not alive and on which a living tree hangs; nil if there is none.
func (t *tree) leakedHolder() *tree {
	if t == nil || !t.live {
		return nil
	}
	for _, a := range t.answers {
		for _, by := range a.by {
			if holder := by.tree; holder != nil && holder != t && holder.gateway && !holder.live {
				return holder
			}
		}
	}
	return nil
}

// sessionAt is the process itself if it is a session or uses a server itself, else the first
// such process below it.
func (c *correlation) sessionAt(n *node) *node {
	if n.session != nil || n.client {
		return n
	}
	for _, child := range n.children {
		if child.lineage != lineageLive {
			continue
		}
		if found := c.sessionAt(child); found != nil {
			return found
		}
	}
	return nil
}

func (c *correlation) guardContainer(target *Target) {
	if why := target.Container.Keep(c.snapshot.TakenAt); why != "" {
		target.keepMarked(why)
	}
	if self := c.byPID[c.snapshot.Host.SelfPID]; self != nil && self.ContainerID == target.ID {
		target.veto(GuardSelf, "reaperd itself runs in it")
	}
}
