package graph

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

// randomWorld makes a table that no person would think of: any parent that is
// older, any stream held by anybody, any program.
func randomWorld(r *rand.Rand) *inventory.Snapshot {
	s := &inventory.Snapshot{
		Version: 1, TakenAt: noon, Host: inventory.Host{OS: "linux", PIDNamespace: "init", UID: inventory.Known(0)},
		Sources: []inventory.Source{{Name: inventory.SourceProcesses, Status: inventory.StatusOK}, {Name: inventory.SourceDocker, Endpoint: "unix:///d", Status: inventory.StatusOK}},
	}
	programs := [][]string{{"init"}, {"claude"}, {"bash"}, {"node", "/x/x-mcp"}, {"npm", "exec", "x-mcp"}, {"docker", "mcp", "gateway", "run"},
		{"docker", "run", "-i", "--rm", "y-mcp"}, {"docker", "exec", "-i", "c0", "x-mcp"}, {"relay"}, nil, {"containerd-shim"}}
	count := 2 + r.IntN(25)
	for pid := 1; pid <= count; pid++ {
		p := inventory.Process{PID: pid, Start: uint64(pid + r.IntN(3)), State: []string{"S", "S", "S", "Z"}[r.IntN(4)], StartedAt: noon.Add(-time.Hour),
			PPID: inventory.Known(r.IntN(pid + 1)), SID: inventory.Known(r.IntN(count)), Argv: programs[r.IntN(len(programs))]}
		if p.PPID.Or(0) == pid {
			p.PPID = inventory.Known(0)
		}
		p.Stdin, p.Stdout = randomStream(r, count), randomStream(r, count)
		if r.IntN(6) == 0 {
			p.ContainerID = fmt.Sprintf("c%d", r.IntN(3))
		}
		if r.IntN(8) == 0 {
			p.Listening = inventory.Known(true)
		}
		s.Processes = append(s.Processes, p)
	}
	for i := range r.IntN(4) {
		s.Containers = append(s.Containers, inventory.Container{ID: fmt.Sprintf("c%d", i), Image: "y-mcp", State: "running", PID: r.IntN(count),
			CreatedAt: noon.Add(-time.Hour), OpenStdin: inventory.Known(r.IntN(3) > 0), StdinOnce: inventory.Known(true)})
	}
	return s
}

func randomStream(r *rand.Rand, count int) inventory.Fact[inventory.Stdio] {
	switch r.IntN(6) {
	case 0:
		return inventory.Fact[inventory.Stdio]{}
	case 1:
		return inventory.Known(inventory.Stdio{Kind: inventory.KindNull})
	case 2, 3:
		return inventory.Known(inventory.Stdio{Kind: inventory.KindPipe, ID: fmt.Sprint("p", r.IntN(8)), Peer: inventory.PeerClosed, Holders: []int{}})
	}
	return inventory.Known(inventory.Stdio{Kind: inventory.KindPipe, ID: fmt.Sprint("p", r.IntN(8)), Peer: inventory.PeerOpen, Holders: []int{1 + r.IntN(count+1)}})
}

func TestWhatHoldsInEveryWorld(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range rounds() {
		world := randomWorld(r)
		if world.Validate() != nil {
			continue
		}
		first := Correlate(nil, world, Options{Catalogue: simple{}})
		again := Correlate(first, world, Options{Catalogue: simple{}})
		for _, g := range []*Graph{first, again, Correlate(again, randomWorld(r), Options{Catalogue: simple{}})} {
			checkInvariants(t, g)
		}
		if t.Failed() {
			t.Logf("world: %+v", world.Processes)
			return
		}
	}
}

// checkInvariants: no process is in two targets, a root is the first of its
// members, whoever has a live owner or a live holder is not orphaned, sessions
// are in no tree; what is ambiguous is kept (policy check says so).
func checkInvariants(t *testing.T, g *Graph) {
	t.Helper()
	owned := map[int]string{}
	for _, target := range g.Targets {
		if target.Finding == FindingAmbiguous && !hasVeto(target, GuardUnproven) {
			t.Errorf("%s is ambiguous and could be reaped", target.ID)
		}
		if target.Container != nil || target.Kind == KindSession {
			continue
		}
		if len(target.Members) == 0 || target.Members[0] != target.Root {
			t.Errorf("%s: the root is not the first of its members", target.ID)
		}
		for _, member := range target.Members {
			if other, taken := owned[member.PID]; taken {
				t.Errorf("process %d is in %s and in %s", member.PID, other, target.ID)
			}
			owned[member.PID] = target.ID
			if !member.Alive() {
				t.Errorf("%s: process %d has ended", target.ID, member.PID)
			}
			if (simple{}).Process(member).Role == inventory.RoleSession {
				t.Errorf("%s: session %d is in the tree", target.ID, member.PID)
			}
		}
		orphaned := target.Finding == FindingOrphaned
		if orphaned && target.Owner.Liveness == LivenessLive {
			t.Errorf("%s is orphaned and has a live owner", target.ID)
		}
		if orphaned && slices.ContainsFunc(target.Evidence, func(e Evidence) bool { return e.Proof && e.Says == SaysOwned }) {
			t.Errorf("%s is orphaned against proof: %+v", target.ID, target.Evidence)
		}
	}
}

func TestALongChainCostsItsLength(t *testing.T) {
	s := &inventory.Snapshot{Version: 1, TakenAt: noon, Sources: []inventory.Source{{Name: inventory.SourceProcesses, Status: inventory.StatusOK}}}
	gone := inventory.Known(inventory.Stdio{Kind: inventory.KindPipe, ID: "pipe:[1]", Peer: inventory.PeerClosed, Holders: []int{}})
	for pid := 1; pid <= 50_000; pid++ {
		argv := []string{"relay"}
		if pid%2 == 0 {
			argv = []string{"x-mcp"}
		}
		s.Processes = append(s.Processes, inventory.Process{PID: pid, Start: uint64(pid), PPID: inventory.Known(pid - 1), State: "S", Argv: argv, Stdin: gone})
	}
	if targets := Correlate(nil, s, Options{Catalogue: simple{}}).Targets; len(targets) != 1 || len(targets[0].Members) != 49_999 {
		t.Errorf("%d targets", len(targets))
	}
}

// rounds is how many random worlds are made; under -short a tenth.
func rounds() int {
	if testing.Short() {
		return 300
	}
	return 3000
}
