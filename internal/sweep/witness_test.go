package sweep

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/reap"
)

// now is what is read anew: one process, one container.
type now struct {
	process   inventory.Process
	dead      bool
	container inventory.Container
	gone      bool
	err       error
}

func (n now) Process(inventory.ID) (inventory.Process, bool, error) {
	return n.process, !n.dead, n.err
}

func (n now) Container(context.Context, string) (inventory.Container, bool, error) {
	return n.container, !n.gone, n.err
}

func pipe(id string, peer inventory.Peer, holders ...int) inventory.Fact[inventory.Stdio] {
	return inventory.Known(inventory.Stdio{Kind: inventory.KindPipe, ID: id, Peer: peer, Holders: holders})
}

func TestAnOrphanIsLookedAtOnceMoreBeforeItIsEnded(t *testing.T) {
	orphan := inventory.Process{PID: 58, Start: 1, PPID: inventory.Known(1), Stdin: pipe("pipe:[1]", inventory.PeerClosed), Stdout: pipe("pipe:[2]", inventory.PeerOpen, 59)}
	changed := func(change func(*inventory.Process)) inventory.Process {
		p := orphan
		change(&p)
		return p
	}
	for _, c := range []struct {
		name    string
		finding graph.Finding
		now     now
		holds   bool
	}{
		{"nothing has changed", graph.FindingOrphaned, now{process: orphan}, true},
		{"it has ended: its members are looked at one by one", graph.FindingOrphaned, now{dead: true}, true},
		{"it cannot be read again", graph.FindingOrphaned, now{err: errors.New("denied")}, false},
		{"somebody holds its stdin now", graph.FindingOrphaned, now{process: changed(func(p *inventory.Process) { p.Stdin = pipe("pipe:[1]", inventory.PeerOpen, 44) })}, false},
		{"somebody else reads its stdout now", graph.FindingDisconnected, now{process: changed(func(p *inventory.Process) { p.Stdout = pipe("pipe:[2]", inventory.PeerOpen, 59, 44) })}, false},
		{"its own child has its stdin", graph.FindingOrphaned, now{process: changed(func(p *inventory.Process) { p.Stdin = pipe("pipe:[1]", inventory.PeerOpen, 58) })}, true},
		{"a client has connected", graph.FindingOrphaned, now{process: changed(func(p *inventory.Process) { p.Connections = inventory.Known(1) })}, false},
		{"it has another parent", graph.FindingOrphaned, now{process: changed(func(p *inventory.Process) { p.PPID = inventory.Known(44) })}, false},
		{"a copy that did some work since", graph.FindingDuplicate, now{process: changed(func(p *inventory.Process) { p.IOChars = inventory.Known(uint64(7)) })}, false},
		{"a copy that did none", graph.FindingDuplicate, now{process: changed(func(p *inventory.Process) { p.IOChars = inventory.Known(uint64(5)) })}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			was := orphan
			was.IOChars = inventory.Known(uint64(5))
			target := &graph.Target{ID: "58:1", Kind: graph.KindServer, Root: &was, Members: []*inventory.Process{&was}, Finding: c.finding}
			w := witnessOf(target, c.now)
			if holds, why := w.StillHolds(t.Context(), reap.Act{TargetID: "58:1"}); holds != c.holds || holds != (why == "") {
				t.Errorf("holds %v (%s), want %v", holds, why, c.holds)
			}
		})
	}
	if holds, _ := newWitness(&graph.Graph{}, policy.Plan{}, now{}).StillHolds(t.Context(), reap.Act{TargetID: "58:1"}); holds {
		t.Error("what no look has seen does not hold")
	}
}

func TestAContainerIsLookedAtOnceMoreBeforeItIsEnded(t *testing.T) {
	began := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	was := inventory.Container{ID: "c1", State: "running", StartedAt: began, Stdin: inventory.PeerClosed}
	for _, c := range []struct {
		name  string
		now   now
		holds bool
	}{
		{"nothing has changed", now{container: was}, true},
		{"it is gone", now{gone: true}, true},
		{"the engine does not answer", now{err: errors.New("timeout")}, false},
		{"it was started again", now{container: inventory.Container{ID: "c1", State: "running", StartedAt: began.Add(time.Second)}}, false},
		{"somebody holds its stdin now", now{container: inventory.Container{ID: "c1", State: "running", StartedAt: began, Stdin: inventory.PeerOpen}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			target := &graph.Target{ID: "c1", Kind: graph.KindContainer, Container: &was, Finding: graph.FindingOrphaned}
			w := witnessOf(target, c.now)
			if holds, why := w.StillHolds(t.Context(), reap.Act{TargetID: "c1"}); holds != c.holds {
				t.Errorf("holds %v (%s), want %v", holds, why, c.holds)
			}
		})
	}
}

func TestAStrayIsEndedOnlyWhereEverythingProvesThatItIsTheTrees(t *testing.T) {
	closed := func(id string) inventory.Fact[inventory.Stdio] { return pipe(id, inventory.PeerClosed) }
	member := inventory.Process{PID: 58, Start: 1, PPID: inventory.Known(7), UID: inventory.Known(1000), Stdin: closed("pipe:[1]"), Stdout: closed("pipe:[2]")}
	stray := func(change func(*inventory.Process)) inventory.Process {
		p := inventory.Process{PID: 99, PPID: inventory.Known(1), UID: inventory.Known(1000), Listening: inventory.Known(false), Stdin: closed("pipe:[1]"), Stdout: closed("pipe:[2]")}
		change(&p)
		return p
	}
	null := inventory.Known(inventory.Stdio{Kind: inventory.KindNull})
	for _, c := range []struct {
		name    string
		finding graph.Finding
		stray   inventory.Process
		want    reap.Kinship
	}{
		{"the first process has adopted it, with both ends of its stdio closed", graph.FindingOrphaned, stray(func(*inventory.Process) {}), reap.Proven},
		{"its stdin is /dev/null, as a shell gives what it starts in the background", graph.FindingOrphaned, stray(func(p *inventory.Process) { p.Stdin = null }), reap.Proven},
		{"it hangs where the orphan hung", graph.FindingOrphaned, stray(func(p *inventory.Process) { p.PPID = inventory.Known(7) }), reap.Proven},
		{"it hangs on the live session that the tree was disconnected from", graph.FindingDisconnected, stray(func(p *inventory.Process) { p.PPID = inventory.Known(7) }), reap.Likely},
		{"somebody else is its parent", graph.FindingOrphaned, stray(func(p *inventory.Process) { p.PPID = inventory.Known(44) }), reap.Likely},
		{"it is another user's", graph.FindingOrphaned, stray(func(p *inventory.Process) { p.UID = inventory.Known(1001) }), reap.Likely},
		{"whose it is was not read", graph.FindingOrphaned, stray(func(p *inventory.Process) { p.UID = inventory.Unreadable[int]() }), reap.Likely},
		{"somebody holds the other end of its stdin", graph.FindingOrphaned, stray(func(p *inventory.Process) { p.Stdin = pipe("pipe:[1]", inventory.PeerOpen, 44) }), reap.Likely},
		{"somebody reads its stdout", graph.FindingOrphaned, stray(func(p *inventory.Process) { p.Stdout = pipe("pipe:[2]", inventory.PeerOpen, 44) }), reap.Likely},
		{"its stdout is a file", graph.FindingOrphaned, stray(func(p *inventory.Process) { p.Stdout = inventory.Known(inventory.Stdio{Kind: inventory.KindFile}) }), reap.Likely},
		{"it listens", graph.FindingOrphaned, stray(func(p *inventory.Process) { p.Listening = inventory.Known(true) }), reap.Likely},
		{"whether it listens was not read", graph.FindingOrphaned, stray(func(p *inventory.Process) { p.Listening = inventory.Fact[bool]{} }), reap.Likely},
		{"it asks to be kept", graph.FindingOrphaned, stray(func(p *inventory.Process) { p.Env = map[string]string{"REAPERD_KEEP": "1"} }), reap.Likely},
		{"its stdin could not be read yet", graph.FindingOrphaned, stray(func(p *inventory.Process) { p.Stdin = inventory.Unreadable[inventory.Stdio]() }), reap.Unread},
		{"its stdio could not be read, and it is another user's", graph.FindingOrphaned, stray(func(p *inventory.Process) {
			p.UID, p.Stdin, p.Stdout = inventory.Known(1001), inventory.Unreadable[inventory.Stdio](), inventory.Unreadable[inventory.Stdio]()
		}), reap.Stranger},
		{"it has ended, and nobody has waited for it", graph.FindingOrphaned, stray(func(p *inventory.Process) {
			p.Stdin, p.Stdout = inventory.Fact[inventory.Stdio]{}, inventory.Fact[inventory.Stdio]{}
		}), reap.Stranger},
		{"it has another stdin and stdout", graph.FindingOrphaned, stray(func(p *inventory.Process) { p.Stdin, p.Stdout = closed("pipe:[7]"), closed("pipe:[8]") }), reap.Stranger},
		{"it has /dev/null, which everybody has", graph.FindingOrphaned, stray(func(p *inventory.Process) { p.Stdin, p.Stdout = null, null }), reap.Stranger},
	} {
		t.Run(c.name, func(t *testing.T) {
			target := &graph.Target{ID: "58:1", Root: &member, Members: []*inventory.Process{&member}, Finding: c.finding}
			w := witnessOf(target, now{process: c.stray})
			if got := w.kin(t.Context(), reap.Act{TargetID: "58:1"}, inventory.ID{PID: 99}); got != c.want {
				t.Errorf("kinship %v, want %v", got, c.want)
			}
		})
	}
}

// counted counts how often each process is read.
type counted struct {
	processes map[int]inventory.Process
	reads     map[int]int
}

func (c counted) Process(id inventory.ID) (inventory.Process, bool, error) {
	c.reads[id.PID]++
	p, there := c.processes[id.PID]
	return p, there, nil
}

func (counted) Container(context.Context, string) (inventory.Container, bool, error) {
	return inventory.Container{}, false, nil
}

func TestTreesThatEndSideBySideReadAStrangersStdioOnce(t *testing.T) {
	const trees, strays = 20, 30
	closed := func(i int) inventory.Fact[inventory.Stdio] {
		return pipe(fmt.Sprintf("pipe:[%d]", i), inventory.PeerClosed)
	}
	seen := counted{processes: map[int]inventory.Process{}, reads: map[int]int{}}
	g, plan := &graph.Graph{}, policy.Plan{}
	for i := range trees {
		member := inventory.Process{PID: i + 2, Start: 1, PPID: inventory.Known(1), UID: inventory.Known(1000), Stdin: closed(i), Stdout: closed(i)}
		target := &graph.Target{ID: fmt.Sprint(i), Root: &member, Members: []*inventory.Process{&member}, Finding: graph.FindingOrphaned}
		g.Targets, plan.Acts = append(g.Targets, target), append(plan.Acts, policy.Act{TargetID: target.ID})
	}
	for i := range strays {
		seen.processes[100+i] = inventory.Process{PID: 100 + i, PPID: inventory.Known(1), UID: inventory.Known(1000), Listening: inventory.Known(false),
			Stdin: closed(i), Stdout: closed(i)}
	}
	seen.processes[99] = inventory.Process{PID: 99, PPID: inventory.Known(1), UID: inventory.Known(1000), Stdin: inventory.Unreadable[inventory.Stdio](), Stdout: closed(0)}
	synctest.Test(t, func(t *testing.T) {
		w := newWitness(g, plan, seen)
		for i := range trees {
			for j := range strays {
				want := reap.Stranger
				if i == j {
					want = reap.Proven
				}
				if got := w.kin(t.Context(), reap.Act{TargetID: fmt.Sprint(i)}, inventory.ID{PID: 100 + j}); got != want {
					t.Errorf("tree %d, stray %d: kinship %v, want %v", i, j, got, want)
				}
			}
			if got := w.kin(t.Context(), reap.Act{TargetID: fmt.Sprint(i)}, inventory.ID{PID: 99}); got != reap.Unread {
				t.Errorf("tree %d, what could not be read: kinship %v", i, got)
			}
		}
		for pid := 100; pid < 100+strays; pid++ {
			if seen.reads[pid] > 2 { // once for whoever asked first, once for its own tree
				t.Errorf("%d was read %d times", pid, seen.reads[pid])
			}
		}
		time.Sleep(readAgainAfter)
		w.kin(t.Context(), reap.Act{TargetID: "0"}, inventory.ID{PID: 99})
		if seen.reads[99] != 2 {
			t.Errorf("what could not be read was read %d times, want twice: for all trees, and again later", seen.reads[99])
		}
	})
}

// witnessOf is the witness of a plan that ends one target.
func witnessOf(target *graph.Target, fresh Fresh) *witness {
	return newWitness(&graph.Graph{Targets: []*graph.Target{target}}, policy.Plan{Acts: []policy.Act{{TargetID: target.ID}}}, fresh)
}
