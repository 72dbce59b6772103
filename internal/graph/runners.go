package graph

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/inventory"
)

// runner is a live process of a container CLI that stays for as long as what it has brought
// about: a container, or a process in one. `docker compose run` and its plugin are one.
type runner struct {
	*node
	line  cmdline.ContainerLine
	image cmdline.Image
	kind  int      // of its arguments: see kinds
	named []string // ids of the containers that it names, or is attached to
	// attached are the ids of the containers of podman's to whose monitors it is connected.
	attached []string
	own      *band // the band in which an earlier look saw it to be; nil is none
	found    *band // that of this look
	// sure: it certainly has what it has brought about, on an engine that is looked at.
	sure bool
	// gone: its tree is orphaned or disconnected. The process runs, and nobody uses it. This
	// is known once the trees are judged.
	gone bool
	// container is the container that is known to be its own; nil if none is. staying is one
	// that may be its and is not reaped.
	container, staying *container
}

// youngRunner is how long a runner may have nothing yet: the engine is still at work.
const youngRunner = 10 * time.Second

// createdSlack is how much earlier than its runner a container may seem to be created. Both
// times come from the host's clock, but one is counted in ticks.
const createdSlack = 500 * time.Millisecond

// findRunners lists the live runners, oldest first. One that certainly speaks to no engine
// that is looked at is left out: it can be attached to none of the containers.
func (c *correlation) findRunners() {
	attached := c.attachedTo()
	for _, n := range c.engineRunners {
		r := &runner{node: n, line: *n.docker, image: c.imageOf(n.docker.Image), attached: attached[n.PID], own: n.memory.band}
		if r.named = r.attached; r.named == nil {
			r.named = c.naming.namedBy(r)
		}
		connected, told := c.isConnected(n)
		if told && !connected && c.onlyKnownClients() {
			c.elsewhere = append(c.elsewhere, r)
			continue
		}
		r.sure = (connected || !told && c.everyRunnerSeen && c.mayUseEngine(n)) && r.State != "T" && r.line.Unknown == "" && c.hasToHave(r)
		c.runners = append(c.runners, r)
	}
	c.runners = slices.DeleteFunc(c.runners, c.hasPlugin)
}

// mayUseEngine reports that a process speaks to an engine that is looked at as far as its user and its
// arguments tell.
func (c *correlation) mayUseEngine(n *node) bool {
	reaches := func(k inventory.Container) bool { return c.reaches(n, &k) }
	return !n.docker.Elsewhere && slices.ContainsFunc(c.snapshot.Containers, reaches)
}

// hasPlugin reports a CLI below which a plugin does what it was asked to do.
func (c *correlation) hasPlugin(r *runner) bool {
	return slices.ContainsFunc(c.runners, func(other *runner) bool {
		return other.parent == r.node && other.lineage == lineageLive && other.line.Command == r.line.Command && other.line.Service == r.line.Service
	})
}

// attachedTo are, by PID, the ids of the containers of podman's to whose monitors a process is
// connected.
func (c *correlation) attachedTo() map[int][]string {
	ids := map[int][]string{}
	for i := range c.snapshot.Containers {
		k := &c.snapshot.Containers[i]
		attached, _ := k.Attached.Get()
		for _, connection := range attached {
			for _, pid := range connection.PIDs {
				ids[pid] = append(ids[pid], k.ID)
			}
		}
	}
	return ids
}

// isConnected reports that a process, or one below it, has a connection to an engine, or is
// attached to a container of podman's. told is false where that cannot be known.
func (c *correlation) isConnected(n *node) (connected, told bool) {
	if c.connected[n.PID] {
		return true, true
	}
	told = c.everyConnection && c.everyRunnerSeen && n.docker.Program == "docker" && n.OpenFDs.IsKnown() && !n.docker.Elsewhere
	for _, child := range n.children {
		if child.docker != nil {
			below, known := c.isConnected(child)
			connected, told = connected || below, told && known
		}
	}
	return connected, told
}

// onlyKnownClients reports that nobody but container CLIs and reaperd itself is connected to the
// engines: whoever else is may pass on what runners say.
func (c *correlation) onlyKnownClients() bool {
	for pid := range c.connected {
		if n := c.byPID[pid]; n == nil || n.docker == nil && pid != c.snapshot.Host.SelfPID {
			return false
		}
	}
	return true
}

// findConnected notes who is connected to engines, and whether all connections are known.
func (t *table) findConnected() {
	t.connected, t.everyConnection, t.everyRunnerSeen = map[int]bool{}, t.docker.Known && !t.docker.Failed, true
	for _, source := range t.snapshot.Sources {
		connections, known := source.Connections.Get()
		answered := source.Name == inventory.SourceDocker && source.Status != inventory.StatusAbsent
		t.everyConnection = t.everyConnection && (known || !answered)
		t.everyRunnerSeen = t.everyRunnerSeen && (source.RunnersVisible.Or(true) || !answered)
		for _, connection := range connections {
			for _, pid := range connection.PIDs {
				t.connected[pid] = true
			}
			t.everyConnection = t.everyConnection && len(connection.PIDs) > 0
		}
	}
}

// isGone reports that a process is part of a tree that is certainly orphaned or
// disconnected.
func (c *correlation) isGone(n *node) bool {
	t := n.tree
	return t != nil && t.doubt.IsZero() && (t.finding == FindingOrphaned || t.finding == FindingDisconnected)
}

// hasToHave reports that the runner is old enough to have what it brings about.
func (c *correlation) hasToHave(r *runner) bool {
	return r.StartedAt.IsZero() || c.snapshot.TakenAt.Sub(r.StartedAt) > youngRunner
}

// hasOpenStdin reports that somebody else than the runner has the other end of its stdin.
func (r *runner) hasOpenStdin() bool {
	stdin, known := r.Stdin.Get()
	isOther := func(pid int) bool { return pid != r.PID }
	return known && stdin.Connected() && stdin.Peer == inventory.PeerOpen &&
		(len(stdin.Holders) == 0 || slices.ContainsFunc(stdin.Holders, isOther))
}

// names reports that the runner names the container of that id.
func (r *runner) names(id string) bool { return slices.Contains(r.named, id) }

// isCreator reports that a runner which names a container can have created it, or started it:
// it runs this very image, it reaches the engine, and it is older than the container by a clock
// that both share. Only the exit of such a runner counts against a container, because any
// process can carry any arguments.
func (c *correlation) isCreator(r *runner, k *container) bool {
	if !r.names(k.ID) || !c.reaches(r.node, k.Container) {
		return false
	}
	switch r.line.Command {
	case "run":
		return (r.line.Image != "" || r.line.Service != "") && !r.image.Differs(k.image) && order(r, &k.thing) < 0
	case "start":
		return k.clock == clockOfKernel && order(r, &k.thing) < 0
	}
	return false
}

// reaches reports that a process can use the engine of a container: it is connected to it, or
// its user is known to reach it. What is in a container itself is nobody on the host, whatever
// its user's number.
func (t *table) reaches(n *node, k *inventory.Container) bool {
	uid, known := n.UID.Get()
	return t.connected[n.PID] || n.ContainerID == t.ownContainer() && known && t.docker.Reaches(uid, k)
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
func (c *correlation) clockOf(k *inventory.Container) (by clock, first *node) {
	switch first = c.byPID[k.PID]; {
	case first != nil && first.ContainerID == k.ID:
		return clockOfKernel, first
	case !k.CreatedAt.IsZero() && c.docker.SharesClock(k):
		return clockOfWall, nil
	}
	return clockUnknown, nil
}

// order compares the start of a runner with that of what it may have brought about: -1 if the
// runner started first or at the same time, 1 if it is younger, 0 if no clock covers both.
func order(r *runner, x *thing) int {
	switch {
	case x.clock != clockOfKernel && (x.clock == clockUnknown || r.StartedAt.IsZero()):
		return 0
	case x.clock == clockOfKernel && r.Start <= x.first.Start, x.clock != clockOfKernel && !x.created.Before(r.StartedAt.Add(-createdSlack)):
		return -1
	}
	return 1
}

// ownerOfRunner is the nearest session or gateway above a container's runner.
func (c *correlation) ownerOfRunner(r *runner) Owner {
	if r.tree != nil && r.tree.owner != (Owner{}) {
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

// isServerRunner reports a runner that the catalogue or a client's configuration knows for an
// MCP server.
func (n *node) isServerRunner() bool {
	return n.class.Role == inventory.RoleServer || n.Configured != ""
}

// naming finds the containers that a word may name.
type naming struct {
	byName map[string][]*inventory.Container // without the slash in front
	byID   []*inventory.Container            // sorted
}

func newNaming(containers []inventory.Container) *naming {
	n := &naming{byName: map[string][]*inventory.Container{}}
	for i := range containers {
		name := containers[i].Called()
		n.byName[name] = append(n.byName[name], &containers[i])
		n.byID = append(n.byID, &containers[i])
	}
	slices.SortStableFunc(n.byID, func(a, b *inventory.Container) int { return strings.Compare(a.ID, b.ID) })
	return n
}

// beginning lists the containers whose id begins with a word.
func (n *naming) beginning(word string) []*inventory.Container {
	from, _ := slices.BinarySearchFunc(n.byID, word, func(k *inventory.Container, word string) int { return strings.Compare(k.ID, word) })
	to := from
	for to < len(n.byID) && strings.HasPrefix(n.byID[to].ID, word) {
		to++
	}
	return n.byID[from:to]
}

// namedBy lists the ids of the containers that a runner's arguments name: by the id in
// its --cidfile, else by --name or, for exec, start and attach, by the container
// argument, or by the service of Compose's exec.
func (n *naming) namedBy(r *runner) (ids []string) {
	if id := r.ContainerFile; id != "" {
		if begin := n.beginning(id); len(begin) > 0 && begin[0].ID == id {
			ids = append(ids, id)
		}
		return ids
	}
	if r.line.Service != "" && r.line.Command == "exec" {
		for _, k := range n.byID {
			if r.line.Labelled(k.Labels) {
				ids = append(ids, k.ID)
			}
		}
		return ids
	}
	word := strings.TrimPrefix(cmp.Or(r.line.Name, r.line.Container), "/")
	if word == "" {
		return nil
	}
	for _, k := range n.byName[word] {
		ids = append(ids, k.ID)
	}
	if begin := n.beginning(word); len(ids) == 0 && r.line.Name == "" && len(begin) == 1 {
		ids = append(ids, begin[0].ID)
	}
	slices.Sort(ids)
	return ids
}
