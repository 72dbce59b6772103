package simulate

import (
	"slices"
	"time"
)

// kernel is the process table of a host, with its clocks.
type kernel struct {
	processes []*process // the living and the zombies, by birth
	born      []*process // all that there ever were
	init      *process
	inode     uint64
	lastPID   int
	// reuse are numbers of processes that are gone, which births may take again.
	reuse []int
	// boot is the time since the start of the host, awake that part of it in
	// which it was not suspended.
	boot, awake time.Duration
	// manner is that of whatever is made now.
	manner manner
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
	// lies tells that its name is that of a server, and it is none.
	lies bool
	// cli is a process of a container CLI, or of a plugin of it: it stands for what it has
	// asked for, and does nothing else.
	cli bool
}

// role is what a process is in truth.
type role uint8

const (
	other   role = iota // the system's, or a program of somebody's that happens to run
	agent               // uses servers for as long as it lives
	serves              // part of a server, and worth what its server is
	person              // a program that was opened for a person, who looks at it
	carries             // passes streams on for others: a shim
)

// process is one process.
type process struct {
	program
	ledger
	pid           int
	start         uint64 // ticks since boot
	parent        *process
	sid, pgid     int
	uid           int
	cwd, tty      string
	service       string
	cgroup        string
	configured    string
	owner         *process // whom REAPERD_OWNER in its environment names; nil is nobody
	keep          bool     // REAPERD_KEEP stands there
	container     *container
	zombie, gone  bool
	subreaper     bool // adopts the orphans below it
	careless      bool // does not wait for its children
	leaks         bool // makes descriptors that its children inherit
	obedient      bool // exits at the end of its input
	display       bool // is connected to a display
	stdin, stdout stream
	held          []descriptor
	backlog       []*end // of connections that it has not accepted
	port          int    // it listens on, 0 is none
	cpu           float64
	io            uint64

	role   role
	scene  int
	server *server
	user   *process // who uses it, as of the last [world.mark]: itself, or another; nil is nobody
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

// fork starts a process. It inherits user, session, terminal, folder, markers,
// container and whatever descriptors its parent has not marked to be closed; the
// stdio is what it is given.
func (k *kernel) fork(parent *process, b birth) *process {
	p := &process{program: b.program, pid: k.newPID(), start: uint64(k.boot / tick), parent: parent,
		stdin: b.in, stdout: b.out, role: b.role, scene: b.scene, server: b.server, ledger: ledger{manner: k.manner}}
	k.boot, k.awake = k.boot+tick, k.awake+tick
	if parent != nil {
		p.sid, p.pgid, p.uid, p.cwd, p.tty, p.container = parent.sid, parent.pgid, parent.uid, parent.cwd, parent.tty, parent.container
		p.owner, p.keep, p.cgroup = parent.owner, parent.keep, parent.cgroup
		for _, d := range parent.held {
			if d.inherited {
				p.have(d)
			}
		}
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
	k.processes, k.born = append(k.processes, p), append(k.born, p)
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
		p.drop(p.held[0].end)
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
