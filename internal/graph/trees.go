package graph

import (
	"slices"

	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/sentence"
)

// tree is one MCP server, from its outermost wrapper down. It is judged and reaped as
// one.
type tree struct {
	root    *node
	members []*node              // the root first; parents before children
	left    []*inventory.Process // below it and no part of it, such as a person's browser
	gateway bool

	last    *node // see outlet; nil until it is asked for
	answers []answer
	live    bool // not leaked
	owner   Owner
	near    bool // its owner is an ancestor, or was when last seen
	seen    bool // the kernel shows that it is its owner's: as ancestor or by an end of its stdio
	finding Finding
	doubt   sentence.S // why the finding may be reported and not acted on; zero where it may
	users   string     // who uses what it listens on; empty is nobody
	pinned  string     // why the environment of a member pins the tree; empty is not

	past   record // what was known of it at the look before
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
		n.root = root
		t := root.rooted
		if t == nil {
			t = &tree{root: root}
			root.rooted = t
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

// rootOf climbs from a server to the root of its tree: past every server above it
// that is no gateway, then past the processes that pass their stdio on.
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
			return ancestor.root == nil
		})
	}
	for range c.nodes { // two processes that feed each other have no root
		if known := root.root; known != nil {
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

// outerOf is the next process outwards in a server's tree: a parent that passes its
// stdio on, or the neighbour upstream in a pipeline; nil at the root.
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

// formerOuter finds the root of a process that has lost its parent: the root of the
// tree that it was first seen in or, if its parent could not be read, an older
// process with the same stdin. It is nil if there is none.
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

// isPipeline reports neighbours in a pipeline: one's stdout is the other's stdin, and
// the same shell started both. On macOS the two ends of a pipe have different names,
// and each process holds the other's end.
func isPipeline(up, down *node) bool {
	isJoined := isSamePipe(up.Stdout, down.Stdin) || isHeldBy(up.Stdout, down.PID) && isHeldBy(down.Stdin, up.PID)
	return isJoined && up != down && up.Alive() && down.Alive() && isSameFact(up.PPID, down.PPID) && isSameFact(up.SID, down.SID)
}

func isSameFact(a, b inventory.Fact[int]) bool {
	one, known := a.Get()
	other, alsoKnown := b.Get()
	return known && alsoKnown && one == other
}

// isPlugin reports that a gateway and its parent, a gateway of the same kind, are
// one: `docker mcp gateway run` hands over to a plugin, whose stdin is not connected.
// A stdin on a terminal or /dev/null does not tell the two apart.
func (c *correlation) isPlugin(server, root *node) bool {
	parent := root.parent
	stdin, seen := root.Stdin.Get()
	return seen && !stdin.Connected() && c.isGateway(server) && server.class.Role == catalogue.RoleGateway &&
		parent.class.Role == catalogue.RoleGateway && parent.class.Name == server.class.Name
}

// endsClimb reports that the climb to a server's root stops below this process. Two
// gateways on one stdin are one: `docker mcp gateway run` and its plugin.
func (c *correlation) endsClimb(server, parent *node) bool {
	if c.isGateway(parent) && c.isGateway(server) {
		return c.isBoundary(parent)
	}
	return c.ends(parent)
}

// ends reports that trees end below this process: it is a session, a gateway or a
// boundary.
func (c *correlation) ends(n *node) bool {
	return n.class.Role == catalogue.RoleSession && !n.server || c.isGateway(n) || c.isBoundary(n)
}

// isGateway reports a gateway: the catalogue says so, or a client is configured
// to use another client as its server.
func (c *correlation) isGateway(n *node) bool {
	return n.class.Role == catalogue.RoleGateway || n.server && n.class.Role == catalogue.RoleSession
}

// passesStdin reports that a parent passes its own stdin on to the child, which makes
// it a wrapper. If one of the two stdins cannot be seen, the catalogue tells wrappers. If it
// is the parent's, two processes that were in one tree before also stay in one.
func passesStdin(parent, child *node) bool {
	parents, childs := showsStdin(parent), showsStdin(child)
	if parents && childs {
		return isSameStream(parent.Stdin, child.Stdin)
	}
	return parent.class.Role == catalogue.RoleWrapper || !parents && wereOneTree(parent, child)
}

func showsStdin(n *node) bool {
	stdin, seen := n.Stdin.Get()
	return seen && stdin.Kind != inventory.KindUnknown
}

// wereOneTree reports two processes that were first seen in the same tree.
func wereOneTree(a, b *node) bool {
	return !a.memory.lineage.IsZero() && a.memory.lineage == b.memory.lineage
}

// take adds a process and its descendants to a tree. It stops at sessions, at the
// roots of other trees and at processes that are no part of it.
func (c *correlation) take(t *tree, n *node) {
	if n.tree != nil {
		return
	}
	n.tree = t
	t.members = append(t.members, n)
	for _, child := range n.children {
		switch {
		case child.lineage != lineageLive && !wasTakenOver(t, n, child), child.sealed, child.rooted != nil, child.class.Role == catalogue.RoleSession && !child.server:
		case c.belongs(t, n, child):
			c.take(t, child)
		default:
			t.left = append(t.left, child.Process)
		}
	}
}

// wasTakenOver reports a process that came to the tree's supervisor, `reaperd exec`, when
// its own parent ended. The kernel gives a supervisor only what was started below it.
func wasTakenOver(t *tree, parent, child *node) bool {
	return child.lineage == lineageAdopted && parent == t.root && isSupervised(child, parent.ID())
}

// belongs reports that a child is part of its parent's tree. A child in a session of
// its own is part of it only if the two share a pipe or socket: a browser opened for
// a login is its user's. A browser that a program drives is part of it.
func (c *correlation) belongs(t *tree, parent, child *node) bool {
	ownSession := !isSameFact(parent.SID, child.SID)
	switch {
	case child.server, child.class.Driven, wereOneTree(child, t.root):
		return true
	case child.class.Browser && !parent.class.Browser && !ownSession:
		return false
	case isSupervised(child, t.root.ID()):
		return true
	}
	return !ownSession || shareAnEnd(t, child)
}

// shareAnEnd reports that a process and a tree have the same pipe or socket, or hold
// the two ends of one.
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

// takeDownstream adds the processes that read the tree's output, as in `server | tee
// log`.
func (c *correlation) takeDownstream(t *tree) {
	for i := 0; i < len(t.members); i++ {
		member := t.members[i]
		for _, pid := range member.Stdout.Or(inventory.Stdio{}).Holders {
			down := c.byPID[pid]
			if down != nil && down.tree == nil && down.rooted == nil && isPipeline(member, down) && !c.ends(down) && !down.sealed {
				c.take(t, down)
			}
		}
	}
}

// outlet is the member whose stdout is the tree's: the last process of the pipeline
// that begins with the root.
func (t *tree) outlet() *node {
	if t.last == nil {
		t.last = t.findOutlet()
	}
	return t.last
}

func (t *tree) findOutlet() *node {
	last := t.root
	for range t.members {
		if !last.Stdout.Or(inventory.Stdio{}).Connected() {
			break
		}
		next := slices.IndexFunc(t.members, func(n *node) bool { return isPipeline(last, n) })
		if next < 0 {
			break
		}
		last = t.members[next]
	}
	return last
}

// rejoinReparented adds processes that were part of a tree at an earlier look and
// have lost their parent since, such as a browser that a server started.
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

// isDaemon reports a process that has left its tree for good: a session, a service,
// or one whose stdout is a file, a terminal or /dev/null.
func (c *correlation) isDaemon(n *node) bool {
	if n.class.Role == catalogue.RoleSession || n.Service != "" || n.sealed {
		return true
	}
	stdout, seen := n.Stdout.Get()
	return seen && !stdout.Connected() && stdout.Kind != inventory.KindUnknown
}

// isSupervised reports a process whose REAPERD_OWNER names this root: a server below
// `reaperd exec` started it, and exec leaves nothing behind. It is part of the tree
// whatever its session and stdio. An everyday browser is not: it is its user's.
func isSupervised(n *node, root inventory.ID) bool {
	owner := n.Env[ownerVariable]
	if owner == "" {
		return false
	}
	mark, err := inventory.ParseOwnerMark(owner)
	isOwn := n.class.Role == catalogue.RoleSession || n.Service != "" || n.sealed || n.class.Browser && !n.class.Driven
	return err == nil && mark.ID == root && !isOwn
}
