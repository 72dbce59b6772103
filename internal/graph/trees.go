package graph

import (
	"slices"

	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
)

// tree is one MCP server, from its outermost wrapper down. It is judged and reaped as
// one.
type tree struct {
	root    *node
	members []*node    // the root first; parents before children
	left    []Outsider // below it and no part of it, such as a person's browser
	gateway bool
	likely  bool // it is only likely to be a server
	// job is why it may be at work although nobody speaks to it; zero where it cannot be.
	job   human.Sentence
	letGo bool // every channel to it is closed although its owner lives
	// behind are leaked trees by which somebody could still come to it.
	behind []*tree

	last     *node // see outlet; nil until it is asked for
	answers  []answer
	live     bool // not leaked
	owner    Owner
	near     bool // its owner is an ancestor, or was when last seen
	seen     bool // the kernel shows that it is its owner's: as ancestor or by an end of its stdio
	finding  Finding
	doubt    human.Sentence // why the finding may be reported and not acted on; zero where it may
	stranger Stranger       // whom the doubt is about
	users    string         // who uses what it listens on; empty is nobody
	called   string         // what a client's configuration calls it; empty is not known
	pinned   string         // why the environment of a member pins the tree; empty is not

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
	c.rejoinRemainders()
	for _, t := range c.trees {
		t.likely = t.isLikely()
		t.past = recordOf(t.members)
		t.called, t.job = t.configuredName(), t.jobOf()
		t.users, t.pinned = c.usersOf(t), t.keep()
	}
}

// rootOf climbs from a server to the root of its tree: past every server above it
// that is no gateway, then past the processes that pass their stdio on.
func (c *correlation) rootOf(n *node) *node {
	root := n
	if !c.isGateway(n) {
		root = c.outermostServer(n)
		for inner := n; inner != root; inner = inner.parent {
			inner.inner = true
		}
	}
	for range c.nodes { // two processes that feed each other have no root
		if known := root.root; known != nil {
			return known
		}
		next := c.outerOf(n, root)
		if next == nil || next == n {
			return root
		}
		root.inner = true
		root = next
	}
	return root
}

// outermostServer is the outermost server above one, as far as each process on the way is
// part of the tree of the one above it; else the server itself.
func (c *correlation) outermostServer(n *node) *node {
	outermost := n
	for at := n; at.lineage == lineageLive && !c.ends(at.parent); at = at.parent {
		above := &tree{root: at.parent, members: []*node{at.parent}}
		if _, member := c.belongs(above, at.parent, at); !member {
			break
		}
		if at.parent.server {
			outermost = at.parent
		}
		if at.parent.root != nil {
			break
		}
	}
	return outermost
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
	return first(c.holders(n.Stdin), func(up *node) bool {
		return !server.likely && isLink(up) && isPipeline(up, n) && !c.ends(up)
	})
}

// formerOuter finds the root of a process that has lost its parent: the root of the
// tree that it was first seen in or, if its parent could not be read, an older
// process with the same stdin. It is nil if there is none.
func (c *correlation) formerOuter(server, n *node) *node {
	if n.lineage == lineageLive {
		return nil
	}
	if root := c.byPID[n.memory.lineage.PID]; root != n && c.lives(n.memory.lineage) && root.memory.server && root.class.Role != inventory.RoleSession {
		return root
	}
	if n.PPID.IsKnown() {
		return nil
	}
	return first(c.nodes, func(older *node) bool {
		return older != n && olderFirst(older, n) < 0 && isSameStream(older.Stdin, n.Stdin) && !older.sealed && !c.endsClimb(server, older)
	})
}

// isPipeline reports neighbours in a pipeline: one's stdout is the other's stdin, and
// the same shell started both. Two that feed each other are none: each is the other's
// client.
func isPipeline(up, down *node) bool {
	return feeds(up, down) && !feeds(down, up) && up != down && up.Alive() && down.Alive() && isSameFact(up.PPID, down.PPID) && isSameFact(up.SID, down.SID)
}

// feeds reports that one's stdout is the other's stdin. On Linux the two ends of a pipe have the same
// name; on macOS they have not, and each process holds the other's end.
func feeds(up, down *node) bool {
	isPipe := up.Stdout.Or(inventory.Stdio{}).Kind == inventory.KindPipe
	return isPipe && isSameStream(up.Stdout, down.Stdin) || isHeldBy(up.Stdout, down.PID) && isHeldBy(down.Stdin, up.PID)
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
	return seen && !stdin.Connected() && c.isGateway(server) && server.class.Role == inventory.RoleGateway &&
		parent.class.Role == inventory.RoleGateway && parent.class.Name == server.class.Name
}

// endsClimb reports that the climb to a server's root stops below this process. Two
// gateways on one stdin are one: `docker mcp gateway run` and its plugin.
func (c *correlation) endsClimb(server, parent *node) bool {
	if c.isGateway(parent) && c.isGateway(server) {
		return c.isBoundary(parent)
	}
	return c.ends(parent)
}

// ends reports that trees end below this process: it is a session, another client, a
// gateway or a boundary.
func (c *correlation) ends(n *node) bool {
	return n.class.Role == inventory.RoleSession && !n.server || n.client || c.isGateway(n) || c.isBoundary(n)
}

// isGateway reports a gateway: the catalogue says so, or a client is configured
// to use another client as its server.
func (c *correlation) isGateway(n *node) bool {
	return n.class.Role == inventory.RoleGateway || n.server && n.class.Role == inventory.RoleSession
}

// passesStdin reports that a parent passes its own stdin on to the child, which makes
// it a wrapper. If one of the two stdins cannot be seen, the catalogue tells wrappers. If it
// is the parent's, two processes that were in one tree before also stay in one.
func passesStdin(parent, child *node) bool {
	parents, childs := showsStdin(parent), showsStdin(child)
	if parents && childs {
		return isSameStream(parent.Stdin, child.Stdin)
	}
	lineage := child.memory.lineage
	return parent.class.Role == inventory.RoleWrapper || !parents && !lineage.IsZero() && parent.memory.lineage == lineage
}

func showsStdin(n *node) bool {
	stdin, seen := n.Stdin.Get()
	return seen && stdin.Kind != inventory.KindUnknown
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
		if child.rooted != nil && child.lineage == lineageLive && isDaemon(n, child) {
			t.left = append(t.left, Outsider{child.Process, "a daemon"})
		}
		if child.lineage != lineageLive && !wasTakenOver(t, n, child) || child.sealed || child.rooted != nil || child.class.Role == inventory.RoleSession && !child.server {
			continue
		}
		if why, member := c.belongs(t, n, child); member {
			c.take(t, child)
		} else {
			child.person = forPerson(n, child)
			t.left = append(t.left, Outsider{child.Process, why})
		}
	}
}

// wasTakenOver reports a process that came to the tree's supervisor, `reaperd exec`, when
// its own parent ended. The kernel gives a supervisor only what was started below it.
func wasTakenOver(t *tree, parent, child *node) bool {
	return child.lineage == lineageAdopted && parent == t.root && isSupervised(child, parent.ID())
}

func (n *node) stdio() [2]inventory.Fact[inventory.Stdio] {
	return [2]inventory.Fact[inventory.Stdio]{n.Stdin, n.Stdout}
}

func isHeldBy(stream inventory.Fact[inventory.Stdio], pid int) bool {
	stdio, known := stream.Get()
	return known && stdio.Connected() && slices.Contains(stdio.Holders, pid)
}

// takeDownstream adds the servers and the filters that read the tree's output, as in
// `server | tee log`. Whoever else reads it may be a client.
func (c *correlation) takeDownstream(t *tree) {
	for i := 0; i < len(t.members); i++ {
		member := t.members[i]
		for _, down := range c.holders(member.Stdout) {
			if down.tree == nil && down.rooted == nil && !member.likely && isLink(down) && isPipeline(member, down) && !c.ends(down) {
				c.take(t, down)
			}
		}
	}
}

// isLink reports a process that is one tree with its neighbours in a pipeline: each of them is
// known to serve, or passes on what it reads. What only is called like a server may be a job.
func isLink(n *node) bool {
	return !n.sealed && (n.server && !n.likely || cmdline.IsFilter(n.program()))
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
		next := first(t.members, func(n *node) bool { return isPipeline(last, n) })
		if next == nil {
			break
		}
		last = next
	}
	return last
}

// rejoinRemainders makes targets of what is left of servers that have ended, as far as it
// is to go by itself ([correlation.remains]).
func (c *correlation) rejoinRemainders() {
	lineages := c.lineages()
	for _, n := range c.nodes {
		lineage := n.memory.lineage
		if n.tree != nil || lineage.IsZero() || n.lineage == lineageLive {
			continue
		}
		target, likely := c.remains(n)
		if !target {
			continue
		}
		t := lineages[lineage]
		if t == nil {
			t = &tree{root: n}
			lineages[lineage] = t
			c.trees = append(c.trees, t)
		}
		n.likely = likely
		c.take(t, n)
	}
}

// isLikely reports that no member is known for a server: a likely one, or what only was part of a
// server. That a job has started a known one is no proof of the job.
func (t *tree) isLikely() bool {
	return !slices.ContainsFunc(t.members, func(n *node) bool {
		wasKnown := !n.server && n.memory.part == partServer && !n.memory.likely
		return !n.likely && (wasKnown || n.server && !t.isOfJob(n))
	})
}

// isOfJob reports a member of a tree that begins with what is only likely to be a server, and has given
// the member another stdin.
func (t *tree) isOfJob(n *node) bool {
	return t.root.likely && !t.root.class.Relay && n != t.root && !passesStdin(t.root, n)
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

// isSupervised reports a process whose REAPERD_OWNER names this root: a server below
// `reaperd exec` started it, and exec leaves nothing behind. It is part of the tree
// whatever its session and stdio. An everyday browser is not: it is its user's.
func isSupervised(n *node, root inventory.ID) bool {
	owner := n.Env[ownerVariable]
	if owner == "" {
		return false
	}
	mark, err := inventory.ParseOwnerMark(owner)
	isOwn := n.class.Role == inventory.RoleSession || n.Service != "" || n.sealed || n.class.Browser && !n.class.Driven
	return err == nil && mark.ID == root && !isOwn
}
