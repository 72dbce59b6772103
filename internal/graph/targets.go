package graph

import (
	"slices"

	"github.com/reaperd/reaperd/internal/inventory"
)

// addTarget makes a target of a tree that was judged.
func (c *correlation) addTarget(t *tree) {
	parentsBeforeChildren(t)
	target := &Target{
		ID: t.root.ID().String(), Kind: KindServer, Name: c.treeName(t),
		Root: t.root.Process, Owner: t.owner, Finding: t.finding, Evidence: t.evidence(),
		Listening: t.listening(), InUse: t.users != "", Age: t.root.Age(c.snapshot.TakenAt),
		User: t.root.User, UID: t.root.UID, Left: t.left, Stranger: t.stranger,
	}
	if t.gateway {
		target.Kind = KindGateway
	}
	target.How, target.ByShape = recognisedBy(t)
	target.Likely, target.Job = t.likely, t.job
	target.take(t.members)
	if !t.job.IsZero() {
		target.used = c.restOf(t, target)
	}
	target.vetoBecause(GuardUnproven, t.doubt)
	t.target = target
	c.targets = append(c.targets, target)
	c.countZombiesOf(target)
}

// take makes these processes members of the target and adds up their use.
func (t *Target) take(members []*node) {
	t.nodes = members
	for _, n := range members {
		n.target = t
		t.Members = append(t.Members, n.Process)
	}
	t.measure(sumOf(t.Members))
}

// restOf is what a tree that may be at work has used, with all below it: it is at rest while
// none of that works.
func (c *correlation) restOf(t *tree, target *Target) totalUse {
	all := slices.Clone(target.Members)
	for _, o := range t.left {
		all = appendBelow(all, c.byPID[o.PID])
	}
	whole := sumOf(all)
	whole.MemoryBytes, whole.MemoryKind = target.MemoryBytes, target.MemoryKind
	return whole
}

// appendBelow adds a process and all below it.
func appendBelow(all []*inventory.Process, n *node) []*inventory.Process {
	all = append(all, n.Process)
	for _, child := range n.children {
		all = appendBelow(all, child)
	}
	return all
}

// parentsBeforeChildren orders a tree's members, which may have been gathered
// from several places, by start; the root stays first.
func parentsBeforeChildren(t *tree) {
	root := slices.Index(t.members, t.root)
	if root > 0 {
		t.members = slices.Insert(slices.Delete(t.members, root, root+1), 0, t.root)
	}
	slices.SortStableFunc(t.members[1:], olderFirst)
}

// recognisedBy says why a tree is an MCP server: by the first member that is known by
// more than its shape; by shape only if there is no such member.
func recognisedBy(t *tree) (how string, byShape bool) {
	byShape = true
	for _, member := range t.members {
		switch {
		case member.server && !member.byShape:
			return member.how, false
		case member.server:
			how = member.how
		case member.memory.server && !member.memory.byShape && how == "":
			how, byShape = "it was part of a server when last seen", false
		}
	}
	return how, byShape
}

// treeName is the configured name, else docker-mcp-name or the image's base,
// else the name of the innermost process that is known for a server.
func (c *correlation) treeName(t *tree) string {
	if t.called != "" {
		return t.called
	}
	isAdded := func(n *node) bool { return n.class.Added && n.class.Role == inventory.RoleServer }
	isGateway := func(n *node) bool { return t.gateway && n.class.Role == inventory.RoleGateway && n.class.Name != "" }
	isRunner := func(n *node) bool { return n.docker != nil && n.docker.Command == "run" }
	if added := first(t.members, isAdded); added != nil {
		return added.class.Name
	}
	if t.target != nil && t.target.Name != "" {
		return t.target.Name
	}
	if gateway := first(t.members, isGateway); gateway != nil {
		return gateway.class.Name
	}
	if runner := first(t.members, isRunner); runner != nil {
		return runner.docker.ServerName()
	}
	return c.leafName(t)
}

// configuredName is what a client's configuration calls the server, or called it while its
// launcher lived and it had its own title; "" if none does.
func (t *tree) configuredName() string {
	if named := first(t.members, func(n *node) bool { return n.Configured != "" && n.ConfiguredBy != "elsewhere" }); named != nil {
		return named.Configured
	}
	if known := first(t.members, func(n *node) bool { return n.memory.called != "" }); known != nil {
		return known.memory.called
	}
	return ""
}

// leafName is the program of the innermost server on the chain of one stdin: the
// server behind its wrappers.
func (c *correlation) leafName(t *tree) string {
	named := t.root
	for _, member := range t.members {
		if !member.server {
			continue
		}
		if named == t.root || member.parent == named || !named.server {
			named = member
		}
	}
	if named.memory.name != "" && !named.server {
		return named.memory.name
	}
	return c.catalogue.Program(named.Process)
}

// measure sets what the target has used up to this look.
func (t *Target) measure(used totalUse) {
	t.used, t.MemoryBytes, t.MemoryKind = used, used.MemoryBytes, used.MemoryKind
}

// UserOf is the user whose daemon looks after a target: that of its processes or, for a container,
// that of its runner or of the session that owns it.
func (g *Graph) UserOf(t *Target) inventory.Fact[int] {
	if t.Container == nil {
		return t.UID
	}
	if runner, seen := g.Target(t.Runner); seen && t.Runner != "" {
		return runner.UID
	}
	for _, session := range g.Sessions {
		if session.Process.ID() == t.Owner.ID {
			return session.Process.UID
		}
	}
	return inventory.Fact[int]{}
}
