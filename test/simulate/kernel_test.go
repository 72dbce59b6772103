package simulate

import (
	"slices"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

// pair is a world with one agent and one server of it, three processes long.
func pair(t *testing.T, kind inventory.Kind) (*world, *process, *server) {
	t.Helper()
	w := newWorld(Host{})
	a := w.startAgent(w.init, native("/opt/acme/assistant"), 0)
	f := flavour{name: "npx", chain: []program{native("/bin/a"), native("/bin/b"), native("/bin/c")}}
	return w, a, w.newServer(a, f, serverOptions{sockets: kind == inventory.KindSocket})
}

func stdinOf(t *testing.T, w *world, p *process) inventory.Stdio {
	t.Helper()
	look := w.look()
	if err := look.Validate(); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(look.Processes, func(q inventory.Process) bool { return q.PID == p.pid })
	if i < 0 {
		t.Fatalf("process %d is not in the look", p.pid)
	}
	return look.Processes[i].Stdin.Or(inventory.Stdio{})
}

func TestAPeerIsClosedExactlyWhenItsLastHolderIsGone(t *testing.T) {
	for _, kind := range []inventory.Kind{inventory.KindPipe, inventory.KindSocket} {
		w, a, s := pair(t, kind)
		heir := w.fork(a, birth{program: native("/bin/heir")})
		heir.hold(s.ends[0])
		leaf := s.members[2]
		for _, step := range []struct {
			name    string
			happen  func()
			peer    inventory.Peer
			holders []int
		}{
			{"both hold it", func() {}, inventory.PeerOpen, []int{a.pid, heir.pid}},
			{"the agent dies", func() { w.exit(a) }, inventory.PeerOpen, []int{heir.pid}},
			{"a wrapper dies", func() { w.exit(s.members[0]) }, inventory.PeerOpen, []int{heir.pid}},
			{"the heir closes it", func() { heir.drop(s.ends[0]) }, inventory.PeerClosed, []int{}},
		} {
			step.happen()
			got := stdinOf(t, w, leaf)
			if got.Kind != kind || got.Peer != step.peer || !slices.Equal(got.Holders, step.holders) {
				t.Errorf("%s: %s: %+v, want %s held by %v", kind, step.name, got, step.peer, step.holders)
			}
		}
	}
}

func TestWhoAdopts(t *testing.T) {
	w := newWorld(Host{})
	manager := w.userManager()
	a := w.fork(manager, birth{program: native("/bin/a")})
	b := w.fork(a, birth{program: native("/bin/b")})
	c := w.fork(b, birth{program: native("/bin/c")})
	w.exit(b)
	if c.parent != manager {
		t.Errorf("adopted by %d, want the subreaper %d", c.parent.pid, manager.pid)
	}
	w.exit(manager)
	if c.parent != w.init || a.parent != w.init {
		t.Error("without a subreaper init adopts")
	}
	a.careless = true
	d := w.fork(a, birth{program: native("/bin/d")})
	w.exit(d)
	if d.gone || !d.zombie {
		t.Error("what nobody waits for stays a zombie")
	}
	w.exit(a)
	if !d.gone {
		t.Error("init waits for the zombies it adopts")
	}
}

func TestAContainerIsOpenAsLongAsSomebodyIsAttached(t *testing.T) {
	w := newWorld(Host{})
	a := w.startAgent(w.init, native("/opt/acme/assistant"), 0)
	s := w.dockerServer(Write(1, "").Steps[0].random(), a, dockerOptions{image: "mcp/fetch"})
	s.container.obedient = false
	w.mark()
	if got := w.look().Containers[0]; got.Stdin != inventory.PeerOpen || !w.mustKeepContainer(s.container) {
		t.Errorf("somebody is attached: %s", got.Stdin)
	}
	w.exit(a)
	w.settle()
	if got := w.look().Containers[0]; got.Stdin != inventory.PeerClosed || got.State != "running" {
		t.Errorf("its client is at the end of its input: %s, %s", got.Stdin, got.State)
	}
	if !s.members[0].alive() {
		t.Error("docker run waits for its container")
	}
	w.stop(s.container)
	if s.members[0].alive() {
		t.Error("docker run ends with its container")
	}
}

func TestAHistoryIsTheSameEveryTime(t *testing.T) {
	judge := newJudge(t)
	for seed := range uint64(20) {
		first, failures := judge.Play(Write(seed, ""))
		again, failuresAgain := judge.Play(Write(seed, ""))
		if first.String() != again.String() || len(failures) != len(failuresAgain) {
			t.Errorf("seed %d: %s\nand then\n%s", seed, first.String(), again.String())
		}
	}
}

func newJudge(t *testing.T) *Judge {
	t.Helper()
	judge, err := NewJudge()
	if err != nil {
		t.Fatal(err)
	}
	return judge
}

// TestABrokenJudgeIsCaught: where a parent that is init condemns whatever was once
// a server, an agent's server that lost its wrapper is reaped while it is in use.
func TestABrokenJudgeIsCaught(t *testing.T) {
	judge := newJudge(t)
	honest := judge.Correlate
	judge.Correlate = func(past memory, look *inventory.Snapshot) *graph.Graph {
		g := honest(past, look)
		for _, target := range g.Targets {
			if target.Root != nil && target.Root.PPID.Or(0) == 1 && target.Kind == graph.KindServer {
				target.Finding, target.Held, target.Looks, target.Vetoes = graph.FindingOrphaned, 2*least, 2, nil
			}
		}
		return g
	}
	for seed := range uint64(200) {
		script := Write(seed, "")
		_, failures := judge.Play(script)
		i := slices.IndexFunc(failures, func(f Failure) bool { return f.Property == InUse && strings.Contains(f.Kind, ": npx") })
		if i < 0 {
			continue
		}
		small, failure := judge.Shrink(script, failures[i])
		if len(small.Scenes) > 2 || len(small.Steps) > 6 {
			t.Errorf("seed %d: not small: %s", seed, small)
		}
		replays(t, judge, small, failure)
		return
	}
	t.Error("no world catches a judge that condemns by PPID 1")
}

// replays: the fixture of a failure fails by itself, as a file read anew.
func replays(t *testing.T, judge *Judge, s Script, f Failure) {
	t.Helper()
	fixture, err := NewFixture(s, f)
	if err != nil {
		t.Fatal(err)
	}
	wrong, err := judge.Replay(fixture)
	if err != nil || len(wrong) == 0 {
		t.Errorf("the fixture of %s does not fail: %v", f.Text, err)
	}
	if honest, err := newJudge(t).Replay(fixture); err != nil || len(honest) > 0 {
		t.Errorf("an honest judge fails on it: %v, %v", honest, err)
	}
}
