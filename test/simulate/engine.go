package simulate

import (
	"fmt"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

// engine runs the containers of a world.
type engine struct {
	containers []*container
	numbered   int
	// away tells that it stands in a virtual machine: its processes are in no
	// table here, and its clock is off by skew.
	away bool
	skew time.Duration
	// down tells that it does not answer.
	down bool
}

// container is one container. Its stdin is a pipe whose write end the shim has
// for as long as somebody is attached.
type container struct {
	id, name, image string
	labels          map[string]string
	created         time.Duration // since boot, by the engine's clock
	exited          bool
	finished        time.Duration
	removed         bool
	autoRemove      bool
	withStdin       bool
	obedient        bool // ends at the end of its input
	shim, first     *process
	stdin           *channel
	attached        []*process // who gives it its stdin: a client, or a program over the API
	users           []*process // who uses it beside that: somebody who looks, docker exec
	clients         []*process // the docker processes that end with it
	server          *server
	scene           int
}

func (c *container) running() bool { return !c.exited && !c.removed }

// stdinOpen reports that somebody is attached.
func (c *container) stdinOpen() bool { return c.running() && len(c.attached) > 0 }

// creation is what a container is made with.
type creation struct {
	name, image string
	labels      map[string]string
	withStdin   bool
	autoRemove  bool
	obedient    bool
	program     program
	role        role
	scene       int
	server      *server
	attached    *process
}

// create starts a container. Where the engine is here its processes stand in
// the table: a shim, and the first process below it.
func (w *world) create(n creation) *container {
	e := &w.engine
	e.numbered++
	c := &container{
		id: fmt.Sprintf("%07x%057x", 0xabc0000+e.numbered, 0), name: n.name, image: n.image, labels: n.labels, created: w.boot + e.skew,
		autoRemove: n.autoRemove, withStdin: n.withStdin, obedient: n.obedient, server: n.server, scene: n.scene,
	}
	if c.name == "" {
		c.name = fmt.Sprintf("brave_%d", e.numbered)
	}
	if n.attached != nil {
		c.attached = append(c.attached, n.attached)
		if n.attached.isDockerClient() {
			c.clients = append(c.clients, n.attached)
		}
	}
	e.containers = append(e.containers, c)
	if e.away {
		return c
	}
	c.shim = w.fork(w.init, birth{program: shimProgram(c.id), leads: true, scene: n.scene})
	b := birth{program: n.program, role: n.role, leads: true, scene: n.scene}
	if n.withStdin {
		c.stdin = w.newChannel(inventory.KindPipe)
		b.in = streamOf(&c.stdin.ends[0])
		if len(c.attached) > 0 {
			c.shim.hold(&c.stdin.ends[1])
		}
		out := w.newChannel(inventory.KindPipe)
		b.out = streamOf(&out.ends[1])
		c.shim.hold(&out.ends[0])
	}
	c.first = w.fork(c.shim, b)
	c.first.container = c
	return c
}

// detach is what the engine does when a client is gone or at the end of its
// input: the container's own stdin is closed (StdinOnce).
func (c *container) detach() {
	if c.stdin != nil {
		c.shim.drop(&c.stdin.ends[1])
	}
}

// stop ends a container with all its processes, and its clients with it.
func (w *world) stop(c *container) {
	if !c.running() {
		return
	}
	c.exited, c.finished = true, w.boot+w.engine.skew
	if c.first != nil {
		inside := slices.DeleteFunc(slices.Clone(w.processes), func(p *process) bool { return p.container != c })
		for _, p := range inside {
			w.exit(p)
		}
		w.exit(c.shim)
	}
	for _, client := range c.clients {
		w.exit(client)
	}
	if c.autoRemove {
		c.removed = true
	}
}

// isDockerClient reports a process that does nothing but stand for a container.
func (p *process) isDockerClient() bool {
	return len(p.argv) > 1 && p.argv[0] == "docker" && (p.argv[1] == "run" || p.argv[1] == "attach")
}

// serveContainers lets the engine notice who has gone or ended its input.
func (w *world) serveContainers() (changed bool) {
	for _, c := range w.engine.containers {
		if !c.running() {
			continue
		}
		lost := func(p *process) bool { return !p.alive() || p.isDockerClient() && p.stdin.isHungUp() }
		before := len(c.attached)
		c.attached = slices.DeleteFunc(c.attached, lost)
		c.users = slices.DeleteFunc(c.users, func(p *process) bool { return !p.alive() })
		switch {
		case before > 0 && len(c.attached) == 0:
			c.detach()
			changed = true
			if c.obedient {
				w.stop(c)
			}
		case c.first != nil && !c.first.alive():
			w.stop(c)
			changed = true
		}
	}
	return changed
}
