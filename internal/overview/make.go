package overview

import (
	"cmp"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/redact"
)

// Input is everything that a tree is made from.
type Input struct {
	Graph *graph.Graph // nil before the first look
	// First is the previous look; nil if there was only one.
	First    *graph.Graph
	Verdicts []policy.Verdict
	Mode     policy.Mode
	Pause    Pause
	IdleFor  time.Duration // for how long a session must do nothing to count as idle; zero if unknown
	// Next is the time of the next scheduled look; zero if unknown.
	Next time.Time
	// Acting has the ids of targets whose act has begun and not ended.
	Acting map[string]bool
	// Gone has the ids of targets that have ended since the look. The tree leaves them
	// out.
	Gone map[string]bool
	// Outcomes has, by target id, the results of acts that did not end their target.
	Outcomes map[string]Tried
	// Held tells since when guards overrule the rules of targets; one that it does not have is
	// of this look.
	Held map[Hold]time.Time
	// Ended has what was reaped, the newest first; Day counts the events of the last day.
	Ended []Ended
	Day   []Step
}

// Tried is the result of an act that did not end its target.
type Tried struct {
	At     time.Time
	Result string
}

// Hold is a guard and the target that it keeps.
type Hold struct {
	Target string
	Guard  graph.Guard
}

// Make makes the tree.
func Make(in Input) Tree {
	tree := Tree{
		Version: Version, Mode: in.Mode, Pause: in.Pause, Next: in.Next, IdleFor: in.IdleFor.Seconds(),
		Sources: []inventory.Source{}, Refusals: []Refusal{},
		Ended: append([]Ended{}, in.Ended...), Day: append([]Step{}, in.Day...),
	}
	m := newMaker(in)
	if snapshot := m.snapshot; snapshot != nil {
		tree.At, tree.Hostname, tree.BootID, tree.Complete = snapshot.TakenAt, snapshot.Host.Hostname, snapshot.Host.BootID, snapshot.Complete()
		tree.Sources = append(tree.Sources, redact.Sources(snapshot.Sources)...)
	}
	for name, nodes := range m.branches() {
		tree.Branches = append(tree.Branches, Branch{Name: name, Nodes: append([]Node{}, nodes...), Totals: totalsOf(nodes)})
	}
	for i := range tree.Branches {
		tree.Totals.add(tree.Branches[i].Totals)
	}
	tree.nameKeepers()
	tree.Refusals = append(tree.Refusals, m.refusals()...)
	tree.Unseen.Containers = m.unseenRuns()
	return tree
}

// nameKeepers fills in the titles of the pinned things for whose sake others are kept.
func (t *Tree) nameKeepers() {
	keepers := map[string]Keeper{}
	t.Walk(func(n *Node, _ int) bool {
		keepers[n.Target] = Keeper{n.Target, n.Title()}
		return true
	})
	t.Walk(func(n *Node, _ int) bool {
		if keeper, known := keepers[n.KeptWith.Target]; known && n.KeptWith.Target != "" {
			n.KeptWith = keeper
		}
		return true
	})
}

// maker holds one look, indexed, while its tree is made.
type maker struct {
	in       Input
	snapshot *inventory.Snapshot
	before   map[inventory.ID]*inventory.Process // from the previous look
	things   []*thing                            // in the order of the verdicts
	byTarget map[string]*thing
	byRoot   map[inventory.ID]*thing // without sessions that have a node of their own
	sessions map[inventory.ID]graph.Session
	quiet    map[string]*policy.Verdict // on sessions that reports leave out, by id
}

// unseenRuns counts the targets that are docker runs while no engine is to be seen.
func (m *maker) unseenRuns() int {
	if m.snapshot == nil {
		return 0
	}
	if engine, listed := m.snapshot.Source(inventory.SourceDocker); !listed || engine.Status != inventory.StatusAbsent {
		return 0
	}
	runs := func(p *inventory.Process) bool {
		line, is := cmdline.ReadContainer(p.Args())
		return is && line.Command == "run" && line.PassesStdin()
	}
	n := 0
	for _, t := range m.things {
		if t.Target.Kind != graph.KindSession && slices.ContainsFunc(t.Target.Members, runs) {
			n++
		}
	}
	return n
}

// thing is one target, with its place in the tree.
type thing struct {
	*policy.Verdict
	above  *thing // the gateway that owns it, or the runner whose container it is
	below  []*thing
	placed bool
}

func newMaker(in Input) *maker {
	m := &maker{
		in: in, before: map[inventory.ID]*inventory.Process{}, byTarget: map[string]*thing{},
		byRoot: map[inventory.ID]*thing{}, sessions: map[inventory.ID]graph.Session{}, quiet: map[string]*policy.Verdict{},
	}
	if in.Graph == nil {
		return m
	}
	m.snapshot = in.Graph.Snapshot
	if in.First != nil && in.First.Snapshot != nil {
		for i := range in.First.Snapshot.Processes {
			p := &in.First.Snapshot.Processes[i]
			m.before[p.ID()] = p
		}
	}
	for _, session := range in.Graph.Sessions {
		if session.Process != nil && session.Liveness != graph.LivenessGone {
			m.sessions[session.Process.ID()] = session
		}
	}
	m.gather()
	m.tie()
	return m
}

// gather takes the verdicts that reports show, except for targets that have ended, and
// remembers those on the sessions that reports leave out.
func (m *maker) gather() {
	for i := range m.in.Verdicts {
		v := &m.in.Verdicts[i]
		if v.Target != nil && v.Target.Kind == graph.KindSession && !v.Reported() {
			m.quiet[v.Target.ID] = v
		}
		if v.Target == nil || !v.Reported() || m.in.Gone[v.Target.ID] || m.byTarget[v.Target.ID] != nil {
			continue
		}
		t := &thing{Verdict: v}
		m.things = append(m.things, t)
		m.byTarget[v.Target.ID] = t
		if v.Target.Root != nil && !m.isSession(t) {
			m.byRoot[v.Target.Root.ID()] = t
		}
	}
}

// tie sets above and below of each thing.
func (m *maker) tie() {
	gateways := map[string]*thing{}
	for _, t := range m.things {
		if t.Target.Kind == graph.KindSession { // the tree lists sessions by itself
			continue
		}
		for _, id := range t.Target.Below {
			gateways[id] = t
		}
	}
	for _, t := range m.things {
		above := cmp.Or(m.byTarget[t.Target.Runner], gateways[t.Target.ID])
		if above == nil && t.Target.Owner.Liveness == graph.LivenessLive {
			above = m.byRoot[t.Target.Owner.ID]
		}
		if above != nil && above != t && !m.isSession(t) {
			t.above, above.below = above, append(above.below, t)
		}
	}
}

// isSession reports whether a thing is a live session, which has a node of its own.
func (m *maker) isSession(t *thing) bool {
	return t.Target.Kind == graph.KindSession && t.Target.Root != nil && m.sessions[t.Target.Root.ID()].Process != nil
}

// nodes makes the nodes of some things, with those below them, each once: containers
// first, then by name, then the oldest first.
func (m *maker) nodes(things []*thing) []Node {
	slices.SortStableFunc(things, m.compare)
	var nodes []Node
	for _, t := range things {
		if t.placed {
			continue
		}
		t.placed = true
		node := m.target(t)
		node.Children = append(node.Children, m.nodes(t.below)...)
		node.tellContainers()
		node.sum()
		nodes = append(nodes, node)
	}
	return nodes
}

func (m *maker) compare(a, b *thing) int {
	return cmp.Or(
		cmp.Compare(rank(a.Target.Kind), rank(b.Target.Kind)),
		cmp.Compare(a.Target.Name, b.Target.Name),
		graph.ByStart(a.Target, b.Target),
	)
}

func rank(kind graph.Kind) int {
	return slices.Index([]graph.Kind{graph.KindContainer, graph.KindGateway, graph.KindServer, graph.KindSession}, kind)
}

// refusals lists what rules would end and guards keep, then the acts that did not end
// their target.
func (m *maker) refusals() []Refusal {
	var guarded, tried []Refusal
	for _, t := range m.things {
		refusal := Refusal{Key: keyOf(t.Target), Name: redact.Name(t.Target.Name), Rule: t.Rule}
		if act := m.in.Outcomes[t.Target.ID]; act.Result != "" {
			refusal.At, refusal.Text = act.At, redact.Text(act.Result)
			tried = append(tried, refusal)
		} else if len(t.Vetoes) > 0 && t.Rule != "" {
			refusal.Guard, refusal.Text = t.Vetoes[0].Guard, redact.Text(t.Vetoes[0].Text)
			refusal.At = m.heldSince(Hold{t.Target.ID, refusal.Guard})
			guarded = append(guarded, refusal)
		}
	}
	return append(guarded, tried...)
}

// heldSince returns the first look in which a guard kept a target.
func (m *maker) heldSince(hold Hold) time.Time {
	if since, known := m.in.Held[hold]; known || m.snapshot == nil {
		return since
	}
	return m.snapshot.TakenAt
}
