package simulate

import (
	"fmt"
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

// variation is the same moment seen otherwise.
type variation struct {
	property string // which holds it against the look itself
	what     string // with the process's identity in it
	// change changes the look about one of its processes.
	change func(look *inventory.Snapshot, p *inventory.Process)
}

func variations() []variation {
	return []variation{
		{GapAdds, "descriptors of %s unreadable", hideDescriptors},
		{GapAdds, "parent of %s unreadable", func(_ *inventory.Snapshot, p *inventory.Process) { p.PPID = inventory.Unreadable[int]() }},
		{GapAdds, "parent of %s missing", func(_ *inventory.Snapshot, p *inventory.Process) { p.PPID = inventory.Fact[int]{} }},
		{GapAdds, "command of %s unreadable", func(_ *inventory.Snapshot, p *inventory.Process) { p.Argv, p.Exe = nil, "" }},
		{GapAdds, "what %s shares unreadable", func(_ *inventory.Snapshot, p *inventory.Process) {
			p.Shares, p.Connects = inventory.Unreadable[[]int](), inventory.Unreadable[[]int]()
		}},
		{GapAdds, "one descriptor more under way to %s", func(_ *inventory.Snapshot, p *inventory.Process) {
			p.UnseenFDs = inventory.Known(1 + p.UnseenFDs.Or(0))
		}},
		{GapAdds, "row of %s missing", func(look *inventory.Snapshot, p *inventory.Process) {
			look.Sources[0].Status, look.Sources[0].RowsMissing = inventory.StatusPartial, inventory.Known(true)
			missing := p.PID
			look.Processes = slices.DeleteFunc(look.Processes, func(q inventory.Process) bool { return q.PID == missing })
		}},
		{GapAdds, "no process table, not even %s", func(look *inventory.Snapshot, _ *inventory.Process) {
			look.Sources[0].Status, look.Processes = inventory.StatusError, nil
		}},
		{GapAdds, "no engine beside %s", func(look *inventory.Snapshot, _ *inventory.Process) {
			look.Sources[1].Status, look.Containers = inventory.StatusError, nil
		}},
		{LifeAdds, "a session more beside %s", addSession},
		{LifeAdds, "a session more that holds the stdin of %s", giveStdin},
	}
}

// of makes the look that differs about one of its processes, and says in what.
func (v variation) of(look *inventory.Snapshot, at int) (seen *inventory.Snapshot, what string) {
	seen = copied(look)
	p := &seen.Processes[at]
	what = fmt.Sprintf(v.what, p.ID())
	v.change(seen, p)
	return seen, what
}

// hideDescriptors takes from a look what only the descriptors of a process tell:
// its own streams, what it listens on, and that it holds the ends of others.
func hideDescriptors(look *inventory.Snapshot, p *inventory.Process) {
	p.Stdin, p.Stdout = inventory.Unreadable[inventory.Stdio](), inventory.Unreadable[inventory.Stdio]()
	p.OpenFDs, p.Listening, p.Connections = inventory.Unreadable[int](), inventory.Unreadable[bool](), inventory.Unreadable[int]()
	p.Shares, p.Connects = inventory.Unreadable[[]int](), inventory.Unreadable[[]int]()
	for i := range look.Processes {
		q := &look.Processes[i]
		q.Stdin, q.Stdout = without(q.Stdin, p.PID), without(q.Stdout, p.PID)
		q.Shares, q.Connects = untold(q.Shares, p.PID), untold(q.Connects, p.PID)
	}
}

// untold is a list that cannot be told without one of those on it.
func untold(pids inventory.Fact[[]int], pid int) inventory.Fact[[]int] {
	if slices.Contains(pids.Or(nil), pid) {
		return inventory.Unreadable[[]int]()
	}
	return pids
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
func addSession(look *inventory.Snapshot, _ *inventory.Process) {
	terminal := inventory.Known(inventory.Stdio{Kind: inventory.KindTTY, ID: "/dev/tty9"})
	look.Processes = append(look.Processes, inventory.Process{
		PID: newcomer, Start: 500, StartedAt: booted().Add(500 * tick), PPID: inventory.Known(1), PGID: inventory.Known(newcomer), SID: inventory.Known(newcomer),
		UID: inventory.Known(0), User: "root", State: "S", Threads: inventory.Known(1), Comm: "claude", Exe: "/usr/local/bin/claude",
		Argv: []string{"/usr/local/bin/claude"}, Cwd: "/root", OpenFDs: inventory.Known(5), Listening: inventory.Known(false), Stdin: terminal, Stdout: terminal,
	})
}

// giveStdin adds a session that holds the other end of a process's stdin, where that has
// one. Whoever shares that stdin sees the same.
func giveStdin(look *inventory.Snapshot, chosen *inventory.Process) {
	shared := chosen.Stdin.Or(inventory.Stdio{})
	addSession(look, chosen)
	for i := range look.Processes {
		p := &look.Processes[i]
		if stdio := p.Stdin.Or(inventory.Stdio{}); shared.Connected() && stdio.ID == shared.ID {
			stdio.Peer, stdio.Holders = inventory.PeerOpen, append(slices.Clone(stdio.Holders), newcomer)
			p.Stdin = inventory.Known(stdio)
		}
	}
}

// mirror shows a history as another host would: with other PIDs, in another order. The zero
// value shows it as it is.
type mirror struct{ factor, offset int }

// numbers is a prime above every PID of a world.
const numbers = 32_749

func newMirror(r *rand.Rand) mirror {
	return mirror{factor: 2 + r.IntN(numbers-3), offset: r.IntN(numbers)}
}

// pid is the number that a process has there. The first two are the system's.
func (m mirror) pid(pid int) int {
	if pid <= 2 || m.factor == 0 {
		return pid
	}
	return 3 + (pid*m.factor+m.offset)%numbers
}

// mirrored is what there is to be seen on that host.
func (w *world) mirrored(m mirror, r *rand.Rand) *inventory.Snapshot {
	w.numbers = m
	seen := w.look()
	w.numbers = mirror{}
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
