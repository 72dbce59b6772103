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

// withGap is the same moment, seen by somebody who could not read all of it.
func withGap(look *inventory.Snapshot, r *rand.Rand) (seen *inventory.Snapshot, what string) {
	seen = copied(look)
	i := r.IntN(len(seen.Processes))
	p := &seen.Processes[i]
	switch r.IntN(8) {
	case 0, 1:
		hideDescriptors(seen, p)
		return seen, "descriptors of " + p.ID().String() + " unreadable"
	case 2:
		p.PPID = inventory.Unreadable[int]()
		return seen, "parent of " + p.ID().String() + " unreadable"
	case 3:
		p.PPID = inventory.Fact[int]{}
		return seen, "parent of " + p.ID().String() + " missing"
	case 4:
		p.Argv, p.Exe = nil, ""
		return seen, "command of " + p.ID().String() + " unreadable"
	case 5:
		seen.Sources[0].Status, seen.Sources[0].RowsMissing = inventory.StatusPartial, inventory.Known(true)
		what = "row of " + p.ID().String() + " missing"
		seen.Processes = slices.Delete(seen.Processes, i, i+1)
		return seen, what
	case 6:
		seen.Sources[0].Status, seen.Processes = inventory.StatusError, nil
		return seen, "no process table"
	}
	seen.Sources[1].Status, seen.Containers = inventory.StatusError, nil
	return seen, "no engine"
}

// hideDescriptors takes from a look what only the descriptors of a process tell:
// its own streams, what it listens on, and that it holds the ends of others.
func hideDescriptors(look *inventory.Snapshot, p *inventory.Process) {
	p.Stdin, p.Stdout = inventory.Unreadable[inventory.Stdio](), inventory.Unreadable[inventory.Stdio]()
	p.OpenFDs, p.Listening, p.Clients = inventory.Unreadable[int](), inventory.Unreadable[bool](), inventory.Unreadable[int]()
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

// withLife is the same moment with somebody more alive in it: a session on a
// terminal of its own, which may have the ends of somebody's stdio.
func withLife(look *inventory.Snapshot, r *rand.Rand) (seen *inventory.Snapshot, what string) {
	seen = copied(look)
	const pid = 31_000
	agent := pick(r, knownAgent(r), unknownAgent(r))
	seen.Processes = append(seen.Processes, inventory.Process{
		PID: pid, Start: 500, StartedAt: booted().Add(500 * tick), PPID: inventory.Known(1), PGID: inventory.Known(pid), SID: inventory.Known(pid),
		UID: inventory.Known(0), User: "root", State: "S", Threads: inventory.Known(1), Comm: agent.comm, Exe: agent.exe, Argv: agent.argv, Cwd: "/root",
		OpenFDs: inventory.Known(5), Listening: inventory.Known(false),
		Stdin:  inventory.Known(inventory.Stdio{Kind: inventory.KindTTY, ID: "/dev/tty9"}),
		Stdout: inventory.Known(inventory.Stdio{Kind: inventory.KindTTY, ID: "/dev/tty9"}),
	})
	what = "a session more"
	if oneIn(r, 4) {
		return seen, what
	}
	i := r.IntN(len(look.Processes))
	chosen := seen.Processes[i].Stdin.Or(inventory.Stdio{})
	if !chosen.Connected() {
		return seen, what
	}
	for i := range seen.Processes { // whoever shares the stream sees the same
		p := &seen.Processes[i]
		if stdio := p.Stdin.Or(inventory.Stdio{}); stdio.ID == chosen.ID {
			stdio.Peer, stdio.Holders = inventory.PeerOpen, append(slices.Clone(stdio.Holders), pid)
			p.Stdin = inventory.Known(stdio)
		}
	}
	return seen, what + " that holds the stdin of " + seen.Processes[i].ID().String()
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
