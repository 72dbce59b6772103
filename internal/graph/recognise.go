package graph

import (
	"slices"
	"strconv"
	"strings"

	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/inventory"
)

// findServers decides which processes are servers: by the catalogue, by a
// client's configuration, by what they were before, by their shape.
func (c *correlation) findServers() {
	for _, n := range c.nodes {
		if !c.mayBeServer(n) {
			continue
		}
		switch {
		case n.Configured != "":
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
	return n.class.Role != catalogue.RoleSession || n.Configured != ""
}

// runsServerImage reports a process that docker exec brought, with a stdin of its
// own, into a container of an MCP server's image.
func (c *correlation) runsServerImage(n *node) bool {
	container := c.containers[n.ContainerID]
	stdin, known := n.Stdin.Get()
	return n.execd && container != nil && known && stdin.Connected() && c.isServerContainer(container)
}

// findShapes takes for a server what has the shape of one, and every process of
// the same user and full command with it. A shell's line is a person's elsewhere.
func (c *correlation) findShapes() {
	for shape := range c.past.shapes {
		c.shapes[shape] = true
	}
	for _, n := range c.nodes {
		if shape := ShapeOf(n.Process); shape != "" && c.hasShape(n) {
			c.shapes[shape] = true
		}
	}
	for _, n := range c.nodes {
		if !n.server && c.mayBeServer(n) && c.shapes[ShapeOf(n.Process)] && (!cmdline.RunsLine(n.Args()) || c.hasShape(n)) {
			n.server, n.byShape = true, true
			n.how = "its session or gateway holds its stdin and its stdout, or those of another with the same command"
		}
	}
}

// hasShape reports a child of a session or gateway whose stdin and stdout are both
// held by its parent. A session runs a person's command lines so, a gateway none.
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

// ShapeOf is what two copies of one server have in common: the number of their
// user, whole argv, and the folder where the arguments are relative to it. Of a
// command line that was too long to be kept its hash stands for the whole. It is
// empty where the user is not known: a shape reaches one user's processes only.
func ShapeOf(p *inventory.Process) string {
	uid, known := p.UID.Get()
	args := p.Args()
	if !known || len(args) == 0 {
		return ""
	}
	key := strings.Join(args, "\x00") + "\x01" + p.ArgvHash + "\x01" + strconv.Itoa(uid)
	if HasRelativePath(args) {
		key += "\x01" + p.Cwd
	}
	return key
}

// HasRelativePath reports whether arguments are relative to the folder of their
// process, so that its shape covers that folder.
func HasRelativePath(args []string) bool { return slices.ContainsFunc(args, cmdline.IsRelativeFile) }

func baseName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
