package scan

import (
	"bytes"
	"context"
	"time"

	"github.com/reaperd/reaperd/internal/darwin"
	"github.com/reaperd/reaperd/internal/inventory"
)

// macLook is one look at the table of a Mac while it is being made.
type macLook struct {
	mac    *Mac
	kernel darwin.Kernel
	host   inventory.Host
	// ticks is how many ticks of processor time are a second; 0 is not known.
	ticks float64

	processes []inventory.Process // sorted by PID
	members   []macMember         // what the look knows of each
	byPID     map[int]int
	below     [][]int // the children of each, ascending
	queue     []int   // related, and not read yet
	ends      *ends   // everybody's ends of pipes and sockets; nil is not read
	tcp       *sockets
	tcpErr    error

	complaints []string
	gaps       []inventory.Gap // what each complaint is about
}

// macMember is one process of the look.
type macMember struct {
	process     *inventory.Process
	unique      darwin.Identity
	environment []byte
	terminal    uint32 // the device of its controlling terminal

	standing
	gone   bool // it exited while it was being read
	untied bool // its identity may be that of a later process with its number
	table  *macTable
	stdin  macStream
	stdout macStream
}

// newLook reads the table and everybody's identity.
func (m *Mac) newLook(ctx context.Context) (*macLook, error) {
	l := &macLook{mac: m, kernel: m.kernel, host: m.host(), byPID: map[int]int{}}
	if frequency, err := darwin.NumberOf(m.kernel, "hw.tbfrequency"); err == nil {
		l.ticks = float64(frequency)
	}
	table, err := m.readTable()
	if err != nil {
		return l, err
	}
	l.processes, l.members = make([]inventory.Process, len(table)), make([]macMember, len(table))
	for i, row := range table {
		if err := ctx.Err(); err != nil {
			return l, err
		}
		l.take(i, row)
	}
	l.below = make([][]int, len(l.members))
	for i := range l.members {
		if parent, ok := l.parent(i); ok {
			l.below[parent] = append(l.below[parent], i)
		}
	}
	l.nameOrigins()
	return l, nil
}

// take takes a row over, and the identity of the process that it is of.
func (l *macLook) take(i int, row darwin.Process) {
	l.processes[i] = fromRow(row)
	process := &l.processes[i]
	process.User = l.mac.userName(row.UID)
	if sid, err := l.kernel.SessionOf(row.PID); err == nil {
		process.SID = inventory.Known(sid)
	}
	l.members[i] = macMember{process: process, standing: standing{nearest: -1}, terminal: row.TTY}
	l.byPID[row.PID] = i
	l.identify(&l.members[i], row)
}

// identify asks for the identity of a row's process. For another user's process the
// kernel does not tell the start: the number may have changed hands since the table
// was read, so the identity only says who forked whom.
func (l *macLook) identify(member *macMember, row darwin.Process) {
	identity, err := darwin.Identify(l.kernel, row.PID)
	if err == nil || darwin.IsGone(err) {
		member.unique, member.gone = identity, err != nil || identity.Start != row.Start
		return
	}
	member.untied = true
	identity, err = darwin.IdentityOf(l.kernel, row.PID)
	member.unique, member.gone = identity, darwin.IsGone(err)
}

// fromRow makes a process of a row of the table.
func fromRow(row darwin.Process) inventory.Process {
	p := inventory.Process{
		PID:       row.PID,
		Start:     row.Start,
		StartedAt: time.UnixMicro(int64(row.Start)),
		PPID:      inventory.Known(row.PPID),
		PGID:      inventory.Known(row.PGID),
		UID:       inventory.Known(row.UID),
		Comm:      row.Comm,
		TTY:       macTerminal(row.TTY),
	}
	if row.State != 0 {
		p.State = string(row.State)
	}
	return p
}

// nameOrigins names the process that forked each process, if that still runs.
func (l *macLook) nameOrigins() {
	byUnique := make(map[uint64]inventory.ID, len(l.members))
	for i := range l.members {
		if member := &l.members[i]; member.unique.Unique != 0 && !member.gone {
			byUnique[member.unique.Unique] = member.process.ID()
		}
	}
	for i := range l.members {
		if origin, ok := byUnique[l.members[i].unique.Parent]; ok {
			l.members[i].process.OriginalParent = origin.String()
		}
	}
}

func (l *macLook) parent(i int) (int, bool) {
	parent, ok := l.byPID[l.members[i].process.PPID.Or(0)]
	return parent, ok && parent != i
}

// describe adds a process's command line and working directory. The kernel shows both
// only for the user's own processes, and to root.
func (l *macLook) describe(i int) {
	member := &l.members[i]
	process := member.process
	if member.gone || !process.Alive() {
		process.Argv = []string{}
		return
	}
	if found, err := darwin.ArgumentsOf(l.kernel, process.PID); err == nil {
		process.Exe, process.Argv = found.Exe, found.Argv
		member.environment, process.EnvWithheld = found.Environment, found.Withheld
	}
	if cwd, err := darwin.CwdOf(l.kernel, process.PID); err == nil {
		process.Cwd = cwd
	}
}

// begin finds the candidates and relates the processes to read with them.
func (l *macLook) begin(isCandidate func(*inventory.Process) bool) {
	for i := range l.members {
		if member := &l.members[i]; !member.gone && isCandidate(member.process) {
			member.nearest = i
		}
	}
	for i := range l.members {
		if l.members[i].nearest == i {
			takeWhole(l, i)
		}
	}
}

// relate notes that a process's stdin and stdout matter.
func (l *macLook) relate(i int) {
	if !l.members[i].related {
		l.members[i].related = true
		l.queue = append(l.queue, i)
	}
}

// gather reads everything related to the candidates: parents of related processes are
// related, and so are the holders of the other ends of their stdin and stdout. It
// repeats until none is added.
func (l *macLook) gather() {
	for len(l.queue) > 0 {
		i := l.queue[0]
		l.queue = l.queue[1:]
		if parent, ok := l.parent(i); ok {
			l.relate(parent)
		}
		l.read(i)
		l.attachHolders(i)
		l.attachOthers(i)
	}
}

// read reads one related process, but not launchd (PID 1): it is everybody's ancestor
// and nobody's server.
func (l *macLook) read(i int) {
	member := &l.members[i]
	if member.gone || !member.process.Alive() || member.process.PID == 1 {
		return
	}
	member.stdin, member.stdout = l.stream(i, 0), l.stream(i, 1)
	if member.whole {
		l.readWhole(member)
	}
	if l.vanished(i) {
		return
	}
	member.process.Stdin, member.process.Stdout = member.stdin.stdio, member.stdout.stdio
}

// vanished notes whether a process has exited since the table was read: its
// number is free or another's.
func (l *macLook) vanished(i int) bool {
	member := &l.members[i]
	now, err := darwin.IdentityOf(l.kernel, member.process.PID)
	if darwin.IsGone(err) || err == nil && now.Unique != member.unique.Unique {
		member.gone = true
	}
	return member.gone
}

// diskBlock is how many bytes from and to disks count as one event, rounded down.
const diskBlock = 4096

// readWhole adds a candidate's figures and markers.
func (l *macLook) readWhole(member *macMember) {
	process := member.process
	if process.Argv != nil {
		process.Env, _ = markersIn(bytes.NewReader(member.environment))
	}
	task, err := darwin.TaskOf(l.kernel, process.PID)
	if err == nil {
		process.Threads, process.RSSBytes = inventory.Known(task.Threads), inventory.Known(task.Resident)
		process.MemoryBytes, process.MemoryKind = process.RSSBytes, "rss"
		if l.ticks > 0 {
			process.CPUSeconds = inventory.Known(float64(task.Time) / l.ticks)
		}
	}
	if usage, usageErr := darwin.UsageOf(l.kernel, process.PID); usageErr == nil {
		process.MemoryBytes, process.MemoryKind = inventory.Known(usage.Footprint), "footprint"
		if err == nil && !task.Full {
			process.KernelEvents = inventory.Known(task.Events + usage.Disk/diskBlock)
		}
	}
}

// listed are the processes that are still there.
func (l *macLook) listed() []inventory.Process {
	kept := make([]inventory.Process, 0, len(l.processes))
	for i := range l.members {
		if !l.members[i].gone {
			kept = append(kept, l.processes[i])
		}
	}
	return kept
}
