package graph

import (
	"slices"

	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/sentence"
)

// tree is one MCP server: from its outermost wrapper down, what lives, leaks and
// is reaped as one.
type tree struct {
	root    *node
	members []*node // the root first; parents before children
	left    []*node // below it, and none of it: what a person uses, started for them
	gateway bool

	answers []answer
	live    bool // not leaked
	owner   Owner
	near    bool // it stands below its owner, or did when last seen
	seen    bool // the owner was seen to have it, and is not only said to
	finding Finding
	doubt   sentence.S // why the finding may be reported and not acted on; zero where it may
	users   string     // who uses what it listens on; empty is nobody
	pinned  string     // why the environment of a member pins the tree; empty is not

	past   record // what the look before knew of it
	target *Target
}

func (t *tree) holds(pid int) bool {
	return slices.ContainsFunc(t.members, func(member *node) bool { return member.PID == pid })
}

// growTrees finds the root of every server's tree and gives each tree its
// members. All roots are found first, so that no tree takes another's wrapper.
func (c *correlation) growTrees() {
	for _, n := range c.nodes {
		if !n.server {
			continue
		}
		root := c.rootOf(n)
		c.rootsOf[n] = root
		t := c.roots[root]
		if t == nil {
			t = &tree{root: root}
			c.roots[root] = t
			c.trees = append(c.trees, t)
		}
		t.gateway = t.gateway || c.isGateway(n)
	}
	for _, t := range c.trees {
		c.take(t, t.root)
		c.takeDownstream(t)
	}
	c.rejoinReparented()
	for _, t := range c.trees {
		t.past = recordOf(t.members)
		t.users, t.pinned = usersOf(t), t.keep()
	}
}

// rootOf climbs from a server to the outermost process of its tree: past every
// server above it that is no gateway, then past what passes its stdio on.
func (c *correlation) rootOf(n *node) *node {
	root := n
	if !c.isGateway(n) {
		above(n, func(ancestor *node) bool {
			if c.ends(ancestor) {
				return false
			}
			if ancestor.server {
				root = ancestor
			}
			return c.rootsOf[ancestor] == nil
		})
	}
	for range c.nodes { // two that feed each other have no outermost
		if known := c.rootsOf[root]; known != nil {
			return known
		}
		next := c.outerOf(n, root)
		if next == nil || next == n {
			return root
		}
		root = next
	}
	return root
}

// outerOf is the next process outwards in the tree of a server: a parent that
// passes its stdio on, or the neighbour upstream in a pipeline; nil where the
// tree ends.
func (c *correlation) outerOf(server, n *node) *node {
	parent := n.parent
	if n.lineage == lineageLive && (passesStdin(parent, n) || parent.class.Relay || c.isPlugin(server, n)) && !c.endsClimb(server, parent) {
		return parent
	}
	if outer := c.formerOuter(server, n); outer != nil {
		return outer
	}
	for _, pid := range n.Stdin.Or(inventory.Stdio{}).Holders {
		if up := c.byPID[pid]; up != nil && !up.sealed && isPipeline(up, n) && !c.ends(up) {
			return up
		}
	}
	return nil
}

// formerOuter is the outermost process of the tree that a process was first seen
// in, where that is not above it any more, or whose stdin it has, where its parent
// could not be read; nil where there is none.
func (c *correlation) formerOuter(server, n *node) *node {
	if n.lineage == lineageLive {
		return nil
	}
	if root := c.byPID[n.memory.lineage.PID]; root != n && c.lives(n.memory.lineage) && root.memory.server && root.class.Role != catalogue.RoleSession {
		return root
	}
	if n.PPID.IsKnown() {
		return nil
	}
	for _, older := range c.nodes {
		if older != n && olderFirst(older, n) < 0 && isSameStream(older.Stdin, n.Stdin) && !older.sealed && !c.endsClimb(server, older) {
			return older
		}
	}
	return nil
}

// isPipeline reports neighbours in a pipeline: the stdout of one is the stdin of
// the other, and the same shell started both. Where the two ends of a pipe have
// names of their own (macOS) each holds the other's.
func isPipeline(up, down *node) bool {
	isJoined := isSamePipe(up.Stdout, down.Stdin) || isHeldBy(up.Stdout, down.PID) && isHeldBy(down.Stdin, up.PID)
	return isJoined && up != down && up.Alive() && down.Alive() && isSameFact(up.PPID, down.PPID) && isSameFact(up.SID, down.SID)
}

func isSameFact(a, b inventory.Fact[int]) bool {
	one, known := a.Get()
	other, alsoKnown := b.Get()
	return known && alsoKnown && one == other
}

// isPlugin reports a gateway below a gateway of its kind that is not spoken to
// over its stdin: it is the same one, whose command line handed over to a plugin.
// A stdin on a terminal or nowhere does not tell the two apart.
func (c *correlation) isPlugin(server, root *node) bool {
	parent := root.parent
	stdin, seen := root.Stdin.Get()
	return seen && !stdin.Connected() && c.isGateway(server) && server.class.Role == catalogue.RoleGateway &&
		parent.class.Role == catalogue.RoleGateway && parent.class.Name == server.class.Name
}

// endsClimb reports that a wrapper chain ends below this process. Two gateways
// on one stdin are one: `docker mcp gateway run` and its plugin.
func (c *correlation) endsClimb(server, parent *node) bool {
	if c.isGateway(parent) && c.isGateway(server) {
		return c.isBoundary(parent)
	}
	return c.ends(parent)
}

// ends reports that a tree ends below this process.
func (c *correlation) ends(n *node) bool {
	return n.class.Role == catalogue.RoleSession && !n.server || c.isGateway(n) || c.isBoundary(n)
}

// isGateway reports a gateway: the catalogue says so, or a client is configured
// to use another client as its server.
func (c *correlation) isGateway(n *node) bool {
	return n.class.Role == catalogue.RoleGateway || n.server && n.class.Role == catalogue.RoleSession
}

// passesStdin reports that a parent hands its own stdin on to the child, which
// is what makes it a wrapper. Names help only where a stdin cannot be seen.
func passesStdin(parent, child *node) bool {
	parents, seen := parent.Stdin.Get()
	childs, alsoSeen := child.Stdin.Get()
	if seen && alsoSeen && parents.Kind != inventory.KindUnknown && childs.Kind != inventory.KindUnknown {
		return isSameStream(parent.Stdin, child.Stdin)
	}
	return parent.class.Role == catalogue.RoleWrapper
}

// take gives a tree a process and what is below it, up to sessions, the roots of
// other trees, and what is none of it.
func (c *correlation) take(t *tree, n *node) {
	if n.tree != nil {
		return
	}
	n.tree = t
	t.members = append(t.members, n)
	for _, child := range n.children {
		switch {
		case child.lineage != lineageLive, child.sealed, c.roots[child] != nil, child.class.Role == catalogue.RoleSession && !child.server:
		case c.belongs(t, n, child):
			c.take(t, child)
		default:
			t.left = append(t.left, child)
		}
	}
}

// belongs reports that a descendant is a part of the tree. One in a session of
// its own is only if the two share a pipe or socket: a browser that was opened
// for a login is its user's. A browser is also known by whether it is driven.
func (c *correlation) belongs(t *tree, parent, child *node) bool {
	ownSession := !isSameFact(parent.SID, child.SID)
	switch {
	case child.server, child.class.Driven, !child.memory.lineage.IsZero() && child.memory.lineage == t.root.memory.lineage:
		return true
	case child.class.Browser && !parent.class.Browser && !ownSession:
		return false
	case isSupervised(child, t.root.ID()):
		return true
	}
	return !ownSession || shareAnEnd(t, child)
}

// shareAnEnd reports a pipe or socket between a process and a tree: one that both
// have, or one of which each holds an end.
func shareAnEnd(t *tree, n *node) bool {
	for _, member := range t.members {
		for _, its := range member.stdio() {
			for _, own := range n.stdio() {
				if isSameStream(its, own) || isHeldBy(its, n.PID) || isHeldBy(own, member.PID) {
					return true
				}
			}
		}
	}
	return false
}

func (n *node) stdio() [2]inventory.Fact[inventory.Stdio] {
	return [2]inventory.Fact[inventory.Stdio]{n.Stdin, n.Stdout}
}

func isHeldBy(stream inventory.Fact[inventory.Stdio], pid int) bool {
	stdio, known := stream.Get()
	return known && stdio.Connected() && slices.Contains(stdio.Holders, pid)
}

// takeDownstream takes the processes that read what the tree writes, as in
// `server | tee log`.
func (c *correlation) takeDownstream(t *tree) {
	for i := 0; i < len(t.members); i++ {
		member := t.members[i]
		for _, pid := range member.Stdout.Or(inventory.Stdio{}).Holders {
			down := c.byPID[pid]
			if down != nil && down.tree == nil && c.roots[down] == nil && isPipeline(member, down) && !c.ends(down) && !down.sealed {
				c.take(t, down)
			}
		}
	}
}

// outlet is the member whose stdout is the tree's: the last of the pipeline that
// begins with its root.
func (t *tree) outlet() *node {
	last := t.root
	for range t.members {
		next := slices.IndexFunc(t.members, func(n *node) bool { return isPipeline(last, n) })
		if next < 0 {
			break
		}
		last = t.members[next]
	}
	return last
}

// rejoinReparented brings back what was once seen in a tree and has lost its
// parent since, such as a browser that a server started.
func (c *correlation) rejoinReparented() {
	lineages := c.lineages()
	for _, n := range c.nodes {
		lineage := n.memory.lineage
		if n.tree != nil || lineage.IsZero() || n.lineage == lineageLive || c.isDaemon(n) && !isSupervised(n, lineage) {
			continue
		}
		t := lineages[lineage]
		if t == nil {
			t = &tree{root: n}
			lineages[lineage] = t
			c.trees = append(c.trees, t)
		}
		c.take(t, n)
	}
}

func (c *correlation) lineages() map[inventory.ID]*tree {
	known := map[inventory.ID]*tree{}
	for _, t := range c.trees {
		known[t.root.ID()] = t
		for _, member := range t.members {
			if lineage := member.memory.lineage; !lineage.IsZero() && known[lineage] == nil {
				known[lineage] = t
			}
		}
	}
	return known
}

// isDaemon reports what has left its tree for good: a session, a service, and
// what has its stdout in a file, on a terminal or nowhere.
func (c *correlation) isDaemon(n *node) bool {
	if n.class.Role == catalogue.RoleSession || n.Service != "" || n.sealed {
		return true
	}
	stdout, seen := n.Stdout.Get()
	return seen && !stdout.Connected() && stdout.Kind != inventory.KindUnknown
}

// isSupervised reports what a server started below `reaperd exec`, which is to
// leave nothing behind: it names that very process as its owner. So it is a part
// of the tree whatever session it has and whatever it did with its stdio; but a
// browser that nothing drives is its user's.
func isSupervised(n *node, root inventory.ID) bool {
	mark, err := inventory.ParseOwnerMark(n.Env["REAPERD_OWNER"])
	isOwn := n.class.Role == catalogue.RoleSession || n.Service != "" || n.sealed || n.class.Browser && !n.class.Driven
	return err == nil && mark.ID == root && !isOwn
}
