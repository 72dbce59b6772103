package graph

import (
	"maps"
	"strings"

	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/shape"
)

// findServers decides which processes are servers: by a client's configuration, by
// the catalogue, by what they were at earlier looks, by their shape.
func (c *correlation) findServers() {
	for _, n := range c.nodes {
		if !c.mayBeServer(n) {
			continue
		}
		switch {
		case isConfigured(n):
			n.server, n.how = true, "a client's configuration names it: "+n.Configured
		case n.class.Role == catalogue.RoleServer || n.class.Role == catalogue.RoleGateway:
			n.server, n.how = true, n.class.Why
		case c.runsServerImage(n):
			n.server, n.how = true, "docker exec brought it into a container of an MCP server's image"
		case n.memory.server && !n.memory.byShape && n.memory.lineage == n.ID():
			n.server, n.how = true, "it was a server while its session lived"
		}
	}
	c.findShapes()
}

func (c *correlation) mayBeServer(n *node) bool {
	if n.sealed || n.first || n.class.Role == catalogue.RoleBoundary {
		return false
	}
	return n.class.Role != catalogue.RoleSession || isConfigured(n)
}

// isConfigured reports a process that a client's configuration makes a server. A project's file, which came with a
// repository, does so for what hangs below a session in that project; another user's address for nothing.
func isConfigured(n *node) (configured bool) {
	switch {
	case n.Configured == "" || n.ConfiguredBy == "elsewhere":
		return false
	case n.ConfiguredIn == "":
		return true
	}
	above(n, func(ancestor *node) bool {
		configured = ancestor.class.Role == catalogue.RoleSession && isBelow(ancestor.Cwd, n.ConfiguredIn)
		return !configured
	})
	return configured
}

// isBelow reports that a path is a folder or lies below it.
func isBelow(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/")
}

// runsServerImage reports a process that docker exec started, with a stdin of its
// own, in a container of an MCP server's image.
func (c *correlation) runsServerImage(n *node) bool {
	container := c.containers[n.ContainerID]
	stdin, known := n.Stdin.Get()
	return n.execd && container != nil && known && stdin.Connected() && c.isServerContainer(container)
}

// findShapes makes servers of the processes that have the shape of one, and of every
// process of the same user with the same command line. A shell that runs a line (sh
// -c) is one only where it has the shape itself: elsewhere the same line may be a
// person's.
func (c *correlation) findShapes() {
	maps.Copy(c.shapes, c.past.shapes)
	for _, n := range c.nodes {
		if c.hasShape(n) {
			c.addShape(n)
		}
	}
	recalled := c.recallServers()
	for _, n := range c.nodes {
		if n.server || len(c.shapes) == 0 || !c.mayBeServer(n) {
			continue
		}
		if c.shapes.Has(shape.Of(n.Process)) && (!cmdline.RunsLine(n.Args()) || c.hasShape(n)) {
			c.addShape(n)
			n.serveByShape()
		}
	}
	for _, n := range recalled { // a look that reads only what matters knows these shapes from now on
		c.addShape(n)
	}
}

// recallServers makes servers of the very processes that another program, which has looked for
// longer, knows by their shape, and returns them.
func (c *correlation) recallServers() (recalled []*node) {
	if len(c.recalledShapes) == 0 {
		return nil
	}
	for _, n := range c.nodes {
		if c.recalledShapes[n.ID()] && !n.server && c.mayBeServer(n) {
			n.serveByShape()
			recalled = append(recalled, n)
		}
	}
	return recalled
}

// addShape adds the shape of a process to those of servers, unless its user is not known.
func (c *correlation) addShape(n *node) {
	if of := shape.Of(n.Process); of != "" {
		c.shapes[of] = c.snapshot.TakenAt
	}
}

// serveByShape makes a process a server that nothing but a shape tells.
func (n *node) serveByShape() {
	n.server, n.byShape = true, true
	n.how = "its session or gateway holds its stdin and its stdout, or those of another with the same command"
}

// hasShape reports a child of a session or gateway whose stdin and stdout its parent
// holds. Shell lines below a session do not count: sessions run tools that way, and
// gateways do not.
func (c *correlation) hasShape(n *node) bool {
	if n.server || !c.mayBeServer(n) || n.class.Role == catalogue.RoleSession || n.lineage != lineageLive {
		return false
	}
	parent := n.parent
	ofSession := parent.class.Role == catalogue.RoleSession && !cmdline.RunsLine(n.Args())
	if !ofSession && parent.class.Role != catalogue.RoleGateway || len(n.Args()) == 0 || passesStdin(parent, n) {
		return false
	}
	return isHeldBy(n.Stdin, parent.PID) && (n.Stdout.IsZero() || isHeldBy(n.Stdout, parent.PID))
}

func baseName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
