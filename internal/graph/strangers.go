package graph

import (
	"slices"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/sentence"
)

// This file is about who else is connected to an engine. A connection may be that of somebody
// who is attached to a container, whenever it was opened: programs use one that is open already
// for it. What is known not to attach to the containers of others is no stranger: reaperd itself,
// the container CLIs, whose processes are judged as runners, the programs that the catalogue or
// the policy names, and what is left over itself.

// The labels of a container that starts no containers for clients of its own.
const (
	selfLabel  = "reaperd.self"  // reaperd's own
	proxyLabel = "reaperd.proxy" // a socket proxy in front of reaperd
)

// strangerOf says who is connected to the container's engine, or to itself, and may be attached
// to it; zero is nobody.
func (c *correlation) strangerOf(k *container) sentence.S {
	connections, _ := c.docker.Connections(k.Container)
	for _, connection := range connections {
		if who := c.strangerAt(connection); !who.IsZero() {
			return sentence.Of("%v is connected to its engine and may be attached to it", who)
		}
	}
	return sentence.S{}
}

// strangerAt is the stranger behind a connection; zero if there is none.
func (c *correlation) strangerAt(connection inventory.Connection) sentence.S {
	if known, asked := c.strangers[connection.ID]; asked && connection.ID != "" {
		return known
	}
	who := c.findStranger(connection)
	c.strangers[connection.ID] = who
	return who
}

func (c *correlation) findStranger(connection inventory.Connection) sentence.S {
	if len(connection.PIDs) == 0 {
		if uid, known := connection.UID.Get(); known {
			return sentence.Of("a process of uid %d that cannot be seen from here", uid)
		}
		return sentence.Of("a process that cannot be seen from here")
	}
	for _, pid := range connection.PIDs {
		n := c.byPID[pid]
		if n == nil {
			return sentence.Of("process %d, which was not read,", pid)
		}
		if n.Alive() && !c.isTrusted(n) {
			return c.strangerName(n)
		}
	}
	return sentence.S{}
}

// isTrusted reports a process that is no stranger.
func (c *correlation) isTrusted(n *node) bool {
	switch {
	case n.PID == c.snapshot.Host.SelfPID, n.docker != nil && !n.docker.CarriesRunner(), c.catalogue.Watches(n.Process, nil):
		return true
	case n.docker != nil:
		return !c.carriesRunner(n)
	case n.tree != nil:
		return !n.tree.live || n.tree.gateway && n.class.Name == dockerGateway
	}
	return c.isTrustedContainer(c.containers[n.ContainerID])
}

// dockerGateway starts its servers with docker run, and asks the engine for images alone.
const dockerGateway = "docker-mcp-gateway"

// isTrustedContainer reports a container that may have the engine's socket and attaches to no
// other container.
func (c *correlation) isTrustedContainer(k *inventory.Container) bool {
	if k == nil {
		return false
	}
	self := c.byPID[c.snapshot.Host.SelfPID]
	return k.Labels[proxyLabel] == "true" || k.Labels[selfLabel] == "true" || self != nil && self.ContainerID == k.ID || c.catalogue.Watches(nil, k)
}

// strangerName names a stranger, and the remedy: what is trusted keeps nothing.
func (c *correlation) strangerName(n *node) sentence.S {
	name := c.catalogue.Program(n.Process)
	if k := c.containers[n.ContainerID]; k != nil {
		return sentence.Of("container %s (if it only watches: trust: [{name: %s, match: {image: %q}}] in policies.yaml)", sentence.Mark(k.Handle()), k.Handle(), k.Image)
	}
	return sentence.Of("%v (if it only watches: trust: [{name: %s, match: {exe: [%q]}}] in policies.yaml)", c.nameOf(n, n.PID), name, programOf(n.Process))
}

// unseenDoor is a container that was given the socket of another's engine and whose processes
// are not in the table: whom it serves there cannot be seen. nil is none.
func (c *correlation) unseenDoor(k *inventory.Container) *inventory.Container {
	isDoor := func(other inventory.Container) bool {
		return other.HasEngine && other.Running() && other.Engine == k.Engine && len(c.inContainers[other.ID]) == 0 && !c.isTrustedContainer(&other)
	}
	if i := slices.IndexFunc(c.snapshot.Containers, isDoor); i >= 0 {
		return &c.snapshot.Containers[i]
	}
	return nil
}

// findHidden finds runners that may live unrecognised, or whose container was not found.
func (c *correlation) findHidden() {
	isOrphan := func(n *node) bool { return c.isGone(n) && n.tree.finding == FindingOrphaned }
	if i := slices.IndexFunc(c.nodes, func(n *node) bool { return c.mayBeRunner(n) && !isOrphan(n) }); i >= 0 {
		c.unread = c.nodes[i]
	}
	if i := slices.IndexFunc(c.nodes, c.carriesRunner); i >= 0 {
		c.carrier = c.nodes[i]
	}
	seen := map[string]bool{}
	for _, r := range c.runners {
		asks := r.line.Command + " " + r.line.Image
		isPlaced := c.kinds.fitsAny(r.kind) || len(r.named) > 0 || r.line.Service != "" // Compose labels what it makes
		if r.gone || r.line.Command == "exec" || r.line.Command == "run" && !r.line.PassesStdin() || isPlaced || seen[asks] {
			continue
		}
		seen[asks] = true
		c.strays = append(c.strays, r)
	}
}
