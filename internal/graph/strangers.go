package graph

import (
	"fmt"
	"slices"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
)

// This file is about who else is connected to an engine. Behind any connection somebody may be
// attached to a container, even if the connection is older: programs use one that is open already.
// These do not attach to the containers of others, and are no strangers: reaperd itself; the
// container CLIs, whose processes are judged as runners; the programs that the catalogue or the
// policy says only watch; and what is leaked itself.

// The labels of a container that starts no containers for clients of its own.
const (
	selfLabel  = "reaperd.self"  // reaperd's own
	proxyLabel = "reaperd.proxy" // a socket proxy in front of reaperd
)

// Stranger is somebody who may be attached to a container, as far as can be seen. The zero value is
// nobody.
type Stranger struct {
	Says human.Sentence // who, and why that may be
	// Trust is the entry that a person adds to `trust:` in the policy if this one only watches: then its
	// connection keeps nothing. It is empty where no entry could name it.
	Trust string
}

// IsZero reports nobody.
func (s Stranger) IsZero() bool { return s.Says.IsZero() }

// strangerOf is the first who is connected to the container's engine and may be attached to the
// container; zero if nobody is.
func (c *correlation) strangerOf(k *container) Stranger {
	connections, _ := c.docker.Connections(k.Container)
	for _, connection := range connections {
		if stranger := c.strangerAt(connection); !stranger.IsZero() {
			return stranger
		}
	}
	return Stranger{}
}

// strangerAt is the stranger behind a connection; zero if there is none.
func (c *correlation) strangerAt(connection inventory.Connection) Stranger {
	if known, asked := c.strangers[connection.ID]; asked && connection.ID != "" {
		return known
	}
	found := c.findStranger(connection)
	c.strangers[connection.ID] = found
	return found
}

func (c *correlation) findStranger(connection inventory.Connection) Stranger {
	if len(connection.PIDs) == 0 {
		if uid, known := connection.UID.Get(); known {
			return attached("a process of uid %d that cannot be seen from here", uid)
		}
		return attached("a process that cannot be seen from here")
	}
	for _, pid := range connection.PIDs {
		switch n := c.byPID[pid]; {
		case n == nil:
			return attached("process %d, which was not read,", pid)
		case n.Alive() && !c.isTrusted(n):
			return c.strangerBy(n)
		}
	}
	return Stranger{}
}

// attached is a stranger of whom no more is known than the connection.
func attached(who string, facts ...any) Stranger {
	return Stranger{Says: human.Say(who+" is connected to its engine and may be attached to it", facts...)}
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
	self := c.byPID[c.snapshot.Host.SelfPID]
	return k != nil && (k.Labels[proxyLabel] == "true" || k.Labels[selfLabel] == "true" || self != nil && self.ContainerID == k.ID || c.catalogue.Watches(nil, k))
}

// strangerBy is a stranger by its process, which a container may run.
func (c *correlation) strangerBy(n *node) Stranger {
	found := attached("%v", c.nameOf(n, n.PID))
	if k := c.containers[n.ContainerID]; k != nil {
		found = attached("container %s", human.Mark(k.Handle()))
		found.Trust = trusts(k)
		return found
	}
	found.Trust = fmt.Sprintf("[{name: %s, match: {exe: [%q]}}]", c.catalogue.Program(n.Process), programOf(n.Process))
	return found
}

func trusts(k *inventory.Container) string {
	return fmt.Sprintf("[{name: %s, match: {image: %q}}]", k.Handle(), k.Image)
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

// findHidden finds what makes "no runner has this container" unproven: unread, a process that
// may be a runner; carrier, one through which another host may speak; strays, live runners whose
// own container was not found, one for each image.
func (c *correlation) findHidden() {
	isOrphan := func(n *node) bool { return c.isGone(n) && n.tree.finding == FindingOrphaned }
	c.unread = first(c.nodes, func(n *node) bool { return c.mayBeRunner(n) && !isOrphan(n) })
	c.carrier = first(c.nodes, c.carriesRunner)
	seen := map[string]bool{}
	for _, r := range c.runners {
		asks := r.line.Command + " " + r.line.Image
		isPlaced := r.kind != noKind && slices.Contains(c.kinds.fits[r.kind], true) || len(r.named) > 0 || r.line.Service != "" // Compose labels what it makes
		if r.gone || r.line.Command == "exec" || r.line.Command == "run" && !r.line.PassesStdin() || isPlaced || seen[asks] {
			continue
		}
		seen[asks] = true
		c.strays = append(c.strays, r)
	}
}
