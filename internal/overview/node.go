package overview

import (
	"slices"
	"strconv"
	"time"

	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/redact"
	"github.com/reaperd/reaperd/internal/usage"
	"github.com/reaperd/reaperd/internal/word"
)

// mostArguments is the limit for the command line of a node, in bytes.
const mostArguments = 1 << 10

func argv(p *inventory.Process) []string { return redact.ArgsWithin(p.Args(), mostArguments) }

// KeyOf returns the key of a target's node. A server that becomes a gateway keeps its
// key.
func KeyOf(kind graph.Kind, id string) string {
	switch kind {
	case graph.KindContainer, graph.KindSession:
		return string(kind) + ":" + id
	case graph.KindServer, graph.KindGateway:
	}
	return "server:" + id
}

func keyOf(t *graph.Target) string { return KeyOf(t.Kind, t.ID) }

// target makes the node of a thing. Its only children are the thing's own processes.
func (m *maker) target(t *thing) Node {
	node := Node{Kind: Kind(t.Target.Kind)}
	m.judge(&node, t)
	if root := t.Target.Root; root != nil && t.Target.Kind != graph.KindContainer {
		m.describe(&node, root, t.Target.Members)
	}
	if c := t.Target.Container; c != nil {
		describeContainer(&node, c)
	}
	node.StartedAt, node.NeverStarted, node.User = m.startOf(t.Target), t.Target.NeverStarted(), t.Target.User
	node.Down = t.Target.IsDown()
	node.Leaves = redact.Text(t.Target.LeftOpen())
	node.Zombies, node.CPUPercent = t.Target.Zombies, t.Target.CPUPercent
	node.MemoryBytes, node.MemoryKind = t.Target.MemoryBytes, t.Target.MemoryKind
	return node
}

// judge fills in the finding and the decision.
func (m *maker) judge(node *Node, t *thing) {
	target := t.Target
	node.Key, node.Name, node.Target = keyOf(target), redact.Name(target.Name), target.ID
	node.Owner = ownerOf(target.Owner)
	if idle, known := target.Idle.Get(); known && idle > 0 && m.snapshot != nil {
		node.IdleSince = m.snapshot.TakenAt.Add(-idle)
		node.IdleAtLeast = target.IdleAtLeast && m.startOf(target).Before(node.IdleSince.Add(-usage.LeastIdle))
	}
	node.State, node.Reason, node.Outcome = m.stateOf(t), redact.Text(reasonOf(t)), redact.Text(m.in.Outcomes[target.ID].Result)
	node.Rests, node.Protected = t.rests(), t.isProtected()
	if target.Finding != graph.FindingNone && !t.Rests() {
		node.Finding, node.FindingSince = target.Finding, target.Since
	}
	node.Evidence = append(node.Evidence, graph.Masked(target.Evidence, redact.Text)...)
	vetoes := t.Vetoes // those that overruled a rule
	if len(vetoes) == 0 {
		vetoes = target.Vetoes
	}
	if t.Bound != nil && !slices.ContainsFunc(vetoes, func(v graph.Veto) bool { return v.Guard == t.Bound.Guard && v.Text == t.Bound.Text }) {
		vetoes = append(slices.Clone(vetoes), *t.Bound)
	}
	node.Guards = append(node.Guards, graph.MaskedVetoes(vetoes, redact.Text)...)
	node.keptBy(append(slices.Clone(target.Vetoes), t.Vetoes...))
	node.Next = m.next(t)
}

// keptBy fills in which pin keeps a node: its own, if it has one.
func (n *Node) keptBy(vetoes []graph.Veto) {
	for _, veto := range vetoes {
		if veto.Guard != graph.GuardPinned {
			continue
		}
		n.KeptWith, n.Marked, n.PinnedBy = Keeper{Target: veto.For}, veto.Marked, redact.Text(veto.By)
		if veto.For == "" {
			return
		}
	}
}

// rests reports an older copy that counts as in use, as far as a reader is to be told.
func (t *thing) rests() bool { return t.Rests() && t.Target.Idle.Or(0) >= policy.LeastRest }

// reasonOf tells why a thing has its decision. An older copy that counts as in use is told
// with what its rule asks for. Of a pending thing it leaves out for how long its finding has
// held: a countdown, which goes on after the look, stands beside it.
func reasonOf(t *thing) string {
	switch {
	case t.rests() && t.Threshold.Rule == "":
		return "an older copy: no rule acts on it; worth a look once it has " + t.Threshold.Wants + ", and it has " + t.Threshold.Has
	case t.rests():
		return "an older copy: rule " + strconv.Quote(t.Threshold.Rule) + " asks for " + t.Threshold.Wants + ", and it has " + t.Threshold.Has
	case t.Ahead != nil:
		return "rule " + strconv.Quote(t.Ahead.Rule) + " asks for an idle time of " + human.Exact(t.Ahead.IdleFor) + ", and at the last look it had " + human.Span(t.Target.Idle.Or(t.Target.Rested))
	case t.Spared != nil:
		return "rule " + strconv.Quote(t.Spared.Rule) + " asks for an idle time of " + human.Exact(t.Spared.IdleFor) + ", but " + t.Bound.Sentence().String()
	case t.Decision == policy.Pending && t.Needs > 0 && t.Beyond == 0 && t.WaitsFor == "" && t.With == "":
		wish := " wants it to hold for "
		if t.ByAge() {
			wish = " wants it to have run for "
		}
		return "rule " + strconv.Quote(t.Rule) + wish + human.Span(t.Needs)
	}
	return t.Reason
}

// stateOf returns the state that a thing's node gets.
func (m *maker) stateOf(t *thing) State {
	switch {
	case m.in.Acting[t.Target.ID], t.UnderWay && !t.Imminent: // what is left of a tree may have another id than that
		return StateReaping
	case t.Decision == policy.Reap:
		return StateDue
	case t.Decision == policy.Pending:
		return StatePending
	case isPinned(t.Target), t.endsWithPinned():
		return StatePinned
	case t.isProtected(), t.Rests(), t.EndsWith != "":
		return StateKept
	case t.Target.Finding == graph.FindingIdle:
		return StateIdle
	case t.Target.Finding != graph.FindingNone:
		return StateReported
	case t.Target.Idle.Or(0) >= policy.DefaultIdleFor:
		return StateIdle
	}
	return StateKept
}

func isPinned(t *graph.Target) bool {
	for _, veto := range t.Vetoes {
		if veto.Guard == graph.GuardPinned {
			return true
		}
	}
	return false
}

// isProtected reports that the policy's protect keeps a thing, or something that would end with it.
func (t *thing) isProtected() bool {
	isProtect := func(v graph.Veto) bool { return v.Guard == graph.GuardProtected }
	return t.Protected != nil || slices.ContainsFunc(t.Vetoes, isProtect) || t.Bound != nil && isProtect(*t.Bound)
}

// endsWithPinned reports a thing that its rule would end, and with it something pinned.
func (t *thing) endsWithPinned() bool {
	return slices.ContainsFunc(t.Vetoes, func(v graph.Veto) bool { return v.Guard == graph.GuardPinned && v.For != "" })
}

func (m *maker) next(t *thing) Next {
	next := Next{Rule: t.Rule, Beyond: t.Beyond, NeedsLook: t.NeedsLook, With: m.keyOfID(t.With), EndsWith: m.keyOfID(t.EndsWith)}
	if head := m.byTarget[t.With]; head != nil {
		next.WithKind = head.Target.Kind
	}
	if t.Rule != "" {
		next.Origin, next.Action = t.RuleOrigin.String(), t.Action
	}
	if t.Decision == policy.Keep {
		next.DueUnpinned = m.dueUnpinned(t)
		if t.rests() && t.Threshold.Rule != "" {
			next.Awaits = Awaits{Rule: t.Threshold.Rule, Origin: t.Threshold.Origin.String(), Action: t.Threshold.Action, Wants: t.Threshold.Wants}
		}
		if t.Ahead != nil {
			next.AheadAt, next.AheadRule = t.Ahead.DueAt, t.Ahead.Rule
		}
		return next
	}
	next.GraceSeconds = t.Grace.Seconds()
	if t.Decision == policy.Pending {
		next.DueAt = m.afterPause(t.DueAt)
	}
	return next
}

// afterPause is when what is due at a moment goes: not before the end of a pause.
func (m *maker) afterPause(due time.Time) time.Time {
	if until := m.in.Pause.Until; m.in.Pause.On && !due.IsZero() && until.After(due) {
		return until
	}
	return due
}

// dueUnpinned returns when a thing will be due at the latest if its pin ends; zero unless
// its pin alone overruled its rule.
func (m *maker) dueUnpinned(t *thing) time.Time {
	if len(t.Vetoes) != 1 || t.Vetoes[0].Guard != graph.GuardPinned || m.snapshot == nil {
		return time.Time{}
	}
	return m.snapshot.TakenAt.Add(max(t.For, policy.GracefulClose) - t.Held)
}

// keyOfID returns the key of a target's node; empty if the id has no node.
func (m *maker) keyOfID(id string) string {
	if t := m.byTarget[id]; t != nil {
		return keyOf(t.Target)
	}
	return ""
}

// describe fills in what is known of a process. If its tree has several processes, they
// become children of the node.
func (m *maker) describe(node *Node, root *inventory.Process, members []*inventory.Process) {
	node.PID, node.Handle = root.PID, strconv.Itoa(root.PID)
	node.Argv, node.Cwd, node.TTY, node.User = argv(root), redact.Text(root.Cwd), root.TTY, root.User
	node.ContainerID = root.ContainerID
	node.Processes = len(members)
	if len(members) < 2 {
		return
	}
	for _, p := range members {
		node.Children = append(node.Children, m.processNode(p))
	}
}

func (m *maker) processNode(p *inventory.Process) Node {
	used := usage.Sum([]*inventory.Process{p})
	return Node{
		Key: "process:" + p.ID().String(), Kind: KindProcess, Name: programOf(p), PID: p.PID, Argv: argv(p),
		Cwd: redact.Text(p.Cwd), TTY: p.TTY, User: p.User, StartedAt: p.StartedAt, Processes: 1,
		MemoryBytes: used.MemoryBytes, MemoryKind: used.MemoryKind, CPUPercent: m.cpu([]*inventory.Process{p}),
	}
}

// programOf returns the name of the program that a process runs.
func programOf(p *inventory.Process) string {
	if args := p.Args(); len(args) > 0 {
		return redact.Name(cmdline.ProgramName(args[0]))
	}
	return redact.Name(p.Comm)
}

// cpu returns how much of one core some processes used between the previous look and this
// one, in percent. One that has started since then used all of it since.
func (m *maker) cpu(processes []*inventory.Process) inventory.Fact[float64] {
	var unknown inventory.Fact[float64]
	if m.in.First == nil || m.in.First.Snapshot == nil {
		return unknown
	}
	from, used := m.in.First.Snapshot.Moment(), 0.0
	for _, p := range processes {
		now, known := p.CPUSeconds.Get()
		if before := m.before[p.ID()]; before != nil {
			known = known && before.CPUSeconds.IsKnown()
			now -= before.CPUSeconds.Or(0)
		} else {
			known = known && p.StartedAt.After(from.At)
		}
		if !known {
			return unknown
		}
		used += now
	}
	return usage.FirstShare(used, m.snapshot.Moment().Since(from))
}

// sessionCPU is [maker.cpu] of a session or, where the previous look was too short ago to measure it, the
// share that looks before have measured.
func (m *maker) sessionCPU(id string, members []*inventory.Process) inventory.Fact[float64] {
	cpu := m.cpu(members)
	if cpu.IsKnown() {
		return cpu
	}
	if t := m.byTarget[id]; t != nil {
		return t.Target.CPUPercent
	}
	if v := m.quiet[id]; v != nil {
		return v.Target.CPUPercent
	}
	return cpu
}

func describeContainer(node *Node, c *inventory.Container) {
	node.ContainerID, node.Image = c.ID, redact.Text(c.Image)
	node.Argv = redact.ArgsWithin(c.Command, mostArguments)
	node.Handle = word.Thing{ID: c.ID, Container: c.Called()}.Handle()
}

// session makes the node of a live session, without its servers.
func (m *maker) session(s graph.Session) Node {
	node := Node{Kind: KindSession}
	id := s.Process.ID().String()
	if t := m.byTarget[id]; t != nil && m.isSession(t) {
		t.placed = true
		m.judge(&node, t)
	} else if v := m.quiet[id]; v != nil {
		node.quiet(v)
	}
	m.describe(&node, s.Process, s.Members)
	node.Key, node.Name, node.Target = "session:"+id, redact.Name(s.Name), id
	idle := s.Activity.Idle().Or(0)
	if idle > 0 {
		node.IdleSince, node.IdleAtLeast = s.Activity.IdleSince.At, s.Activity.AtLeast
	}
	if idle < usage.LeastIdle {
		node.Use, node.Unmeasured = s.Activity.Last.String(), s.Activity.Last.Sign == usage.SignUnknown
	}
	node.StartedAt = s.Process.StartedAt
	members := s.Members
	if len(members) == 0 {
		members, node.Processes = []*inventory.Process{s.Process}, 1
	}
	used := usage.Sum(members)
	node.MemoryBytes, node.MemoryKind, node.CPUPercent = used.MemoryBytes, used.MemoryKind, m.sessionCPU(id, members)
	return node
}

// quiet fills in what a verdict says of a session that reports leave out: that it is pinned, or which
// rule it comes to.
func (n *Node) quiet(v *policy.Verdict) {
	if isPinned(v.Target) {
		n.State, n.Guards = StatePinned, graph.MaskedVetoes(v.Target.Vetoes, redact.Text)
		n.keptBy(v.Target.Vetoes)
	}
	if v.Ahead != nil {
		n.Next.AheadAt, n.Next.AheadRule = v.Ahead.DueAt, v.Ahead.Rule
	}
	if v.Ahead != nil || v.Spared != nil {
		n.Reason = redact.Text(reasonOf(&thing{Verdict: v}))
	}
}

func ownerOf(o graph.Owner) Owner {
	return Owner{Name: redact.Name(o.Name), Kind: o.Kind, PID: o.ID.PID, Liveness: o.Liveness, Since: o.Since}
}

// startOf returns when a target started; zero if unknown.
func (m *maker) startOf(t *graph.Target) time.Time {
	if m.snapshot == nil {
		return t.Started(time.Time{})
	}
	return t.Started(m.snapshot.TakenAt)
}
