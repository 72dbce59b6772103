package simulate

import (
	"math/rand/v2"
	"slices"

	"github.com/reaperd/reaperd/internal/inventory"
)

// copied is a look whose processes, containers and sources may be changed
// without changing the one it was made from.
func copied(look *inventory.Snapshot) *inventory.Snapshot {
	c := *look
	c.Sources, c.Processes, c.Containers = slices.Clone(look.Sources), slices.Clone(look.Processes), slices.Clone(look.Containers)
	return &c
}

// variation is the same moment seen otherwise: in one way, about one process.
type variation struct {
	way way
	at  int // in the look's processes
}

type way int

const (
	noDescriptors way = iota
	parentUnreadable
	parentMissing
	noCommand
	rowMissing
	noTable
	noEngine
	oneMore
	oneMoreHolds
	ways
)

// property is the one that holds a variation against the look itself.
func (v variation) property() string {
	if v.way >= oneMore {
		return LifeAdds
	}
	return GapAdds
}

// of makes the look that differs, and says in what.
func (v variation) of(look *inventory.Snapshot) (seen *inventory.Snapshot, what string) {
	seen = copied(look)
	p := &seen.Processes[v.at]
	id := p.ID().String()
	switch v.way {
	case noDescriptors:
		hideDescriptors(seen, p)
		return seen, "descriptors of " + id + " unreadable"
	case parentUnreadable:
		p.PPID = inventory.Unreadable[int]()
		return seen, "parent of " + id + " unreadable"
	case parentMissing:
		p.PPID = inventory.Fact[int]{}
		return seen, "parent of " + id + " missing"
	case noCommand:
		p.Argv, p.Exe = nil, ""
		return seen, "command of " + id + " unreadable"
	case rowMissing:
		seen.Sources[0].Status, seen.Sources[0].RowsMissing = inventory.StatusPartial, inventory.Known(true)
		seen.Processes = slices.Delete(seen.Processes, v.at, v.at+1)
		return seen, "row of " + id + " missing"
	case noTable:
		seen.Sources[0].Status, seen.Processes = inventory.StatusError, nil
		return seen, "no process table"
	case noEngine:
		seen.Sources[1].Status, seen.Containers = inventory.StatusError, nil
		return seen, "no engine"
	}
	addSession(seen)
	if v.way == oneMoreHolds && giveStdin(seen, v.at) {
		return seen, "a session more that holds the stdin of " + id
	}
	return seen, "a session more"
}

// hideDescriptors takes from a look what only the descriptors of a process tell:
// its own streams, what it listens on, and that it holds the ends of others.
func hideDescriptors(look *inventory.Snapshot, p *inventory.Process) {
	p.Stdin, p.Stdout = inventory.Unreadable[inventory.Stdio](), inventory.Unreadable[inventory.Stdio]()
	p.OpenFDs, p.Listening, p.Connections = inventory.Unreadable[int](), inventory.Unreadable[bool](), inventory.Unreadable[int]()
	for i := range look.Processes {
		q := &look.Processes[i]
		q.Stdin, q.Stdout = without(q.Stdin, p.PID), without(q.Stdout, p.PID)
	}
}

// without is a stream one of whose holders cannot be seen; it stays open.
func without(stream inventory.Fact[inventory.Stdio], pid int) inventory.Fact[inventory.Stdio] {
	stdio, known := stream.Get()
	if !known || !slices.Contains(stdio.Holders, pid) {
		return stream
	}
	stdio.Holders = slices.DeleteFunc(slices.Clone(stdio.Holders), func(holder int) bool { return holder == pid })
	return inventory.Known(stdio)
}

// newcomer is the PID of somebody who is in a look by way of variation alone.
const newcomer = 31_000

// addSession puts a session on a terminal of its own into a look.
func addSession(look *inventory.Snapshot) {
	terminal := inventory.Known(inventory.Stdio{Kind: inventory.KindTTY, ID: "/dev/tty9"})
	look.Processes = append(look.Processes, inventory.Process{
		PID: newcomer, Start: 500, StartedAt: booted().Add(500 * tick), PPID: inventory.Known(1), PGID: inventory.Known(newcomer), SID: inventory.Known(newcomer),
		UID: inventory.Known(0), User: "root", State: "S", Threads: inventory.Known(1), Comm: "claude", Exe: "/usr/local/bin/claude",
		Argv: []string{"/usr/local/bin/claude"}, Cwd: "/root", OpenFDs: inventory.Known(5), Listening: inventory.Known(false), Stdin: terminal, Stdout: terminal,
	})
}

// giveStdin lets the newcomer hold the other end of a process's stdin, where it
// has one. Whoever shares that stdin sees the same.
func giveStdin(look *inventory.Snapshot, at int) bool {
	chosen := look.Processes[at].Stdin.Or(inventory.Stdio{})
	if !chosen.Connected() {
		return false
	}
	for i := range look.Processes {
		p := &look.Processes[i]
		if stdio := p.Stdin.Or(inventory.Stdio{}); stdio.ID == chosen.ID {
			stdio.Peer, stdio.Holders = inventory.PeerOpen, append(slices.Clone(stdio.Holders), newcomer)
			p.Stdin = inventory.Known(stdio)
		}
	}
	return true
}

// mirror shows a history as another host would: with other PIDs, in another order.
type mirror struct{ factor, offset int }

// numbers is a prime above every PID of a world.
const numbers = 32_749

func newMirror(r *rand.Rand) mirror {
	return mirror{factor: 2 + r.IntN(numbers-3), offset: r.IntN(numbers)}
}

// pid is the number that a process has there. The first two are the system's.
func (m mirror) pid(pid int) int {
	if pid <= 2 {
		return pid
	}
	return 3 + (pid*m.factor+m.offset)%numbers
}

func (m mirror) fact(pid inventory.Fact[int]) inventory.Fact[int] {
	if n, known := pid.Get(); known {
		return inventory.Known(m.pid(n))
	}
	return pid
}

func (m mirror) stream(stream inventory.Fact[inventory.Stdio]) inventory.Fact[inventory.Stdio] {
	stdio, known := stream.Get()
	if !known || len(stdio.Holders) == 0 {
		return stream
	}
	stdio.Holders = slices.Clone(stdio.Holders)
	for i, holder := range stdio.Holders {
		stdio.Holders[i] = m.pid(holder)
	}
	slices.Sort(stdio.Holders)
	return inventory.Known(stdio)
}

func (m mirror) look(look *inventory.Snapshot, r *rand.Rand) *inventory.Snapshot {
	seen := copied(look)
	seen.Host.SelfPID = m.pid(look.Host.SelfPID)
	for i := range seen.Processes {
		p := &seen.Processes[i]
		p.PID, p.PPID, p.PGID, p.SID = m.pid(p.PID), m.fact(p.PPID), m.fact(p.PGID), m.fact(p.SID)
		p.Stdin, p.Stdout = m.stream(p.Stdin), m.stream(p.Stdout)
	}
	for i := range seen.Containers {
		seen.Containers[i].PID = m.pid(seen.Containers[i].PID)
	}
	r.Shuffle(len(seen.Processes), func(i, j int) {
		seen.Processes[i], seen.Processes[j] = seen.Processes[j], seen.Processes[i]
	})
	r.Shuffle(len(seen.Containers), func(i, j int) {
		seen.Containers[i], seen.Containers[j] = seen.Containers[j], seen.Containers[i]
	})
	return seen
}

// reaps are those of another host in its numbers.
func (m mirror) reaps(r reaps) reaps {
	there := reaps{pids: map[int]bool{}, containers: r.containers}
	for pid := range r.pids {
		there.pids[m.pid(pid)] = true
	}
	return there
}
