package simulate

import (
	"slices"
	"time"
)

// kernel is the process table of a host, with its clocks.
type kernel struct {
	processes []*process // the living and the zombies, by birth
	init      *process
	inode     uint64
	lastPID   int
	// reuse are numbers of processes that are gone, which births may take again.
	reuse []int
	// boot is the time since the start of the host, awake that part of it in
	// which it was not suspended.
	boot, awake time.Duration
}

// tick is the unit of start marks.
const tick = 10 * time.Millisecond

// program is what a process runs.
type program struct {
	comm, exe string
	argv      []string
	// known tells that the catalogue takes it for a server by itself.
	known bool
	// session tells that it knows it for a session.
	session bool
}

// role is what a process is in truth.
type role uint8

const (
	other  role = iota // a person's or the system's: nobody's to reap
	agent              // uses servers for as long as it lives
	serves             // part of a server, and worth what its server is
)

// process is one process.
type process struct {
	program
	pid           int
	start         uint64 // ticks since boot
	parent        *process
	sid, pgid     int
	uid           int
	cwd, tty      string
	service       string
	configured    string
	keep          bool // REAPERD_KEEP stands in its environment
	container     *container
	zombie, gone  bool
	subreaper     bool // adopts the orphans below it
	careless      bool // does not wait for its children
	obedient      bool // exits at the end of its input
	stdin, stdout stream
	held          []*end
	port          int // it listens on, 0 is none
	connections   int // from outside its tree to its port
	cpu           float64
	io            uint64

	role   role
	scene  int
	server *server
	// launcher is the process of the same session in front of an agent; nil is none.
	launcher *process
	// remembered is the parent that the daemon first saw it with; nil is none.
	remembered *process
}

// birth is what a new process does not inherit.
type birth struct {
	program
	role    role
	in, out stream
	leads   bool // a session of its own
	group   bool // a process group of its own
	scene   int
	server  *server
}

// fork starts a process. It inherits user, session, terminal, folder and
// container, and holds the descriptors that it is given.
func (k *kernel) fork(parent *process, b birth) *process {
	p := &process{program: b.program, pid: k.newPID(), start: uint64(k.boot / tick), parent: parent,
		stdin: b.in, stdout: b.out, role: b.role, scene: b.scene, server: b.server}
	k.boot, k.awake = k.boot+tick, k.awake+tick
	if parent != nil {
		p.sid, p.pgid, p.uid, p.cwd, p.tty, p.container = parent.sid, parent.pgid, parent.uid, parent.cwd, parent.tty, parent.container
	}
	if b.leads {
		p.sid, p.tty = p.pid, ""
	}
	if b.leads || b.group {
		p.pgid = p.pid
	}
	for _, s := range []stream{b.in, b.out} {
		if s.end != nil {
			p.hold(s.end)
		}
	}
	if b.server != nil {
		b.server.members = append(b.server.members, p)
	}
	k.processes = append(k.processes, p)
	return p
}

func (k *kernel) newPID() int {
	if n := len(k.reuse); n > 0 {
		pid := k.reuse[n-1]
		k.reuse = k.reuse[:n-1]
		return pid
	}
	k.lastPID++
	return k.lastPID
}

// exit ends a process: its descriptors are closed, its children find another
// parent, and it stays a zombie until its own parent waits.
func (k *kernel) exit(p *process) {
	if !p.alive() {
		return
	}
	p.zombie = true
	for len(p.held) > 0 {
		p.drop(p.held[0])
	}
	adopter := k.adopter(p)
	for _, child := range slices.Clone(k.processes) {
		if child.parent == p {
			child.parent = adopter
			k.wait(child)
		}
	}
	k.wait(p)
}

// wait takes a zombie off the table, unless its parent does not ask for it.
func (k *kernel) wait(p *process) {
	if !p.zombie || p.parent != nil && p.parent.careless && p.parent.alive() {
		return
	}
	p.gone = true
	k.processes = slices.DeleteFunc(k.processes, func(q *process) bool { return q == p })
}

// adopter is who gets the children of a process that ends: the nearest living
// subreaper above it, else the first process of its PID namespace.
func (k *kernel) adopter(p *process) *process {
	for above := p.parent; above != nil; above = above.parent {
		if above.subreaper && above.alive() && above.container == p.container {
			return above
		}
	}
	if c := p.container; c != nil && c.first != nil && c.first.alive() {
		return c.first
	}
	return k.init
}

func (p *process) alive() bool { return !p.zombie && !p.gone }

// isBelow reports whether a process stands below another.
func (p *process) isBelow(above *process) bool {
	for q := p.parent; q != nil; q = q.parent {
		if q == above {
			return true
		}
	}
	return false
}

// run lets time pass while the host is awake.
func (k *kernel) run(d time.Duration) { k.boot, k.awake = k.boot+d, k.awake+d }

// suspend lets time pass while it is not.
func (k *kernel) suspend(d time.Duration) { k.boot += d }
