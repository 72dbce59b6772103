package graph

import (
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/inventory"
)

// client is a live process that runs a container, attaches to one or executes a
// program in one, and passes its own stdio on.
type client struct {
	*node
	line cmdline.ContainerLine
	// gone: its tree is orphaned or disconnected. The process runs, and nobody uses
	// it.
	gone bool
	// container is the container that is known to be its own; nil if none is.
	container *container
}

// youngClient is how long a client may have no container: the engine is still
// creating it.
const youngClient = 10 * time.Second

// createdSlack is how much earlier than its client a container may seem to be
// created. Both times come from the host's clock, but one is counted in ticks.
const createdSlack = 500 * time.Millisecond

// clientsOf lists the live clients that run one of these commands and pass their
// stdin on, oldest first.
func (c *correlation) clientsOf(commands ...string) []*client {
	var found []*client
	for _, n := range c.nodes {
		if n.docker != nil && n.docker.PassesStdin() && slices.Contains(commands, n.docker.Command) {
			found = append(found, &client{node: n, line: *n.docker, gone: c.isGone(n)})
		}
	}
	return found
}

// isGone reports that a process is part of a tree that is certainly orphaned or
// disconnected.
func (c *correlation) isGone(n *node) bool {
	t := n.tree
	if t == nil || !t.doubt.IsZero() {
		return false
	}
	return t.finding == FindingOrphaned || t.finding == FindingDisconnected
}

// hasToHave reports that the client is old enough to have its container.
func (c *correlation) hasToHave(cl *client) bool {
	return cl.StartedAt.IsZero() || c.snapshot.TakenAt.Sub(cl.StartedAt) > youngClient
}

func (cl *client) hasOpenStdin() bool {
	stdin, known := cl.Stdin.Get()
	return known && stdin.Connected() && stdin.Peer == inventory.PeerOpen
}

// names reports that the client's arguments name the container: by the id in its
// --cidfile, else by --name or, for exec, start and attach, by the container
// argument.
func (c *correlation) names(cl *client, container *inventory.Container) bool {
	if cl.ContainerFile != "" {
		return cl.ContainerFile == container.ID
	}
	return cl.line.Names(container.ID, container.Name, func(word string) bool {
		return slices.ContainsFunc(c.snapshot.Containers, func(other inventory.Container) bool {
			return other.ID != container.ID && (strings.HasPrefix(other.ID, word) || strings.TrimPrefix(other.Name, "/") == word)
		})
	})
}

// isCreator reports that a client which names a container can have created it: it
// runs this very image, its user can use the engine, and it is older than the
// container by a clock that both share. Only the end of such a client counts against
// a container, because any process can carry any arguments.
func (c *correlation) isCreator(cl *client, container *inventory.Container) bool {
	uid, known := cl.UID.Get()
	return cl.line.Command == "run" && c.names(cl, container) &&
		cl.line.Image != "" && !cmdline.DifferentImage(cl.line.Image, container.Image) &&
		known && c.docker.Reaches(uid, container) &&
		c.order(cl, container) < 0
}

// couldHave reports that neither the arguments nor the times rule out that the
// container is the client's. A client that named its container can have no other.
func (c *correlation) couldHave(cl *client, container *inventory.Container) bool {
	if named := cl.ContainerFile != "" || cl.line.Name != "" && container.Name != ""; named && !c.names(cl, container) {
		return false
	}
	return sameClass(cl, container) && c.order(cl, container) <= 0
}

// couldRun is couldHave, and the stdins do not rule it out either: a client with an
// open stdin has a container whose stdin the shim still holds. The reverse does not
// follow: `docker run -i … </dev/null`.
func (c *correlation) couldRun(cl *client, container *inventory.Container) bool {
	return c.couldHave(cl, container) && (!cl.hasOpenStdin() || container.Stdin != inventory.PeerClosed)
}

// sameClass reports that image, labels and command do not contradict each other, as
// far as both sides give them.
func sameClass(cl *client, container *inventory.Container) bool {
	return cl.line.MayRun(container.Image, container.Labels, inventory.TrimArgs(container.Command))
}

// order compares the start of a client with that of a container: -1 if the client
// started first or at the same time, 1 if it is younger, 0 if no clock covers both.
// If the container's first process is in the table, the kernel's start marks are
// compared; else the wall clock, provided that the engine shares ours.
func (c *correlation) order(cl *client, container *inventory.Container) int {
	clientFirst := false
	switch first := c.byPID[container.PID]; {
	case first != nil && first.ContainerID == container.ID:
		clientFirst = cl.Start <= first.Start
	case cl.StartedAt.IsZero() || container.CreatedAt.IsZero() || !c.docker.SharesClock(container):
		return 0
	default:
		clientFirst = !container.CreatedAt.Before(cl.StartedAt.Add(-createdSlack))
	}
	if clientFirst {
		return -1
	}
	return 1
}

// ownerOfClient is the nearest session or gateway above a container's client.
func (c *correlation) ownerOfClient(cl *client) Owner {
	if cl.tree != nil {
		return cl.tree.owner
	}
	if cl.lineage == lineageLive {
		return c.ownerAbove(cl.node)
	}
	return c.asOwner(cl.node)
}

// formerOwner is the owner of a gone client: live if the client is only disconnected,
// else gone.
func formerOwner(cl *client) Owner {
	owner := cl.tree.owner
	if cl.tree.finding != FindingDisconnected {
		owner.Liveness = LivenessGone
	}
	return owner
}

// mayBeClient reports a process that may be a container's client although its
// arguments are not known, or only in part: it was one when last seen, its program is
// one, or nothing is known of it and it runs below a session or gateway.
func (c *correlation) mayBeClient(n *node) bool {
	if len(n.Args()) > 0 && n.ArgvHash == "" {
		return false
	}
	if n.memory.runsContainer {
		return true
	}
	if n.Exe == "" && n.Comm == "" {
		return n.lineage == lineageLive && c.ownerAbove(n).Recognised()
	}
	return cmdline.IsContainerClient(strings.TrimSuffix(n.Exe, " (deleted)")) || cmdline.IsContainerClient(n.Comm)
}

// carriesClient reports a `docker system dial-stdio` through which a client on
// another host reaches this engine over ssh. The process outlives that client until
// the engine closes the connection: meanwhile its stdin has ended, and nobody reads
// its stdout.
func (c *correlation) carriesClient(n *node) bool {
	if n.docker == nil || !n.docker.CarriesClient() || c.isGone(n) {
		return false
	}
	own := func(pid int) bool { return pid == n.PID }
	hasEnded := n.Stdin.Or(inventory.Stdio{}).Kind == inventory.KindClosed || c.endOf(own, n.Stdin).state == endGone
	return !hasEnded || c.endOf(own, n.Stdout).state != endGone
}
