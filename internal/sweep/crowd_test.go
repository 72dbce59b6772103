package sweep

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/reap"
)

// firstPID is beyond every number that a kernel gives: no process of this machine is
// meant by any of a street's.
const firstPID = 10_000_000

// orphan is an MCP server that nobody has, as one process.
type orphan struct {
	pid  int
	uid  int
	does conduct
	came time.Time

	stopped, asked bool
	ended          time.Time // zero: it lives
}

// conduct is what an orphan does when it is told to end.
type conduct string

const (
	obeys    conduct = "obeys"
	ignores  conduct = "ignores TERM"
	inKernel conduct = "is killed, and stays in the kernel"
)

// street is a host of orphans: process table, kernel and journal.
type street struct {
	mu      sync.Mutex
	orphans []*orphan
	looks   int
	acts    map[string][]string // what was journalled of each target, in order
	signals map[int][]unix.Signal
	hangs   chan struct{} // reading the process table for an act waits for it; nil never
}

// comes adds orphans and returns them.
func (s *street) comes(number, uid int, does conduct) []*orphan {
	s.mu.Lock()
	defer s.mu.Unlock()
	came := make([]*orphan, number)
	for i := range came {
		came[i] = &orphan{pid: firstPID + len(s.orphans), uid: uid, does: does, came: time.Now()}
		s.orphans = append(s.orphans, came[i])
	}
	return came
}

// alive are those of them that live.
func (s *street) alive(orphans []*orphan) (alive int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range orphans {
		if o.ended.IsZero() {
			alive++
		}
	}
	return alive
}

// lived is for how long the one of them lived that lived longest.
func (s *street) lived(t *testing.T, orphans []*orphan) (longest time.Duration) {
	t.Helper()
	if alive := s.alive(orphans); alive > 0 {
		t.Fatalf("%d of %d live", alive, len(orphans))
	}
	for _, o := range orphans {
		longest = max(longest, o.ended.Sub(o.came))
	}
	return longest
}

// Look implements [Observer].
func (s *street) Look(context.Context, *graph.Graph) (*inventory.Snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.looks++
	now := time.Now()
	look := &inventory.Snapshot{
		Version: 1, TakenAt: now,
		Host:    inventory.Host{OS: "linux", BootID: "b0", PIDNamespace: "init", UID: inventory.Known(0), AwakeSeconds: inventory.Known(float64(now.UnixMilli()) / 1000)},
		Sources: []inventory.Source{{Name: inventory.SourceProcesses, Status: inventory.StatusOK}},
		Processes: []inventory.Process{{
			PID: 1, Start: 1, PPID: inventory.Known(0), UID: inventory.Known(0), Comm: "init", Exe: "/sbin/init", Argv: []string{"/sbin/init"}, OpenFDs: inventory.Known(3),
		}},
	}
	for _, o := range s.orphans {
		if o.ended.IsZero() {
			look.Processes = append(look.Processes, o.process())
		}
	}
	return look, nil
}

func (o *orphan) process() inventory.Process {
	closed := func(id int) inventory.Fact[inventory.Stdio] {
		return inventory.Known(inventory.Stdio{Kind: inventory.KindPipe, ID: fmt.Sprintf("pipe:[%d]", id), Peer: inventory.PeerClosed, Holders: []int{}})
	}
	return inventory.Process{
		PID: o.pid, Start: 7, StartedAt: o.came, PPID: inventory.Known(1), PGID: inventory.Known(o.pid), SID: inventory.Known(o.pid),
		UID: inventory.Known(o.uid), State: string(o.state()), Threads: inventory.Known(1), Comm: "mcp-server-time", Exe: "/usr/bin/mcp-server-time",
		Argv: []string{"/usr/bin/mcp-server-time"}, OpenFDs: inventory.Known(3), Stdin: closed(2 * o.pid), Stdout: closed(2*o.pid + 1),
		Listening: inventory.Known(false), Connections: inventory.Known(0), RSSBytes: inventory.Known(uint64(1 << 20)),
	}
}

func (o *orphan) state() byte {
	switch {
	case o.does == inKernel:
		return 'D'
	case o.stopped:
		return 'T'
	}
	return 'S'
}

// Process implements [Fresh].
func (s *street) Process(id inventory.ID) (inventory.Process, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.orphans[id.PID-firstPID]
	return o.process(), o.ended.IsZero(), nil
}

// Container implements [Fresh].
func (s *street) Container(context.Context, string) (inventory.Container, bool, error) {
	return inventory.Container{}, false, nil
}

// Table implements [reap.Processes].
func (s *street) Table() ([]inventory.Row, error) {
	if s.hangs != nil {
		<-s.hangs
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	rows := []inventory.Row{{ID: inventory.ID{PID: 1, Start: 1}, State: 'S', SID: 1}}
	for _, o := range s.orphans {
		if o.ended.IsZero() {
			rows = append(rows, inventory.Row{ID: inventory.ID{PID: o.pid, Start: 7}, PPID: 1, State: o.state(), SID: o.pid})
		}
	}
	return rows, nil
}

// Open implements [reap.Kernel].
func (s *street) Open(pid int) (reap.Handle, error) {
	return grip{s, s.orphans[pid-firstPID]}, nil
}

// Wait implements [reap.Kernel]: nobody waits in it here.
func (s *street) Wait(handles []reap.Handle, _ time.Duration) (ended []int, err error) {
	for i, h := range handles {
		if h.Exited() {
			ended = append(ended, i)
		}
	}
	return ended, nil
}

// grip is a handle to an orphan.
type grip struct {
	street *street
	orphan *orphan
}

func (g grip) Exited() bool {
	g.street.mu.Lock()
	defer g.street.mu.Unlock()
	return !g.orphan.ended.IsZero()
}

func (g grip) Close() {}

func (g grip) Signal(signal unix.Signal) error {
	g.street.mu.Lock()
	defer g.street.mu.Unlock()
	o := g.orphan
	if !o.ended.IsZero() {
		return reap.ErrExited
	}
	if g.street.signals == nil {
		g.street.signals = map[int][]unix.Signal{}
	}
	g.street.signals[o.pid] = append(g.street.signals[o.pid], signal)
	switch signal {
	case unix.SIGSTOP:
		o.stopped = true
	case unix.SIGCONT:
		o.stopped = false
	case unix.SIGTERM:
		o.asked = true
	}
	if signal == unix.SIGKILL && o.does != inKernel || o.asked && !o.stopped && o.does == obeys {
		o.ended = time.Now()
	}
	return nil
}

// looked is how often it was looked at.
func (s *street) looked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.looks
}

// signalled counts how often a signal was sent to an orphan.
func (s *street) signalled(o *orphan, signal unix.Signal) (times int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sent := range s.signals[o.pid] {
		if sent == signal {
			times++
		}
	}
	return times
}

// stopped are the orphans that stand still.
func (s *street) stopped() (stopped int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.orphans {
		if o.stopped && o.ended.IsZero() {
			stopped++
		}
	}
	return stopped
}

// Ready, Intend and Done implement [reap.Recorder].
func (s *street) Ready() error { return nil }

func (s *street) Intend(e journal.Entry) error { return s.note(e, "intended") }
func (s *street) Done(e journal.Entry) error   { return s.note(e, e.Result) }

func (s *street) note(e journal.Entry, what string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.acts == nil {
		s.acts = map[string][]string{}
	}
	s.acts[e.TargetID] = append(s.acts[e.TargetID], what)
	return nil
}

// wantOneActEach fails where the journal does not hold one intention and one outcome
// of each.
func (s *street) wantOneActEach(t *testing.T, orphans []*orphan, result string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range orphans {
		if got := s.acts[fmt.Sprintf("%d:7", o.pid)]; !slices.Equal(got, []string{"intended", result}) {
			t.Errorf("journal of process %d: %q, want one act that ended as %s", o.pid, got, result)
		}
	}
}

// crowdPolicy sweeps each second and gives a grace of one's own.
func crowdPolicy(grace string, more string) string {
	return `
version: 1
extends: builtin
schedule: "@every 1s"
rules:
  - {name: orphaned-servers, for: 1s, grace: ` + grace + "}\n" + more
}

func (s *street) sweeper(p *policy.Policy) *Sweeper {
	return &Sweeper{
		Observer: s, Fresh: s, Catalogue: catalogue.New(), Policy: p,
		Reaper: &reap.Reaper{Processes: s, Kernel: s, Recorder: s},
	}
}
