package idle

import (
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/usage"
)

// world is a snapshot and its graph, indexed.
type world struct {
	byPID    map[int]*inventory.Process
	children map[int][]*inventory.Process
	owned    map[inventory.ID][]*graph.Target // by the owner's root
	inside   map[string][]*inventory.Process  // by container
}

func newWorld(g *graph.Graph) *world {
	if len(g.Sessions) == 0 {
		return &world{}
	}
	w := &world{
		byPID: map[int]*inventory.Process{}, children: map[int][]*inventory.Process{},
		owned: map[inventory.ID][]*graph.Target{}, inside: map[string][]*inventory.Process{},
	}
	for i := range g.Snapshot.Processes {
		p := &g.Snapshot.Processes[i]
		w.byPID[p.PID] = p
		if p.ContainerID != "" {
			w.inside[p.ContainerID] = append(w.inside[p.ContainerID], p)
		}
	}
	for i := range g.Snapshot.Processes {
		p := &g.Snapshot.Processes[i]
		if parent := w.byPID[p.PPID.Or(0)]; parent != nil && parent.Start <= p.Start {
			w.children[parent.PID] = append(w.children[parent.PID], p)
		}
	}
	for _, t := range g.Targets {
		if t.Owner.Liveness == graph.LivenessLive && !t.Incidental {
			w.owned[t.Owner.ID] = append(w.owned[t.Owner.ID], t)
		}
	}
	return w
}

// tree is a session's tree, and the targets that it holds.
type tree struct {
	usage.Tree
	holds []*graph.Target

	seen map[inventory.ID]bool
}

// treeOf gathers the processes that work for a session.
func (w *world) treeOf(s *graph.Session) tree {
	t := tree{seen: map[inventory.ID]bool{}}
	for _, member := range s.Members {
		t.add(member)
	}
	t.Own = len(t.Processes)
	for _, member := range s.Members {
		w.hold(&t, member.ID())
	}
	for _, known := range t.Processes { // processes that stay when a server ends are no tools
		w.addTools(&t, known)
	}
	return t
}

// servers is how many MCP servers and gateways the session holds.
func (t tree) servers() int {
	n := 0
	for _, target := range t.holds {
		if target.Kind != graph.KindContainer {
			n++
		}
	}
	return n
}

// memory is that of the session itself and of all that it holds, in bytes.
func (t tree) memory(s *graph.Session) uint64 {
	sum := usage.Sum(s.Members).MemoryBytes
	for _, target := range t.holds {
		sum += target.MemoryBytes
	}
	return sum
}

// unmeasured is how many running containers the session holds whose memory is not known: no look has read
// whole yet what runs in them, or none can.
func (t tree) unmeasured() int {
	n := 0
	for _, target := range t.holds {
		if target.Container != nil && target.Container.Running() && target.MemoryBytes == 0 {
			n++
		}
	}
	return n
}

func (t *tree) add(p *inventory.Process) {
	if t.seen[p.ID()] || !p.Alive() {
		return
	}
	t.seen[p.ID()] = true
	t.Processes = append(t.Processes, p)
	if p.Connections.Or(0) > 0 {
		t.Busy = append(t.Busy, usage.Use{Sign: usage.SignConnections, PID: p.PID})
	}
	if p.Listening.IsUnreadable() || p.Connections.IsUnreadable() {
		t.Busy = append(t.Busy, usage.Use{Sign: usage.SignUnknown, PID: p.PID})
	}
}

// hold adds the targets of an owner and, in turn, those that they own.
func (w *world) hold(t *tree, owner inventory.ID) {
	for _, target := range w.owned[owner] {
		t.holds = append(t.holds, target)
		for _, left := range target.Left {
			t.seen[left.ID()] = true
		}
		for _, member := range target.Members {
			t.add(member)
		}
		switch {
		case target.Container != nil:
			w.addContainer(t, target)
		case target.Root.ID() != owner:
			w.hold(t, target.Root.ID())
		}
	}
}

// addContainer adds the processes in a container. If they cannot be seen, it is not
// known what they do.
func (w *world) addContainer(t *tree, target *graph.Target) {
	inside := w.inside[target.ID]
	for _, p := range inside {
		t.add(p)
	}
	if len(inside) == 0 && target.Container.Running() {
		t.Busy = append(t.Busy, usage.Use{Sign: usage.SignUnknown, PID: target.Container.PID})
	}
}

// addTools adds the processes below one that are not in the tree yet.
func (w *world) addTools(t *tree, above *inventory.Process) {
	for _, p := range w.children[above.PID] {
		if t.seen[p.ID()] || !p.Alive() {
			continue
		}
		t.add(p)
		if !w.isWaitingShell(p) {
			t.Busy = append(t.Busy, usage.Use{Sign: usage.SignTool, PID: p.PID})
		}
		w.addTools(t, p)
	}
}

// isWaitingShell reports a shell that runs nothing and waits for its next command.
func (w *world) isWaitingShell(p *inventory.Process) bool {
	args := p.Args()
	if len(args) == 0 || !cmdline.IsShell(cmdline.ProgramName(args[0])) || cmdline.RunsLine(args) || len(w.children[p.PID]) > 0 {
		return false
	}
	runsFile := func(arg string) bool { return !strings.HasPrefix(arg, "-") }
	return !slices.ContainsFunc(args[1:], runsFile)
}
