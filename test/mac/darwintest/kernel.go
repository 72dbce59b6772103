package darwintest

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"syscall"
	"time"
)

// Kernel plays the kernel of a Mac. Its answers are bytes as XNU lays them out.
// What asks it is of user UID; root is asked as well as anybody may be.
//
// The exported fields are set before it is asked. Its methods may be called from
// several goroutines.
type Kernel struct {
	UID int
	// OldMac has no signals by audit token, as before macOS 14.4.
	OldMac bool
	// Before is called in front of each call, which is named ("pidinfo 17 12" is
	// flavor 17 of process 12; "fdinfo 6 12 3", "sysctl kern.proc.all", "launchctl",
	// "usage 12"); an error that it returns is the call's. It may change the world.
	Before func(call string) error
	// Changed is called after whatever ends a process or closes its descriptors.
	Changed func()

	encoder *Encoder

	mu         sync.Mutex
	processes  map[int]*Process
	jobs       map[int]string
	connected  []*Socket // TCP sockets that no descriptor holds
	lastPID    int
	lastUnique uint64
	handles    []uint64 // free, the last is given first
	lastHandle uint64
	acts       []string
	ended      chan struct{} // closed and made anew when a process ends
}

// NewKernel is a kernel that runs launchd and nothing else, laid out by the lines
// of xnu.txt; it panics where those are bad.
func NewKernel() *Kernel {
	lines, err := Headers()
	if err != nil {
		panic(err)
	}
	return NewKernelOf(NewEncoder(lines))
}

// NewKernelOf is a kernel whose structs an encoder lays out.
func NewKernelOf(encoder *Encoder) *Kernel {
	k := &Kernel{encoder: encoder, processes: map[int]*Process{}, jobs: map[int]string{}, ended: make(chan struct{})}
	launchd := Spec{Comm: "launchd", Exe: "/sbin/launchd", Argv: []string{"/sbin/launchd"}, Restricted: true, Setsid: true}
	k.processes[1] = k.newProcess(nil, 1, launchd)
	k.lastPID = 99
	return k
}

// NumberFrom has the next process get that number or a later one.
func (k *Kernel) NumberFrom(pid int) { k.lastPID = pid - 1 }

// Spec says what a process is.
type Spec struct {
	Comm, Exe, Cwd string
	Argv, Env      []string
	UID            int
	TTY            uint32 // 0 is none
	// Restricted keeps its environment back.
	Restricted bool
	Setsid     bool
	// IgnoreTerm lets it outlive a SIGTERM.
	IgnoreTerm bool
	// Unwaited leaves its dead children as zombies.
	Unwaited bool
	// FDs are its descriptors; a file in several processes is one they share.
	FDs map[int]*File
	// PID is its number; 0 is the next one.
	PID int
	// Started is when it was forked; zero is now.
	Started time.Time
}

// Process is one process. Its fields are for reading, but for FDs.
type Process struct {
	Spec
	Parent      *Process // who has it now
	PGID, SID   int
	Start       time.Time
	Unique      uint64
	Origin      uint64 // the unique id of who forked it
	Version     uint32
	Zombie      bool
	Stopped     bool
	Threads     int
	Footprint   uint64
	ticks       uint64
	calls       int    // to the kernel
	disk        uint64 // bytes from and to disks
	terminating bool   // a SIGTERM waits for it to be continued
}

// Alive reports whether it runs.
func (p *Process) Alive() bool { return !p.Zombie && p.Parent != gone }

// gone is the parent of what has been waited for.
var gone = &Process{}

// Spawn forks and executes below a parent; nil is launchd.
func (k *Kernel) Spawn(parent *Process, spec Spec) *Process {
	k.mu.Lock()
	defer k.mu.Unlock()
	if parent == nil {
		parent = k.processes[1]
	}
	pid := spec.PID
	for pid == 0 || k.processes[pid] != nil {
		k.lastPID++
		pid = k.lastPID
	}
	p := k.newProcess(parent, pid, spec)
	k.processes[pid] = p
	return p
}

func (k *Kernel) newProcess(parent *Process, pid int, spec Spec) *Process {
	k.lastUnique++
	p := &Process{Spec: spec, Parent: parent, PGID: pid, SID: pid, Start: spec.Started, Unique: k.lastUnique,
		Version: uint32(k.lastUnique*2 + 1), Threads: 1, Footprint: 10 << 20}
	p.PID = pid
	if p.Start.IsZero() {
		p.Start = time.Now()
	}
	p.Start = p.Start.Truncate(time.Microsecond).Add(time.Duration(k.lastUnique%1000) * time.Microsecond)
	if parent != nil {
		p.Origin = parent.Unique
		if !spec.Setsid {
			p.SID, p.PGID = parent.SID, parent.PGID
		}
	}
	p.FDs = maps.Clone(spec.FDs)
	if p.FDs == nil {
		p.FDs = map[int]*File{}
	}
	for _, file := range p.FDs {
		file.users++
	}
	return p
}

// Exec gives a process another program; it stays who it is.
func (k *Kernel) Exec(p *Process, exe string, argv ...string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p.Exe, p.Argv, p.Version = exe, argv, p.Version+1
}

// Job makes a process the main one of a launchd job.
func (k *Kernel) Job(p *Process, label string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.jobs[p.PID] = label
}

// Work has a process call the kernel so often, and read and write so many bytes of disks.
func (k *Kernel) Work(p *Process, calls int, disk uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p.calls, p.disk = p.calls+calls, p.disk+disk
}

// Exit ends a process. launchd takes its children, and waits for them; its
// parent waits for it or does not.
func (k *Kernel) Exit(p *Process) {
	k.mu.Lock()
	k.exit(p)
	k.mu.Unlock()
	if k.Changed != nil {
		k.Changed()
	}
}

func (k *Kernel) exit(p *Process) {
	if !p.Alive() {
		return
	}
	for fd := range p.FDs {
		k.close(p, fd)
	}
	p.Zombie, p.Stopped = true, false
	for _, child := range k.processes {
		if child.Parent != p {
			continue
		}
		child.Parent = k.processes[1]
		if child.Zombie {
			k.remove(child)
		}
	}
	if !p.Parent.Unwaited || !p.Parent.Alive() {
		k.remove(p)
	}
	close(k.ended)
	k.ended = make(chan struct{})
}

func (k *Kernel) remove(p *Process) {
	delete(k.processes, p.PID)
	delete(k.jobs, p.PID)
	p.Parent = gone
}

// Close closes a descriptor.
func (k *Kernel) Close(p *Process, fd int) {
	k.mu.Lock()
	k.close(p, fd)
	k.mu.Unlock()
	if k.Changed != nil {
		k.Changed()
	}
}

func (k *Kernel) close(p *Process, fd int) {
	file := p.FDs[fd]
	if file == nil {
		return
	}
	delete(p.FDs, fd)
	if file.users--; file.users == 0 && file.closed != nil {
		file.closed()
	}
}

// Give opens a file at the lowest free descriptor of a process above stderr.
func (k *Kernel) Give(p *Process, file *File) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	fd := 3
	for p.FDs[fd] != nil {
		fd++
	}
	p.FDs[fd] = file
	file.users++
	return fd
}

// Find is the process that has a number; nil is none.
func (k *Kernel) Find(pid int) *Process {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.processes[pid]
}

// File is what a process has open at a descriptor; nil is nothing.
func (k *Kernel) File(p *Process, fd int) *File {
	k.mu.Lock()
	defer k.mu.Unlock()
	return p.FDs[fd]
}

// IsAlive reports whether a process runs.
func (k *Kernel) IsAlive(p *Process) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return p.Alive()
}

// IsStopped reports whether a process stands still.
func (k *Kernel) IsStopped(p *Process) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return p.Stopped
}

// Exited is closed when the next process ends.
func (k *Kernel) Exited() <-chan struct{} {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.ended
}

// Acts are the signals that were sent, in order: "TERM 123".
func (k *Kernel) Acts() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.acts)
}

// Kill is kill(2).
func (k *Kernel) Kill(pid, signal int) error {
	k.mu.Lock()
	p := k.processes[pid]
	err := k.signal(p, syscall.Signal(signal))
	k.mu.Unlock()
	if k.Changed != nil && err == nil {
		k.Changed()
	}
	return err
}

// SignalToken is proc_signal_with_audittoken: the process must have the PID and
// the version that the token names.
func (k *Kernel) SignalToken(token []byte, signal int) (bool, error) {
	if k.OldMac {
		return false, nil
	}
	k.mu.Lock()
	p := k.processes[int(numberAt(token, 20))]
	if p != nil && p.Version != numberAt(token, 28) {
		p = nil
	}
	err := k.signal(p, syscall.Signal(signal))
	k.mu.Unlock()
	if k.Changed != nil && err == nil {
		k.Changed()
	}
	return true, err
}

func (k *Kernel) signal(p *Process, signal syscall.Signal) error {
	switch {
	case p == nil || p.Zombie:
		return syscall.ESRCH
	case k.UID != 0 && k.UID != p.UID:
		return syscall.EPERM
	case signal == 0:
		return nil
	}
	k.acts = append(k.acts, fmt.Sprintf("%s %d", nameOf(signal), p.PID))
	switch nameOf(signal) {
	case "STOP":
		p.Stopped = true
	case "CONT":
		p.Stopped = false
		if p.terminating {
			k.exit(p)
		}
	case "TERM":
		p.terminating = !p.IgnoreTerm
		if p.terminating && !p.Stopped {
			k.exit(p)
		}
	case "KILL":
		k.exit(p)
	}
	return nil
}

// nameOf is a signal's name on the system that plays.
func nameOf(signal syscall.Signal) string {
	switch signal {
	case syscall.SIGSTOP:
		return "STOP"
	case syscall.SIGCONT:
		return "CONT"
	case syscall.SIGTERM:
		return "TERM"
	case syscall.SIGKILL:
		return "KILL"
	}
	return signal.String()
}
