package graph

import (
	"maps"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/inventory"
)

// This file decides which processes are servers, and how well each is known for one.
//
//	known    the catalogue or a client's configuration names it, reaperd exec started it, or a session
//	         holds its stdin and stdout and had three copies of it at once
//	likely   its name has mcp in it, or a session holds its stdin and stdout: an agent may be called so,
//	         and a session starts jobs that way too
//	none     whoever gives a server its stdio is that server's client, whatever it is called

// copiesKnown is how many copies of a shape must have been alive at once, below sessions
// or gateways, before the shape is known for a server's: a job is started once.
const copiesKnown = 3

// findServers decides which processes are servers.
func (c *correlation) findServers() {
	for _, n := range c.nodes {
		if c.mayBeServer(n) {
			n.how, n.server, n.likely = c.recognise(n)
		}
	}
	c.findShapes()
	c.findClients()
}

// recognise tells whether a process is a server by anything but its shape, and why.
func (c *correlation) recognise(n *node) (how string, server, likely bool) {
	switch {
	case isConfigured(n):
		return "a client's configuration names it: " + n.Configured, true, false
	case n.class.Role == inventory.RoleServer || n.class.Role == inventory.RoleGateway:
		return n.class.Why, true, n.class.Likely && !c.runsKnownService(n)
	case c.runsServer(n):
		return "it is what the docker exec of an MCP server executes", true, false
	case c.runsServerImage(n):
		return "docker exec brought it into a container of an MCP server's image", true, false
	case n.memory.server && !n.memory.byShape && n.memory.lineage == n.ID():
		return "it was a server while its session lived", true, n.memory.likely
	}
	return "", false, false
}

// runsKnownService reports a runner of a service of which a container is known for an MCP server.
func (c *correlation) runsKnownService(n *node) bool {
	return n.docker != nil && n.docker.Service != "" && slices.ContainsFunc(c.snapshot.Containers, func(k inventory.Container) bool {
		class := c.catalogue.Container(&k)
		return class.Role == inventory.RoleServer && !class.Likely && n.docker.Labelled(k.Labels)
	})
}

func (c *correlation) mayBeServer(n *node) bool {
	if n.sealed || n.first || n.class.Role == inventory.RoleBoundary {
		return false
	}
	return n.class.Role != inventory.RoleSession || isConfigured(n)
}

// isConfigured reports a process that a client's configuration makes a server. A project's file, which came with a
// repository, does so for what hangs below a session in that project; another user's address for nothing.
func isConfigured(n *node) bool {
	switch {
	case n.Configured == "" || n.ConfiguredBy == "elsewhere":
		return false
	case n.ConfiguredIn == "":
		return true
	}
	inProject := func(at *node) bool { return at.class.Role == inventory.RoleSession && isBelow(at.Cwd, n.ConfiguredIn) }
	return ancestor(n, inProject) != nil
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
	c.countShapes()
	recalled := c.recallServers()
	for _, n := range c.nodes {
		if n.server || len(c.shapes) == 0 || !c.mayBeServer(n) || n.isOther() {
			continue
		}
		if of := ShapeOf(n.Process); c.shapes.has(of) && (!cmdline.RunsLine(n.Args()) || c.hasShape(n)) {
			c.shapes.see(of, c.snapshot.TakenAt, 0)
			c.serveByShape(n)
		}
	}
	for _, n := range recalled { // a look that reads only what matters knows these shapes from now on
		c.shapes.see(ShapeOf(n.Process), c.snapshot.TakenAt, 0)
	}
}

// countShapes notes the shapes of servers, each with the number of its copies at this look.
func (c *correlation) countShapes() {
	copies := map[string]int{}
	for _, n := range c.nodes {
		if c.hasShape(n) {
			copies[ShapeOf(n.Process)]++
		}
	}
	for of, count := range copies {
		c.shapes.see(of, c.snapshot.TakenAt, count)
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
			c.serveByShape(n)
			recalled = append(recalled, n)
		}
	}
	return recalled
}

// isPersons reports a program that only a person uses, or one with a window that is no browser.
func (n *node) isPersons() bool {
	return n.class.Person || n.Display.Or(false) && !n.class.Browser
}

// isOther reports what its stdio makes no MCP server: a person's program, a browser, a language server, a hook.
func (n *node) isOther() bool { return n.isPersons() || n.class.Browser || n.class.Aid }

// serveByShape makes a process a server that nothing but a shape tells.
func (c *correlation) serveByShape(n *node) {
	n.server, n.byShape = true, true
	n.likely = c.shapes.copies(ShapeOf(n.Process)) < copiesKnown
	n.how = "its session or gateway holds its stdin and its stdout, or those of another with the same command"
}

// hasShape reports a child of a session or gateway whose stdin and stdout its parent
// holds. Shell lines below a session do not count: sessions run tools that way, and
// gateways do not.
func (c *correlation) hasShape(n *node) bool {
	if n.server || !c.mayBeServer(n) || n.isOther() || n.class.Role == inventory.RoleSession || n.lineage != lineageLive {
		return false
	}
	parent := n.parent
	ofSession := parent.class.Role == inventory.RoleSession && !parent.class.Editor && !cmdline.RunsLine(n.Args())
	if !ofSession && parent.class.Role != inventory.RoleGateway || len(n.Args()) == 0 || passesStdin(parent, n) {
		return false
	}
	return isHeldBy(n.Stdin, parent.PID) && (n.Stdout.IsZero() || isHeldBy(n.Stdout, parent.PID))
}

// findClients finds the processes that give a server its stdio. They are clients and no
// servers, nor is the launcher of such a one: an agent may be called mcp_chatbot.py.
func (c *correlation) findClients() {
	var clients []*node
	for _, n := range c.nodes {
		if !n.server {
			continue
		}
		for _, giver := range c.holders(n.Stdin) {
			if giver.gives(n) && !c.isRelay(giver) {
				clients = append(clients, giver)
			}
		}
	}
	for _, n := range clients {
		n.client, n.server = true, false
		for n.lineage == lineageLive && isSameStream(n.parent.Stdin, n.Stdin) && !c.isRelay(n.parent) {
			n = n.parent
			n.server = false
		}
	}
}

// gives reports that a process has the other ends of a server's stdio and did not inherit
// them: it is as old as the server, or older, and its own stdio is another.
func (n *node) gives(server *node) bool {
	if n == server || !n.Alive() || isSameStream(n.Stdin, server.Stdin) || olderFirst(n, server) > 0 || !isHeldBy(server.Stdin, n.PID) {
		return false
	}
	stdout := server.Stdout.Or(inventory.Stdio{})
	return !stdout.Connected() || isHeldBy(server.Stdout, n.PID)
}

// isRelay reports a process that gives servers their stdio and is left over itself when
// nobody uses it any more: a gateway or relay of the catalogue, a server that a client's
// configuration names, and a known server that a session was seen to speak to.
func (c *correlation) isRelay(n *node) bool {
	switch {
	case n.class.Role == inventory.RoleGateway, n.class.Relay, n.class.Added, isConfigured(n):
		return true
	case n.class.Role == inventory.RoleSession, c.isBoundary(n):
		return true // never part of a tree
	}
	return n.server && !n.likely && (n.memory.served || c.isServed(n))
}

// isServed reports that a session holds an end of a process's stdio.
func (c *correlation) isServed(n *node) bool {
	isClient := func(holder *node) bool { return holder.session != nil }
	return slices.ContainsFunc(c.holders(n.Stdin), isClient) || slices.ContainsFunc(c.holders(n.Stdout), isClient)
}

func baseName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
