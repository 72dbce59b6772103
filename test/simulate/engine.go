package simulate

import (
	"fmt"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

// engine runs the containers of a world.
type engine struct {
	program    string // docker or podman
	containers []*container
	numbered   int
	// attachments are all that go on. Each is a connection to the engine's socket, by a CLI or by
	// a program that speaks to it itself.
	attachments []*attachment
	// away tells that it stands in a virtual machine: its processes are in no
	// table here, and its clock is off by skew.
	away bool
	skew time.Duration
	// down tells that it does not answer.
	down bool
}

// attachment is somebody who has the stdio of a container, or of what an exec
// brought into one.
type attachment struct {
	by        *process
	container *container
	inside    *process // what the exec brought in; nil is the container itself
	stdin     *channel // into the container; nil where that is not to be seen, or has none
	// ended tells that he has said all that he wants to, and only reads.
	ended bool
}

// container is one container. Its stdin is a pipe whose write end the shim has
// for as long as somebody is attached who may write.
type container struct {
	creation
	id          string
	called      bool          // somebody gave it its name
	created     time.Duration // since boot, by the engine's clock
	exited      bool
	finished    time.Duration
	removed     bool
	shim, first *process
	clients     []*process // the CLI's processes that end with it
	user        *process   // who uses it, as of the last [world.mark]; nil is nobody
	manner      manner
}

func (c *container) running() bool { return !c.exited && !c.removed }

// creation is what a container is made with.
type creation struct {
	name, image string
	labels      map[string]string
	withStdin   bool
	autoRemove  bool
	comesBack   bool // somebody starts it again when it has ended
	obedient    bool // ends at the end of its input
	program     program
	role        role
	scene       int
	server      *server
}

// create makes a container, and starts it for whoever is attached to it; nil is nobody.
func (w *world) create(n creation, attached *process) *container {
	e := &w.engine
	e.numbered++
	c := &container{creation: n, id: fmt.Sprintf("%07x%057x", 0xabc0000+e.numbered, 0), created: w.boot + e.skew, manner: w.manner}
	if c.called = c.name != ""; !c.called {
		c.name = fmt.Sprintf("brave_%d", e.numbered)
	}
	e.containers = append(e.containers, c)
	w.start(c, attached)
	return c
}

// start starts a container. Where the engine is here its processes stand in
// the table: a shim, and the first process below it.
func (w *world) start(c *container, attached *process) {
	e := &w.engine
	a := &attachment{by: attached, container: c}
	c.exited, c.clients = false, nil
	if attached != nil {
		e.attachments = append(e.attachments, a)
		if attached.cli {
			c.clients = append(c.clients, attached)
		}
	}
	if e.away {
		return
	}
	c.shim = w.fork(w.init, birth{program: e.shim(c.id), role: carries, leads: true, scene: c.scene})
	c.first = w.inside(a, c.withStdin, birth{program: c.program, role: c.role, leads: true, scene: c.scene})
	c.first.server = c.server
}

// inside starts a process in a container, below its shim, which passes on what
// somebody attached says, if it has a stdin.
func (w *world) inside(a *attachment, withStdin bool, b birth) *process {
	c := a.container
	if withStdin {
		a.stdin = w.newChannel(inventory.KindPipe)
		b.in = streamOf(&a.stdin.ends[0])
		if a.by != nil {
			c.shim.hold(&a.stdin.ends[1])
		}
		out := w.newChannel(inventory.KindPipe)
		b.out = streamOf(&out.ends[1])
		c.shim.hold(&out.ends[0])
	}
	p := w.fork(c.shim, b)
	p.container, p.uid = c, 0
	return p
}

// exec brings a process into a container for somebody who is attached to it.
func (w *world) exec(c *container, by *process, b birth) *process {
	a := &attachment{by: by, container: c}
	a.inside = w.inside(a, true, b)
	w.engine.attachments = append(w.engine.attachments, a)
	return a.inside
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

// serveContainers lets the engine notice who has gone or ended his input. A container's own
// stdin ends with whoever was attached; what an exec brought in lives on.
func (w *world) serveContainers() (changed bool) {
	e := &w.engine
	for _, a := range slices.Clone(e.attachments) {
		if !a.ended && (!a.by.alive() || a.by.cli && a.by.stdin.isAtEnd()) {
			w.endInput(a)
			changed = true
		}
		over := a.inside != nil && !a.inside.alive()
		if over && a.by.cli {
			w.exit(a.by)
		}
		if over || !a.by.alive() || !a.container.running() {
			e.attachments = slices.DeleteFunc(e.attachments, func(other *attachment) bool { return other == a })
			changed = true
		}
	}
	for _, c := range e.containers {
		if c.running() && c.first != nil && !c.first.alive() {
			w.stop(c)
			changed = true
		}
	}
	return changed
}

// endInput is the end of what somebody attached has to say.
func (w *world) endInput(a *attachment) {
	a.ended = true
	if a.stdin != nil {
		a.container.shim.drop(&a.stdin.ends[1])
	}
	if a.inside == nil && a.container.obedient {
		w.stop(a.container)
	}
}
