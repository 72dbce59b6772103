package graph

import (
	"maps"
	"time"

	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/usage"
)

// memory is what one look leaves for the next. It holds only what is still in
// the table, so it is bounded by the table, and losing it only delays reaping.
type memory struct {
	processes  map[inventory.ID]remembered
	targets    map[string]record // of containers, by id
	containers map[string]lastClient
	shapes     map[string]bool    // fingerprints once known as servers by shape
	respawns   map[string]respawn // by the copy's target id
	started    map[int]bool       // PIDs that engines started in servers' containers

	engineFailed bool // an engine was there and did not answer
}

// remembered is what was known of a process the last time it was seen.
type remembered struct {
	parent  inventory.ID    // the first parent it was seen with; zero where none was seen
	lineage inventory.ID    // the root of the tree it was first seen in
	owner   Owner           // who had it when it was last seen
	owned   time.Time       // when it was last seen to have it
	seen    bool            // it was seen to have it, above it or at an end of its stdio, and not only said to
	class   catalogue.Class // as of the last look that could read its command
	server  bool
	byShape bool
	name    string
	pinned  string  // why the environment of a member of its tree pinned that
	record  *record // of the target that it was part of

	runsContainer bool // it was the client of a container engine
}

// record is what was known of a target: since when its finding holds, how
// many looks in a row saw it, whether it was used in that time.
type record struct {
	condition Finding
	since     inventory.Moment
	looks     int
	used      bool      // what it listens on was used while its stdio was closed
	ownerGone time.Time // when its owner was first seen gone; zero is not seen
	evidence  []Evidence
	usage     usage.History
}

// lastClient is the `docker run` a container was last seen with.
type lastClient struct {
	client inventory.ID
	target string
	owner  Owner
	exact  bool
	server bool
}

// remember builds the memory for the next look.
func (c *correlation) remember() memory {
	m := memory{
		processes:  make(map[inventory.ID]remembered, len(c.past.processes)),
		targets:    c.records,
		containers: c.lastClients,
		shapes:     c.shapes,
		respawns:   c.respawns,
		started:    c.startedInContainers(),

		engineFailed: c.docker.Failed,
	}
	for _, n := range c.nodes {
		if r := c.rememberProcess(n); r != (remembered{}) {
			m.processes[n.ID()] = r
		}
	}
	return m
}

// startedInContainers are the PIDs that the engines started in containers of MCP
// servers: the first process of each, and what docker exec brought in.
func (c *correlation) startedInContainers() map[int]bool {
	started := map[int]bool{}
	for i := range c.snapshot.Containers {
		container := &c.snapshot.Containers[i]
		if !container.Running() || !c.isServerContainer(container) {
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
	r.record, r.class = n.record, n.class
	r.runsContainer = r.runsContainer || n.docker != nil && n.docker.PassesStdin()
	if r.parent.IsZero() && n.parent != nil && n.lineage == lineageLive {
		r.parent = n.parent.ID()
	}
	t := n.tree
	if t == nil {
		return r
	}
	r.server, r.byShape, r.name = true, t.target.ByShape, t.target.Name
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

// HasNews reports whether the look has shown what a first look cannot know is
// worth reading whole: servers by shape alone, and what runs in the containers of
// servers.
func (g *Graph) HasNews() bool { return len(g.memory.shapes)+len(g.memory.started) > 0 }

// Recall is what the memory tells the next look: the PIDs of processes to be read
// whole (those that were part of a server when last seen, or that an engine started
// in a server's container), the PIDs it names beside these, and the shapes of
// servers (see [ShapeOf]).
func (g *Graph) Recall() (whole, named map[int]bool, shapes map[string]bool) {
	whole, named = map[int]bool{}, map[int]bool{}
	maps.Copy(whole, g.memory.started)
	for id, r := range g.memory.processes {
		if r.server {
			whole[id.PID], named[r.owner.ID.PID], named[r.lineage.PID] = true, true, true
		}
	}
	for _, last := range g.memory.containers {
		named[last.client.PID] = true
	}
	return whole, named, g.memory.shapes
}
