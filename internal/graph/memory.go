package graph

import (
	"cmp"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

// memory is what one look hands to the next. It covers only what is still in the
// table and is thus bounded by it. Losing it only delays reaping.
type memory struct {
	processes  map[inventory.ID]*remembered
	targets    map[string]record // of containers, by id
	containers map[string]lastRunner
	shapes     shapeSet
	respawns   respawns
	brakes     map[inventory.ID]string   // sessions that start again what is ended below them, and what they did
	activities map[inventory.ID]Activity // of sessions
	started    map[int]bool              // PIDs that engines started in servers' containers
	detaching  []detaching

	engineFailed bool // an engine exists and did not answer
}

// remembered is what was known of a process when it was last seen.
type remembered struct {
	parent  inventory.ID    // the first parent it was seen with; zero where none was seen
	lineage inventory.ID    // the root of the tree it was first seen in
	owner   Owner           // who had it when it was last seen
	owned   time.Time       // when that was
	seen    bool            // the kernel showed it: the owner was an ancestor or held an end of its stdio
	class   inventory.Class // as of the last look that could read its command
	server  bool            // it was part of one
	likely  bool
	byShape bool
	served  bool   // a session was seen to hold an end of its stdio
	part    part   // what it was to its server
	adapted bool   // it was the agent of an adapter
	person  string // why it is a person's program that a server opened; empty is not
	name    string
	called  string  // what a client's configuration calls its server
	pinned  string  // why a member's environment asked to keep its tree
	record  *record // of the target that it was part of

	below Owner // the session that it was last seen below; zero where it was seen below none
	uid   inventory.Fact[int]
	apart bool // it hangs below that no more

	runsContainer bool // it ran a container, as the process of a container CLI
	// band is that of a runner, and that of what was executed in a container: see assign.go.
	band *band
}

// record is what was known of a target: since when its finding holds, how many looks
// in a row saw it, and whether it was used in that time.
type record struct {
	condition Finding
	since     inventory.Moment
	looks     int
	usedAt    inventory.Moment // when what it listens on was last used while its stdio was closed; zero is never
	ownerGone time.Time        // when its owner was first seen gone; zero is not seen
	evidence  []Evidence
	usage     history
}

// remember builds the memory for the next look.
func (c *correlation) remember(sessions []Session) memory {
	m := memory{
		processes:  make(map[inventory.ID]*remembered, len(c.past.processes)),
		targets:    c.records,
		containers: c.lastRunners,
		shapes:     c.shapes.bounded(c.snapshot.TakenAt),
		respawns:   c.respawns,
		brakes:     c.brakes,
		started:    c.startedInContainers(),
		activities: make(map[inventory.ID]Activity, len(sessions)),
		detaching:  c.detaching,

		engineFailed: c.docker.Failed,
	}
	for _, s := range sessions {
		m.activities[s.Process.ID()] = s.Activity
	}
	c.rememberBands()
	all := make([]remembered, 0, len(c.nodes))
	for _, n := range c.nodes {
		if r := c.rememberProcess(n); r != (remembered{}) {
			all = append(all, r)
			m.processes[n.ID()] = &all[len(all)-1]
		}
	}
	return m
}

// rememberBands notes the bands that this look has found of runners, and of what was executed in containers.
func (c *correlation) rememberBands() {
	for _, r := range c.runners {
		r.memory.band = cmp.Or(r.found, r.memory.band)
	}
	for n, x := range c.executed {
		n.memory.band = cmp.Or(x.band, n.memory.band)
	}
}

// startedInContainers are the PIDs that engines started in containers of MCP servers, and in
// those in which a docker exec of one runs: the first process of each, and what was executed.
func (c *correlation) startedInContainers() map[int]bool {
	started := map[int]bool{}
	for i := range c.snapshot.Containers {
		container := &c.snapshot.Containers[i]
		executes := func(r *runner) bool { return r.line.Command == "exec" && r.names(container.ID) }
		if !container.Running() || !c.isServerContainer(container) && !slices.ContainsFunc(c.runners, executes) {
			continue
		}
		for _, pid := range append([]int{container.PID}, container.ExecPIDs...) {
			started[pid] = true
		}
	}
	delete(started, 0)
	return started
}

func (c *correlation) rememberProcess(n *node) remembered {
	r := n.memory
	r.record, r.class, r.person = n.record, n.class, n.person
	r.runsContainer = r.runsContainer || n.docker != nil && n.docker.PassesStdin()
	if r.parent.IsZero() && n.parent != nil && n.lineage == lineageLive {
		r.parent = n.parent.ID()
	}
	if s := sessionAbove(n); s != nil {
		r.below = c.asOwner(s.root)
	}
	if !r.below.ID.IsZero() {
		r.uid, r.apart = n.UID, n.isOutermost()
	}
	r.adapted = r.adapted || n.session != nil && n.session.root != n && n.session.root.class.Adapts == n.class.Name
	t := n.tree
	if t == nil {
		return r
	}
	r.server, r.likely, r.byShape, r.name = true, t.target.Likely, t.target.ByShape, t.target.Name
	r.served = r.served || c.isServed(n)
	r.part = max(r.part, t.partOf(n))
	r.called = cmp.Or(t.called, r.called)
	r.pinned = t.pinned
	if r.lineage.IsZero() {
		r.lineage = t.root.ID()
	}
	isNew := t.seen || t.owner.ID != r.owner.ID
	if t.owner.Liveness == LivenessLive && !t.owner.ID.IsZero() && isNew {
		r.owner, r.owned, r.seen = t.owner, c.snapshot.TakenAt, t.seen
	}
	return r
}

// HasNews reports that this look has revealed processes that must be read in full and
// that could not be known before it: servers by shape, and processes in servers'
// containers.
func (g *Graph) HasNews() bool { return len(g.memory.shapes)+len(g.memory.started) > 0 }

// recall tells the next look what the memory refers to. whole are the PIDs to read in
// full, each with the root of its tree: members of servers, and processes that an engine
// started in a server's container. A member below another is read with that one. named are the other PIDs that the memory names. shapes are those of
// servers.
func (g *Graph) recall() (whole map[int]int, named map[int]bool, shapes shapeSet) {
	whole, named = map[int]int{}, map[int]bool{}
	for pid := range g.memory.started {
		whole[pid] = pid
	}
	for id, r := range g.memory.processes {
		if r.server {
			whole[id.PID], named[r.owner.ID.PID], named[r.lineage.PID] = r.lineage.PID, true, true
		}
		if !r.below.ID.IsZero() { // its session may have ended by the next look
			named[id.PID], named[r.below.ID.PID] = true, true
		}
		if r.apart {
			whole[id.PID] = id.PID
		}
	}
	for _, last := range g.memory.containers {
		named[last.runner.PID], named[last.owner.ID.PID] = true, true
		for _, id := range last.band.list() {
			named[id.PID] = true
		}
	}
	return whole, named, g.memory.shapes
}
