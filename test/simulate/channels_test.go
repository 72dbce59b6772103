package simulate

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

// TestEveryChannelKeeps: for each place where a client may have the ends of a server, what a reader
// sees of it, that the server is in use, and that it is not when the client has gone.
func TestEveryChannelKeeps(t *testing.T) {
	flight := func(w *world, a *process, s *server) {
		pair := w.newChannel(inventory.KindSocket)
		a.hold(&pair.ends[1])
		for _, e := range s.ends {
			a.send(e, &pair.ends[1])
		}
	}
	for _, channel := range []struct {
		name   string
		put    func(w *world, a *process, s *server)
		peer   inventory.Peer
		seen   bool // among the holders
		unseen int  // descriptors that the client has not received
		status inventory.Status
	}{
		{"in its table", func(*world, *process, *server) {}, inventory.PeerOpen, true, 0, inventory.StatusOK},
		{"in a thread's or a ring", func(_ *world, a *process, s *server) { a.hide(s.ends) }, inventory.PeerOpen, true, 0, inventory.StatusOK},
		{"in the queue of its socket", flight, inventory.PeerOpen, false, 2, inventory.StatusOK},
		{"in the queue of a socket that is under way", func(w *world, a *process, s *server) {
			flight(w, a, s)
			next := w.newChannel(inventory.KindSocket)
			a.hold(&next.ends[1])
			a.send(s.ends[0].sentTo[0], &next.ends[1])
		}, inventory.PeerOpen, false, 1, inventory.StatusPartial},
		{"beside the stdio", func(w *world, _ *process, s *server) {
			w.speakBeside(s.members[2])
			s.drop(s.ends)
		}, inventory.PeerClosed, false, 0, inventory.StatusOK},
	} {
		t.Run(channel.name, func(t *testing.T) {
			w, a, s := pair(t, inventory.KindPipe)
			channel.put(w, a, s)
			w.mark()
			look, got := w.look(), stdinOf(t, w, s.members[0])
			client := look.Processes[slices.IndexFunc(look.Processes, func(p inventory.Process) bool { return p.PID == a.pid })]
			if !w.inUse(s) || got.Peer != channel.peer || slices.Contains(got.Holders, a.pid) != channel.seen || client.UnseenFDs.Or(0) != channel.unseen || look.Sources[0].Status != channel.status {
				t.Errorf("in use %v, %+v, %d unseen, %s", w.inUse(s), got, client.UnseenFDs.Or(0), look.Sources[0].Status)
			}
			w.exit(a)
			w.mark()
			if w.inUse(s) || stdinOf(t, w, s.members[0]).Peer != inventory.PeerClosed {
				t.Errorf("the client has gone: in use %v", w.inUse(s))
			}
		})
	}
}

func TestAPersonsProgramIsKeptAndKeepsNothing(t *testing.T) {
	w, a, s := pair(t, inventory.KindPipe)
	a.leaks = true
	other := w.newServer(a, flavour{name: "other", chain: []program{native("/bin/a")}}, serverOptions{})
	shown := w.fork(other.members[0], birth{program: browserProgram(), role: person})
	if !shown.has(other.ends[0]) {
		t.Fatal("what is not marked to be closed is inherited")
	}
	w.exit(a)
	w.mark()
	if w.inUse(s) || w.inUse(other) || !w.mustKeep(shown) {
		t.Errorf("in use %v, %v; the person's program is kept: %v", w.inUse(s), w.inUse(other), w.mustKeep(shown))
	}
}

// In a backlog nobody has it, and from another host it looks open when its caller has gone.
func TestAConnectionIsOpenInABacklogAndFromAnotherHost(t *testing.T) {
	w := newWorld(Host{})
	playWaiting(w, rand.New(rand.NewPCG(1, 1)), 0)
	s := w.servers[0]
	for _, holders := range [][]int{{}, {s.client.pid}} {
		w.mark()
		if got := stdinOf(t, w, s.members[0]); !w.inUse(s) || got.Peer != inventory.PeerOpen || !slices.Equal(got.Holders, holders) {
			t.Errorf("in use %v, %+v, want %v", w.inUse(s), got, holders)
		}
		s.client.accept()
	}
	s.client = w.elsewhere
	s.ends[0].channel.far = true
	for _, holder := range slices.Clone(s.ends[0].holders) {
		holder.drop(s.ends[0])
	}
	w.mark()
	if got := stdinOf(t, w, s.members[0]); w.inUse(s) || got.Peer != inventory.PeerOpen || slices.Contains(w.provables(), s) {
		t.Errorf("in use %v, %+v", w.inUse(s), got)
	}
}

func TestWhoComesByName(t *testing.T) {
	w := newWorld(Host{})
	playNamed(w, rand.New(rand.NewPCG(1, 1)), 0)
	s := w.servers[0]
	for _, linked := range []bool{true, false} {
		s.ends[0].channel.linked, s.ends[1].channel.linked = linked, linked
		w.mark()
		if got := stdinOf(t, w, s.members[0]); w.inUse(s) != linked || got.Named != linked || linked && got.Peer != inventory.PeerOpen {
			t.Errorf("linked %v: in use %v, %+v", linked, w.inUse(s), got)
		}
	}
}

func TestAJobIsInUseUntilItIsDone(t *testing.T) {
	w, a, _ := pair(t, inventory.KindPipe)
	startJob(w, rand.New(rand.NewPCG(1, 1)), a)
	s := w.servers[1]
	s.busy = w.awake + time.Minute
	w.exit(a)
	for _, want := range []bool{true, false} {
		w.work(2 * time.Minute)
		if w.inUse(s) != want {
			t.Errorf("in use %v, want %v", w.inUse(s), want)
		}
		w.run(2 * time.Minute)
	}
	if rested := w.awake - s.rested; rested != 3*time.Minute {
		t.Errorf("it has rested for %s", rested)
	}
}

func TestAnExecIsInUseWhileSomebodyReadsIt(t *testing.T) {
	w, a, _ := pair(t, inventory.KindPipe)
	c := w.create(creation{name: "app", image: "acme/app", program: native("/bin/app")}, nil)
	s := w.newServer(a, flavour{name: "exec", chain: []program{w.engine.call("exec", "-i", "app", "server")}}, serverOptions{})
	inside := w.exec(c, s.members[0], birth{program: native("/bin/server"), role: serves, server: s})
	endInput(w, nil, s.members[0])
	w.settle()
	w.mark()
	if got := stdinOf(t, w, inside); inside.user != s.members[0] || got.Peer != inventory.PeerClosed {
		t.Errorf("its input has ended, and its answer is awaited: used by %v, %+v", inside.user, got)
	}
	w.exit(s.members[0])
	w.settle()
	w.mark()
	if inside.user != nil || !inside.alive() {
		t.Error("its docker exec has gone: it lives on, and nobody uses it")
	}
}

// TestEveryMannerHappens, by itself and among the others.
func TestEveryMannerHappens(t *testing.T) {
	judge, all := newJudge(t), newTally()
	for seed := range uint64(100) {
		tally, _ := judge.Play(Write(seed, ""))
		all.add(tally)
	}
	for of, sum := range all.Manners {
		if sum[wanted] == 0 {
			t.Errorf("%s: nothing in use", of)
		}
		if tally, _ := judge.Play(Write(1, of)); tally.Manners[of][things] == 0 {
			t.Errorf("%s alone: nothing happens", of)
		}
	}
	for _, e := range events() {
		if all.Manners[e.manner] == (Sum{}) {
			t.Errorf("%s: nothing happens", e.manner)
		}
	}
}

// TestABlindJudgeIsCaught: who does not see that descriptors are under way takes a list of
// holders for whole.
func TestABlindJudgeIsCaught(t *testing.T) {
	judge := newJudge(t)
	honest := judge.Correlate
	judge.Correlate = func(past memory, look *inventory.Snapshot) *graph.Graph {
		blind := copied(look)
		blind.Sources[0].Status = inventory.StatusOK
		for i := range blind.Processes {
			blind.Processes[i].UnseenFDs = inventory.Fact[int]{}
		}
		return honest(past, blind)
	}
	for seed := range uint64(100) {
		_, failures := judge.Play(Write(seed, hidden))
		if slices.ContainsFunc(failures, func(f Failure) bool { return f.Property == InUse && strings.HasPrefix(f.Kind, string(hidden)) }) {
			return
		}
	}
	t.Error("no world catches a judge that sees nothing under way")
}
