package graph

import (
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/inventory"
)

// client is a live process that runs a container, looks into one, or brought a
// process into one, over its own stdio.
type client struct {
	*node
	line cmdline.ContainerLine
	// gone: its tree is orphaned or disconnected. The process is there, and
	// nobody is behind it.
	gone bool
	// container is the one that is known to be its, nil for none.
	container *container
}

// youngClient is for how long a client may be without its container: it is
// still being created.
const youngClient = 10 * time.Second

// createdSlack is how much earlier than its client a container may seem to be
// created: both clocks are the host's, and one of them counts in ticks.
const createdSlack = 500 * time.Millisecond

// clientsOf lists the live clients of some commands that pass their stdin on,
// older first.
func (c *correlation) clientsOf(commands ...string) []*client {
	var found []*client
	for _, n := range c.nodes {
		if n.docker != nil && n.docker.PassesStdin() && slices.Contains(commands, n.docker.Command) {
			found = append(found, &client{node: n, line: *n.docker, gone: c.isGone(n)})
		}
	}
	return found
}

// isGone reports that nobody is behind a process: its tree is left over, for
// certain.
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

// names reports that the client's own words name the container: by the id in its
// --cidfile, else by its --name or (exec, start, attach) the container itself.
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

// isCreator reports that a client which names a container can have created it:
// it runs this very image, its user reaches the engine, and it is older by a
// clock that counts for both. Only the end of such a client condemns, since any
// process may bear any words.
func (c *correlation) isCreator(cl *client, container *inventory.Container) bool {
	uid, known := cl.UID.Get()
	return cl.line.Command == "run" && c.names(cl, container) &&
		cl.line.Image != "" && !cmdline.DifferentImage(cl.line.Image, container.Image) &&
		known && c.docker.Reaches(uid, container) &&
		c.order(cl, container) < 0
}

// couldHave reports that neither words nor times speak against the container being
// the client's. One that gave its container a name has no other.
func (c *correlation) couldHave(cl *client, container *inventory.Container) bool {
	if named := cl.ContainerFile != "" || cl.line.Name != "" && container.Name != ""; named && !c.names(cl, container) {
		return false
	}
	return sameClass(cl, container) && c.order(cl, container) <= 0
}

// couldRun reports that their streams do not either: a client whose own stdin is
// open has a container whose stdin the shim still holds. The reverse says nothing:
// `docker run -i … </dev/null`.
func (c *correlation) couldRun(cl *client, container *inventory.Container) bool {
	return c.couldHave(cl, container) && (!cl.hasOpenStdin() || container.Stdin != inventory.PeerClosed)
}

// sameClass compares image, labels and command, as far as both sides say them.
func sameClass(cl *client, container *inventory.Container) bool {
	return cl.line.MayRun(container.Image, container.Labels, inventory.TrimArgs(container.Command))
}

// order compares the starts of a client and a container, negative where the client
// is not the younger, zero where no clock counts for both: the kernel's does where
// the container's first process is in the table, else the wall clock where the
// engine has ours.
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

// formerOwner is whose a client is that nobody is behind any more: gone, or, for
// one that was only let go of, alive.
func formerOwner(cl *client) Owner {
	owner := cl.tree.owner
	if cl.tree.finding != FindingDisconnected {
		owner.Liveness = LivenessGone
	}
	return owner
}

// mayBeClient reports a process whose arguments are not known, or not all of them,
// and that ran a container when last seen, does so by its program, or, below a
// session or gateway, of which nothing is known at all.
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

// carriesClient reports a process through which a client on another host reaches
// this engine over ssh. It outlives that client for as long as the engine keeps its
// connection: then its stdin has ended, after which it closes it, and nobody reads
// its stdout.
func (c *correlation) carriesClient(n *node) bool {
	if n.docker == nil || !n.docker.CarriesClient() || c.isGone(n) {
		return false
	}
	own := func(pid int) bool { return pid == n.PID }
	hasEnded := n.Stdin.Or(inventory.Stdio{}).Kind == inventory.KindClosed || c.endOf(own, n.Stdin).state == endGone
	return !hasEnded || c.endOf(own, n.Stdout).state != endGone
}
