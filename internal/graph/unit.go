package graph

import (
	"strings"

	"github.com/reaperd/reaperd/internal/browser"
	"github.com/reaperd/reaperd/internal/inventory"
)

// unit is what lives or leaks as one: the tree of a server, or a process that
// is no server.
type unit struct {
	root    *node
	members []*node // the root first; parents before children
	gateway bool
	server  bool
	live    bool // marked from a root
	target  *Target
}

func (u *unit) holds(pid int) bool {
	for _, member := range u.members {
		if member.PID == pid {
			return true
		}
	}
	return false
}

// growTrees finds the root of every server's tree and gives each process its
// unit. All roots are found first, so that no tree takes another's wrapper.
func (c *correlation) growTrees() {
	for _, n := range c.nodes {
		if !n.server {
			continue
		}
		root := c.rootOf(n)
		c.rootsOf[n] = root
		if c.roots[root] == nil {
			c.roots[root] = &unit{root: root, server: true}
			c.trees = append(c.trees, c.roots[root])
		}
		c.roots[root].gateway = c.roots[root].gateway || c.isGateway(n)
	}
	for _, u := range c.trees {
		c.claim(u, u.root)
	}
	c.rejoinReparented()
	for _, n := range c.nodes {
		if n.unit == nil {
			n.unit = &unit{root: n, members: []*node{n}}
			c.others = append(c.others, n.unit)
		}
	}
}

// rootOf climbs from a server to the outermost process of its tree: past every
// server above it that is no gateway, then while the parent has the same stdin.
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
	if known := c.rootsOf[root]; known != nil {
		return known
	}
	for root.lineage == lineageLive && (passesStdin(root.parent, root) || c.isPlugin(n, root)) && !c.endsClimb(n, root.parent) {
		root = root.parent
	}
	return root
}

// isPlugin reports a gateway below a gateway of its kind that is not spoken to
// over its stdin: it is the same one, whose command line handed over to a plugin.
// A stdin on a terminal or nowhere does not tell the two apart.
func (c *correlation) isPlugin(server, root *node) bool {
	parent := root.parent
	stdin, seen := root.Stdin.Get()
	return seen && !stdin.Connected() && c.isGateway(server) && server.class.Role == RoleGateway &&
		parent.class.Role == RoleGateway && parent.class.Name == server.class.Name
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
	return n.class.Role == RoleSession && !n.server || c.isGateway(n) || c.isBoundary(n)
}

// isGateway reports a gateway: the catalogue says so, or a client is configured
// to use another client as its server.
func (c *correlation) isGateway(n *node) bool {
	return n.class.Role == RoleGateway || n.server && n.class.Role == RoleSession
}

// passesStdin reports that a parent hands its own stdin on to the child, which
// is what makes it a wrapper. Names help only where a stdin cannot be seen.
func passesStdin(parent, child *node) bool {
	parents, seen := parent.Stdin.Get()
	childs, alsoSeen := child.Stdin.Get()
	if seen && alsoSeen && parents.Kind != inventory.KindUnknown && childs.Kind != inventory.KindUnknown {
		return parents.Connected() && parents.Kind == childs.Kind && parents.ID == childs.ID && parents.ID != ""
	}
	return parent.class.Role == RoleWrapper
}

// claim gives a unit a process and what is below it, up to sessions and the
// roots of other trees.
func (c *correlation) claim(u *unit, n *node) {
	if n.unit != nil {
		return
	}
	n.unit = u
	u.members = append(u.members, n)
	for _, child := range n.children {
		foreign := child.sealed || c.roots[child] != nil || child.class.Role == RoleSession && !child.server
		if child.lineage == lineageLive && !foreign {
			c.claim(u, child)
		}
	}
}

// rejoinReparented brings back what was once seen in a tree and has lost its
// parent since, such as a browser that a server started. What has its stdout in
// a file, on a terminal or nowhere made itself a daemon and is left out.
func (c *correlation) rejoinReparented() {
	lineages := c.lineages()
	for _, n := range c.nodes {
		lineage := n.memory.lineage
		if n.unit != nil || lineage.IsZero() || n.lineage == lineageLive || c.isDaemon(n) && !c.isSupervised(n) {
			continue
		}
		u := lineages[lineage]
		if u == nil {
			u = &unit{root: n, server: true}
			lineages[lineage] = u
			c.trees = append(c.trees, u)
		}
		c.claim(u, n)
	}
}

func (c *correlation) lineages() map[inventory.ID]*unit {
	known := map[inventory.ID]*unit{}
	for _, u := range c.trees {
		known[u.root.ID()] = u
		for _, member := range u.members {
			if lineage := member.memory.lineage; !lineage.IsZero() && known[lineage] == nil {
				known[lineage] = u
			}
		}
	}
	return known
}

// isSupervised reports what a server started below `reaperd exec`, which is to
// leave nothing behind: it was seen there, and it names that very process as its
// owner. It stays a member whatever it did with its stdio since; but a person's
// everyday browser, opened for a login, is nobody's.
func (c *correlation) isSupervised(n *node) bool {
	belongs := strings.HasPrefix(n.Env["REAPERD_OWNER"], n.memory.lineage.String()+":")
	return belongs && n.class.Role != RoleSession && n.Service == "" && !n.sealed && !browser.IsEveryday(n.Argv)
}

func (c *correlation) isDaemon(n *node) bool {
	if n.class.Role == RoleSession || n.Service != "" || n.sealed {
		return true
	}
	stdout, seen := n.Stdout.Get()
	return seen && !stdout.Connected() && stdout.Kind != inventory.KindUnknown
}
