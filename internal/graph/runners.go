package graph

import (
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/inventory"
)

// runner is a live process that runs a container, attaches to one or executes a
// program in one, and passes its own stdio on.
type runner struct {
	*node
	line cmdline.ContainerLine
	// gone: its tree is orphaned or disconnected. The process runs, and nobody uses
	// it.
	gone bool
	// container is the container that is known to be its own; nil if none is.
	container *container
}

// youngRunner is how long a runner may have no container: the engine is still
// creating it.
const youngRunner = 10 * time.Second

// createdSlack is how much earlier than its runner a container may seem to be
// created. Both times come from the host's clock, but one is counted in ticks.
const createdSlack = 500 * time.Millisecond

// runnersOf lists the live runners that run one of these commands and pass their
// stdin on, oldest first.
func (c *correlation) runnersOf(commands ...string) []*runner {
	var found []*runner
	for _, n := range c.nodes {
		if n.docker != nil && n.docker.PassesStdin() && slices.Contains(commands, n.docker.Command) {
			found = append(found, &runner{node: n, line: *n.docker, gone: c.isGone(n)})
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

// hasToHave reports that the runner is old enough to have its container.
func (c *correlation) hasToHave(r *runner) bool {
	return r.StartedAt.IsZero() || c.snapshot.TakenAt.Sub(r.StartedAt) > youngRunner
}

func (r *runner) hasOpenStdin() bool {
	stdin, known := r.Stdin.Get()
	return known && stdin.Connected() && stdin.Peer == inventory.PeerOpen
}

// names reports that the runner's arguments name the container: by the id in its
// --cidfile, else by --name or, for exec, start and attach, by the container
// argument.
func (c *correlation) names(r *runner, container *inventory.Container) bool {
	if r.ContainerFile != "" {
		return r.ContainerFile == container.ID
	}
	return r.line.Names(container.ID, container.Name, func(word string) bool {
		return slices.ContainsFunc(c.snapshot.Containers, func(other inventory.Container) bool {
			return other.ID != container.ID && (strings.HasPrefix(other.ID, word) || strings.TrimPrefix(other.Name, "/") == word)
		})
	})
}

// isCreator reports that a runner which names a container can have created it: it
// runs this very image, its user can use the engine, and it is older than the
// container by a clock that both share. Only the exit of such a runner counts against
// a container, because any process can carry any arguments.
func (c *correlation) isCreator(r *runner, container *inventory.Container) bool {
	uid, known := r.UID.Get()
	return r.line.Command == "run" && c.names(r, container) &&
		r.line.Image != "" && !cmdline.DifferentImage(r.line.Image, container.Image) &&
		known && c.docker.Reaches(uid, container) &&
		c.order(r, container) < 0
}

// couldHave reports that neither the arguments nor the times rule out that the
// container is the runner's. A runner that named its container can have no other.
func (c *correlation) couldHave(r *runner, container *inventory.Container) bool {
	if named := r.ContainerFile != "" || r.line.Name != "" && container.Name != ""; named && !c.names(r, container) {
		return false
	}
	return sameClass(r, container) && c.order(r, container) <= 0
}

// couldRun is couldHave, and the stdins do not rule it out either: a runner with an
// open stdin has a container whose stdin the shim still holds. The reverse does not
// follow: `docker run -i … </dev/null`.
func (c *correlation) couldRun(r *runner, container *inventory.Container) bool {
	return c.couldHave(r, container) && (!r.hasOpenStdin() || container.Stdin != inventory.PeerClosed)
}

// sameClass reports that image, labels and command do not contradict each other, as
// far as both sides give them.
func sameClass(r *runner, container *inventory.Container) bool {
	return r.line.MayRun(container.Image, container.Labels, inventory.TrimArgs(container.Command))
}

// order compares the start of a runner with that of a container: -1 if the runner
// started first or at the same time, 1 if it is younger, 0 if no clock covers both.
// If the container's first process is in the table, the kernel's start marks are
// compared; else the wall clock, provided that the engine shares ours.
func (c *correlation) order(r *runner, container *inventory.Container) int {
	runnerFirst := false
	switch first := c.byPID[container.PID]; {
	case first != nil && first.ContainerID == container.ID:
		runnerFirst = r.Start <= first.Start
	case r.StartedAt.IsZero() || container.CreatedAt.IsZero() || !c.docker.SharesClock(container):
		return 0
	default:
		runnerFirst = !container.CreatedAt.Before(r.StartedAt.Add(-createdSlack))
	}
	if runnerFirst {
		return -1
	}
	return 1
}

// ownerOfRunner is the nearest session or gateway above a container's runner.
func (c *correlation) ownerOfRunner(r *runner) Owner {
	if r.tree != nil {
		return r.tree.owner
	}
	if r.lineage == lineageLive {
		return c.ownerAbove(r.node)
	}
	return c.asOwner(r.node)
}

// formerOwner is the owner of a gone runner: live if the runner is only disconnected,
// else gone.
func formerOwner(r *runner) Owner {
	owner := r.tree.owner
	if r.tree.finding != FindingDisconnected {
		owner.Liveness = LivenessGone
	}
	return owner
}

// mayBeRunner reports a process that may be a container's runner although its
// arguments are not known, or only in part: it was one when last seen, its program is
// one, or nothing is known of it and it runs below a session or gateway.
func (c *correlation) mayBeRunner(n *node) bool {
	if len(n.Args()) > 0 && n.ArgvHash == "" {
		return false
	}
	if n.memory.runsContainer {
		return true
	}
	if n.Exe == "" && n.Comm == "" {
		return n.lineage == lineageLive && c.ownerAbove(n).Recognised()
	}
	return cmdline.IsContainerCLI(strings.TrimSuffix(n.Exe, " (deleted)")) || cmdline.IsContainerCLI(n.Comm)
}

// carriesRunner reports a `docker system dial-stdio` through which a runner on
// another host reaches this engine over ssh. The process outlives that runner until
// the engine closes the connection: meanwhile its stdin has ended, and nobody reads
// its stdout.
func (c *correlation) carriesRunner(n *node) bool {
	if n.docker == nil || !n.docker.CarriesRunner() || c.isGone(n) {
		return false
	}
	own := func(pid int) bool { return pid == n.PID }
	isClosed := n.Stdin.Or(inventory.Stdio{}).Kind == inventory.KindClosed || c.endOf(own, n.Stdin).state == endGone
	return !isClosed || c.endOf(own, n.Stdout).state != endGone
}
