package sweep

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/reap"
)

// Fresh reads one thing again, right before it is acted on.
type Fresh interface {
	// Process reads a process and its stdio. alive is false if exactly that process
	// has ended.
	Process(id inventory.ID) (p inventory.Process, alive bool, err error)
	// Container reads a container. found is false if no engine has it.
	Container(ctx context.Context, id string) (c inventory.Container, found bool, err error)
}

// witness checks, right before an act, that the reasons against a target still hold
// and that nobody has begun to use it.
type witness struct {
	targets map[string]*graph.Target
	with    map[string][]string // by the id of a session or a gateway: the targets that go with it
	fresh   Fresh
	keptNow func(*graph.Target) (why string, kept bool) // nil keeps nothing
	met     met
	// watch is for how long a session that does nothing is watched right before it is ended: a look
	// takes what it did in its last second for a trickle.
	watch time.Duration
}

// watchIdle is the watch of every witness but a test's.
const watchIdle = 2 * time.Second

// newWitness is the witness for a plan. It keeps copies of the plan's targets only:
// acts may take minutes, and the whole look would stay in memory for that time.
func newWitness(g *graph.Graph, plan policy.Plan, fresh Fresh) *witness {
	w := &witness{targets: make(map[string]*graph.Target, len(plan.Acts)), with: map[string][]string{}, fresh: fresh, watch: watchIdle}
	planned := make(map[string]bool, len(plan.Acts))
	for _, act := range plan.Acts {
		planned[act.TargetID] = true
		if act.With != "" {
			w.with[act.With] = append(w.with[act.With], act.TargetID)
		}
	}
	for _, target := range g.Targets {
		if planned[target.ID] {
			w.targets[target.ID] = detached(target)
		}
	}
	return w
}

// detached is a copy of a target that refers to nothing of its look but its own
// processes or container.
func detached(target *graph.Target) *graph.Target {
	copied := *target
	copied.Left, copied.Members = nil, make([]*inventory.Process, len(target.Members))
	for i, member := range target.Members {
		copied.Members[i] = new(*member)
		if member == target.Root {
			copied.Root = copied.Members[i]
		}
	}
	if copied.Root != nil && copied.Root == target.Root {
		copied.Root = new(*target.Root)
	}
	if target.Container != nil {
		copied.Container = new(*target.Container)
	}
	return &copied
}

// StillHolds compares the target as it is with the target as it was judged. If it
// cannot be read again, it does not hold.
func (w *witness) StillHolds(ctx context.Context, act reap.Act) (bool, string) {
	target := w.targets[act.TargetID]
	if target == nil {
		return false, "it was not seen in the last look"
	}
	if why, kept := w.kept(target); kept {
		return false, why
	}
	if holds, why := w.holds(ctx, target); !holds {
		return false, why
	}
	why, kept := w.kept(target) // to look again may have taken seconds
	return !kept, why
}

// kept says why a target is not to be acted on after all: also where that is so of something that goes with it.
func (w *witness) kept(target *graph.Target) (why string, kept bool) {
	if w.keptNow == nil {
		return "", false
	}
	if why, kept = w.keptNow(target); kept {
		return why, true
	}
	for _, id := range w.with[target.ID] {
		if along := w.targets[id]; along != nil {
			if why, kept = w.keptNow(along); kept {
				return fmt.Sprintf("%s, which goes with it, is kept: %s", strings.TrimSpace(along.Name+" "+along.Handle()), why), true
			}
		}
	}
	return "", false
}

// holds compares the target as it is with the target as it was judged.
func (w *witness) holds(ctx context.Context, target *graph.Target) (bool, string) {
	if target.Container != nil {
		return w.containerHolds(ctx, target)
	}
	root, alive, err := w.fresh.Process(target.Root.ID())
	if err != nil {
		return false, fmt.Sprintf("process %d could not be read again: %v", target.Root.PID, err)
	}
	if !alive { // the rest of its tree is verified member by member
		return true, ""
	}
	return w.treeHolds(ctx, target, root)
}

func (w *witness) treeHolds(ctx context.Context, target *graph.Target, root inventory.Process) (bool, string) {
	if root.Connections.Or(0) > 0 && target.Finding != graph.FindingZombies {
		return false, "somebody has connected to it since"
	}
	switch target.Finding {
	case graph.FindingOrphaned, graph.FindingDisconnected:
		return w.leakHolds(target, root)
	case graph.FindingIdle:
		return w.idleHolds(ctx, target, root)
	case graph.FindingDuplicate:
		before, known := target.Root.IOChars.Get()
		now, alsoKnown := root.IOChars.Get()
		if known && alsoKnown && before != now {
			return false, "it has been used since"
		}
	}
	return true, ""
}

// idleHolds reports that a session, and what goes with it, has done nothing since the last look, and
// goes on so during the watch.
func (w *witness) idleHolds(ctx context.Context, target *graph.Target, root inventory.Process) (bool, string) {
	if sign := graph.Since(target.Root, &root); sign != "" {
		return false, usedSince(graph.Use{Sign: sign, PID: root.PID})
	}
	first, err := w.readAll(target)
	if err != nil {
		return false, err.Error()
	}
	select {
	case <-time.After(w.watch):
	case <-ctx.Done():
		return false, "there was no time left to watch it"
	}
	last, err := w.readAll(target)
	if err != nil {
		return false, err.Error()
	}
	for _, id := range slices.SortedFunc(maps.Keys(first), inventory.ByStart) {
		was, is := first[id], last[id]
		if is.PID == 0 { // it has ended: the reaper verifies each
			continue
		}
		if sign := graph.Within(&was, &is, w.watch); sign != "" {
			return false, usedSince(graph.Use{Sign: sign, PID: is.PID})
		}
	}
	return true, ""
}

func usedSince(use graph.Use) string { return "it has been used since: " + use.String() }

// readAll reads the processes of a session that still live, and those of what goes with it.
func (w *witness) readAll(session *graph.Target) (map[inventory.ID]inventory.Process, error) {
	read := map[inventory.ID]inventory.Process{}
	for _, id := range append([]string{session.ID}, w.with[session.ID]...) {
		target := w.targets[id]
		if target == nil {
			continue
		}
		for _, member := range target.Members {
			p, alive, err := w.fresh.Process(member.ID())
			if err != nil {
				return nil, fmt.Errorf("process %d could not be read again: %w", member.PID, err)
			}
			if alive {
				read[member.ID()] = p
			}
		}
	}
	return read, nil
}

// leakHolds reports that a tree has the same parent, and that nobody has taken an end
// of its stdio since.
func (w *witness) leakHolds(target *graph.Target, root inventory.Process) (bool, string) {
	if was, is := target.Root.PPID.Or(0), root.PPID.Or(0); was != is {
		return false, fmt.Sprintf("its parent was %d and is %d now", was, is)
	}
	for _, stream := range []struct {
		name    string
		was, is inventory.Fact[inventory.Stdio]
	}{{"stdin", target.Root.Stdin, root.Stdin}, {"stdout", target.Root.Stdout, root.Stdout}} {
		if holder := w.newHolder(target, stream.was, stream.is); holder != 0 {
			return false, fmt.Sprintf("process %d holds the other end of its %s now", holder, stream.name)
		}
	}
	return true, ""
}

// newHolder is a process that holds an end now, did not when the target was judged,
// and is no part of the target; 0 if there is none.
func (w *witness) newHolder(target *graph.Target, was, is inventory.Fact[inventory.Stdio]) int {
	now, known := is.Get()
	if !known || now.Peer != inventory.PeerOpen {
		return 0
	}
	before := was.Or(inventory.Stdio{}).Holders
	for _, pid := range now.Holders {
		if !slices.Contains(before, pid) && !slices.Contains(target.PIDs(), pid) {
			return pid
		}
	}
	return 0
}

// keepVariable is the variable with which a process asks to be kept.
const keepVariable = "REAPERD_KEEP"

// kin says whether a process that was born while a tree was being reaped comes from
// that tree. It does, probably, if it has the stdin or stdout of a member, which only
// a descendant can have got. It does certainly if also nobody can use it: a boundary
// has adopted it, the other ends of the tree's stdio are gone, its own other stream
// leads nowhere, it does not listen and nothing asks to keep it.
func (w *witness) kin(_ context.Context, act reap.Act, stray inventory.ID) reap.Kinship {
	target := w.targets[act.TargetID]
	if target == nil || target.Root == nil {
		return reap.Stranger
	}
	if p := w.met.recall(stray); p != nil && glance(p, target) != reap.Likely {
		return glance(p, target)
	}
	p, alive, err := w.fresh.Process(stray)
	if err != nil || !alive {
		return reap.Stranger
	}
	w.met.add(&p)
	kinship := glance(&p, target)
	if kinship == reap.Likely && adopted(&p, target) && severed(p.Stdin) && severed(p.Stdout) && !p.Listening.Or(true) && p.Env[keepVariable] == "" {
		return reap.Proven
	}
	return kinship
}

// glance is what stdin, stdout, parent and user say alone of a kinship.
func glance(p *inventory.Process, target *graph.Target) reap.Kinship {
	switch {
	case (p.Stdin.IsUnreadable() || p.Stdout.IsUnreadable()) && adopted(p, target):
		return reap.Unread
	case !sharesStdio(p, target):
		return reap.Stranger
	}
	return reap.Likely
}

// met are the processes that trees of a plan have asked about, as they were then. Many
// trees that end side by side ask about the same ones: if each read them, 3,000 strays
// of 50 trees would take longer than the trees themselves. A process that had no pipe
// or socket of a tree for stdin or stdout does not get one later, since nobody hands it
// on any more.
type met struct {
	mu        sync.Mutex
	processes map[inventory.ID]acquaintance
}

type acquaintance struct {
	process *inventory.Process // nothing but what glance wants
	until   time.Time          // it is to be read again from then on; zero is never
}

// readAgainAfter is when a process that could not be read is read again.
const readAgainAfter = 200 * time.Millisecond

func (m *met) add(p *inventory.Process) {
	as := acquaintance{process: &inventory.Process{PPID: p.PPID, UID: p.UID, Stdin: p.Stdin, Stdout: p.Stdout}}
	if !p.Stdin.IsKnown() || !p.Stdout.IsKnown() {
		as.until = time.Now().Add(readAgainAfter)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.processes == nil {
		m.processes = map[inventory.ID]acquaintance{}
	}
	m.processes[p.ID()] = as
}

// recall is a process as it was met, nil if it is to be read.
func (m *met) recall(id inventory.ID) *inventory.Process {
	m.mu.Lock()
	defer m.mu.Unlock()
	as, found := m.processes[id]
	if !found || !as.until.IsZero() && !time.Now().Before(as.until) {
		return nil
	}
	return as.process
}

// sharesStdio reports that a process has the stdin or stdout of a member.
func sharesStdio(p *inventory.Process, target *graph.Target) bool {
	for _, member := range target.Members {
		for _, stream := range []inventory.Fact[inventory.Stdio]{member.Stdin, member.Stdout} {
			if has(p, stream.Or(inventory.Stdio{})) {
				return true
			}
		}
	}
	return false
}

// adopted reports a process of the root's user whose parent is the first process, or
// the parent of a root that had lost its own.
func adopted(p *inventory.Process, target *graph.Target) bool {
	parent, known := p.PPID.Get()
	uid, knownUser := p.UID.Get()
	rootsUser, alsoKnown := target.Root.UID.Get()
	boundary := parent == 1 || target.Finding == graph.FindingOrphaned && parent == target.Root.PPID.Or(0)
	return known && boundary && knownUser && alsoKnown && uid == rootsUser
}

// severed reports a stream that leads to nobody: a pipe or socket whose other end was
// looked for and is gone, or no stream at all.
func severed(stream inventory.Fact[inventory.Stdio]) bool {
	stdio, known := stream.Get()
	if !known {
		return false
	}
	return stdio.Connected() && stdio.Peer == inventory.PeerClosed || stdio.Kind == inventory.KindNull || stdio.Kind == inventory.KindClosed
}

// has reports that a process has exactly this pipe or socket as stdin or stdout.
func has(p *inventory.Process, stdio inventory.Stdio) bool {
	if !stdio.Connected() || stdio.ID == "" {
		return false
	}
	return p.Stdin.Or(inventory.Stdio{}).ID == stdio.ID || p.Stdout.Or(inventory.Stdio{}).ID == stdio.ID
}

func (w *witness) containerHolds(ctx context.Context, target *graph.Target) (bool, string) {
	was := target.Container
	is, found, err := w.fresh.Container(ctx, was.ID)
	switch {
	case err != nil:
		return false, fmt.Sprintf("it could not be read again: %v", err)
	case !found:
		return true, ""
	case !is.StartedAt.IsZero() && !is.StartedAt.Equal(was.StartedAt) && !was.StartedAt.IsZero():
		return false, "it has been started again since"
	case was.Running() != is.Running() && is.Running():
		return false, "it has been started since"
	case was.Stdin == inventory.PeerClosed && is.Stdin == inventory.PeerOpen:
		return false, "somebody holds its stdin now"
	}
	return true, ""
}
