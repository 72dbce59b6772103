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
	line  cmdline.ContainerLine
	image cmdline.Image
	kind  int      // of its arguments: see kinds
	named []string // ids of the containers that its arguments name
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
	for _, n := range c.engineRunners {
		if slices.Contains(commands, n.docker.Command) {
			r := &runner{node: n, line: *n.docker, image: c.images.of(n.docker.Image), gone: c.isGone(n)}
			r.named = c.naming.namedBy(r)
			found = append(found, r)
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

// names reports that the runner's arguments name the container of that id.
func (r *runner) names(id string) bool { return slices.Contains(r.named, id) }

// isCreator reports that a runner which names a container can have created it: it
// runs this very image, its user can use the engine, and it is older than the
// container by a clock that both share. Only the exit of such a runner counts against
// a container, because any process can carry any arguments.
func (c *correlation) isCreator(r *runner, k *container) bool {
	uid, known := r.UID.Get()
	return r.line.Command == "run" && r.names(k.ID) &&
		r.line.Image != "" && !r.image.Differs(k.image) &&
		known && c.docker.Reaches(uid, k.Container) &&
		order(r, k) < 0
}

// rule reports that nothing that it looks at rules out that a container is a runner's.
// Where it holds for one container of a row, it holds for all behind it: see rows.
type rule func(*correlation, *runner, *container) bool

// couldHave reports that neither the arguments nor the times rule out that the
// container is the runner's. A runner that named its container can have no other.
func couldHave(c *correlation, r *runner, k *container) bool {
	if named := r.ContainerFile != "" || r.line.Name != "" && k.Name != ""; named && !r.names(k.ID) {
		return false
	}
	return sameClass(c, r, k) && order(r, k) <= 0
}

// couldRun is couldHave, and the stdins do not rule it out either: a runner with an
// open stdin has a container whose stdin the shim still holds. The reverse does not
// follow: `docker run -i … </dev/null`.
func couldRun(c *correlation, r *runner, k *container) bool {
	return couldHave(c, r, k) && (k.Stdin != inventory.PeerClosed || !r.hasOpenStdin())
}

// sameClass reports that image, labels and command do not contradict each other, as
// far as both sides give them.
func sameClass(c *correlation, r *runner, k *container) bool { return c.kinds.fit(r.kind, k.kind) }

// order compares the start of a runner with that of a container: -1 if the runner
// started first or at the same time, 1 if it is younger, 0 if no clock covers both.
func order(r *runner, k *container) int {
	runnerFirst := false
	switch {
	case k.clock == clockOfKernel:
		runnerFirst = r.Start <= k.first.Start
	case k.clock == clockUnknown || r.StartedAt.IsZero():
		return 0
	default:
		runnerFirst = !k.CreatedAt.Before(r.StartedAt.Add(-createdSlack))
	}
	if runnerFirst {
		return -1
	}
	return 1
}

// clock is what a container's creation is compared by with the start of a runner.
type clock uint8

const (
	clockUnknown  clock = iota
	clockOfKernel       // the start mark of its first process, which is in the table
	clockOfWall         // the time of its creation, by an engine that shares our clock
)

// clockOf is the clock for a container. first is its first process, nil where the
// table does not have it.
func (c *correlation) clockOf(k *container) (by clock, first *node) {
	switch first = c.byPID[k.PID]; {
	case first != nil && first.ContainerID == k.ID:
		return clockOfKernel, first
	case !k.CreatedAt.IsZero() && c.docker.SharesClock(k.Container):
		return clockOfWall, nil
	}
	return clockUnknown, nil
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
