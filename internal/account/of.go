package account

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strconv"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/redact"
	"github.com/reaperd/reaperd/internal/usage"
	"github.com/reaperd/reaperd/internal/word"
)

// Look is everything that an account is made of.
type Look struct {
	Graph    *graph.Graph
	Verdicts []policy.Verdict
	Policy   policy.Identity
	WhatIf   bool // the policy is one that a person asks about
	Decider  Decider
	// LeftBy is the session that left a target, where an earlier daemon saw that; nil knows none.
	LeftBy func(target string) (graph.Owner, bool)
	// Resumes are the commands that resume a session, by client.
	Resumes map[string]string
	// Acts are those that are over, the newest first; Today are the sums of the day, by user.
	Acts  []Act
	Today map[int]Today
	// Pauses are those of users for their own things, by user.
	Pauses map[int]Pause
	Notes  []Note
}

// Of is the account of a look, for a reader who may see all of it.
func Of(l Look) *Account {
	snapshot := l.Graph.Snapshot
	a := &Account{
		Version: Version, TakenAt: snapshot.TakenAt, Mode: l.Policy.Mode, Decider: l.Decider,
		Policy: Policy{Source: l.Policy.Source, SHA256: l.Policy.SHA256, File: l.WhatIf}, Host: snapshot.Host,
		Sources: redact.Sources(slices.Clone(snapshot.Sources)), Acts: l.Acts, Complete: snapshot.Complete(),
		processes: map[int]int{}, today: l.Today, pauses: l.Pauses, told: l.Notes,
	}
	for i := range snapshot.Processes {
		a.processes[snapshot.Processes[i].UID.Or(nobody)]++
	}
	a.Summary.Processes = len(snapshot.Processes) + snapshot.Unlisted
	for _, today := range l.Today {
		a.Today.Stopped, a.Today.FreedBytes = a.Today.Stopped+today.Stopped, a.Today.FreedBytes+today.FreedBytes
	}
	a.Decider.Rests = cmp.Or(a.Decider.Rests, a.rests())
	m := newMaker(l, a)
	m.makeSessions()
	m.makeThings()
	for _, left := range l.Graph.AlsoLeft {
		a.AlsoLeft = append(a.AlsoLeft, m.alsoLeft(left))
	}
	a.finish()
	return a
}

// rests is why the decider acts on nothing, by what is known of it.
func (a *Account) rests() Rest {
	of := a.Decider.Daemon
	switch {
	case a.Decider.Kind == ByReplay:
		return ""
	case !a.Decider.PausedUntil.IsZero():
		return Paused
	case of != nil && of.Unrecorded != "":
		return Unrecorded
	case a.Policy.Source == "" && a.Decider.Kind == ByDaemon:
		return NoPolicy
	case a.Mode != policy.ModeEnforce:
		return OnlyReports
	}
	return ""
}

// nobody is the user of processes whose user is not known.
const nobody = -1

// onlyEngine is the endpoint of the engine, if there is one alone.
func onlyEngine(sources []inventory.Source) string {
	endpoint := ""
	for _, s := range sources {
		if s.Name != inventory.SourceDocker || s.Endpoint == "" {
			continue
		}
		if endpoint != "" {
			return ""
		}
		endpoint = s.Endpoint
	}
	return endpoint
}

// maker makes the sessions and things of an account.
type maker struct {
	Look
	account  *Account
	engine   string
	sessions map[inventory.ID]*Session // by the ids of their processes
	masked   map[string]string         // texts without their secrets: many things have the same
}

func newMaker(l Look, a *Account) *maker {
	return &maker{Look: l, account: a, engine: onlyEngine(l.Graph.Snapshot.Sources), sessions: map[inventory.ID]*Session{}, masked: map[string]string{}}
}

// mask is a text without its secrets.
func (m *maker) mask(text string) string {
	masked, known := m.masked[text]
	if !known {
		masked = redact.Text(text)
		m.masked[text] = masked
	}
	return masked
}

func (m *maker) makeSessions() {
	m.account.Sessions = make([]Session, 0, len(m.Graph.Sessions))
	for i := range m.Graph.Sessions {
		if s := &m.Graph.Sessions[i]; s.Process != nil {
			m.account.Sessions = append(m.account.Sessions, m.session(s))
		}
	}
	for i := range m.account.Sessions {
		s := &m.account.Sessions[i]
		m.sessions[inventory.ID{PID: s.PID, Start: s.Start}] = s
	}
}

func (m *maker) session(s *graph.Session) Session {
	p, a := s.Process, s.Activity
	out := Session{
		ID: p.ID().String(), Name: redact.Name(s.Name), PID: p.PID, Start: p.Start, StartedAt: p.StartedAt, Liveness: s.Liveness,
		Servers: s.Servers, Containers: s.Containers, MemoryBytes: s.MemoryBytes, Cwd: redact.Text(p.Cwd), TTY: p.TTY, User: p.User, uid: p.UID,
		Fate: InUse, TerminalUsedAt: a.TerminalUsed, LastUse: a.Last.Sign, LastUsePID: a.Last.PID, Resume: m.Resumes[s.Name],
	}
	if s.Target != nil {
		out.Pinned = pinOf(s.Target.Vetoes)
		if s.Target.Finding == graph.FindingIdle {
			out.Fate = Idle
		}
	}
	if idle, known := a.Idle().Get(); known && idle > 0 && !(a.AtLeast && idle < usage.LeastIdle) {
		out.IdleSeconds, out.IdleAtLeast, out.IdleSince = rounded(idle.Seconds()), a.AtLeast, a.IdleSince.At
	}
	return out
}

func (m *maker) makeThings() {
	m.account.Things = make([]Thing, 0, len(m.Verdicts))
	for i := range m.Verdicts {
		v := &m.Verdicts[i]
		if s := m.sessions[rootOf(v.Target)]; s != nil && v.Target.Kind == graph.KindSession {
			m.judge(s, v)
		}
		if v.Reported() {
			m.account.Things = append(m.account.Things, m.thing(v))
		}
	}
	m.followHeads()
}

// followHeads gives what ends with something that leaks the same fate, and what a session holds that leaks or
// is kept that session's.
func (m *maker) followHeads() {
	things := m.account.ByID()
	for _, t := range things {
		if head := things[t.Head]; head != nil && head.Fate == Leaked && t.Fate != Ending && t.Decision != policy.Keep.String() {
			t.Fate = Leaked
		}
	}
	b := newBuilder(m.account)
	for _, t := range things {
		if session := things[b.holder(t.ID)]; session != nil && session.Kind == graph.KindSession && session.Fate.isLeft() && t.Fate == InUse {
			t.Fate, t.Why = session.Fate, "held by "+session.Called()+", "+session.Why
		}
	}
}

// judge tells a session when it is stopped.
func (m *maker) judge(s *Session, v *policy.Verdict) {
	if due, _ := dueOf(v, m.account.TakenAt); !due.IsZero() && m.account.Decider.acts() {
		s.StopsAt, s.StopsBy = due, v.Rule
		if v.Ahead != nil {
			s.StopsBy = v.Ahead.Rule
		}
	}
	if v.Bound != nil {
		s.Bound = redact.Text(v.Bound.Sentence().String())
	}
	if v.UnderWay {
		s.Fate = Ending
	}
}

func rootOf(t *graph.Target) inventory.ID {
	if t.Root == nil {
		return inventory.ID{}
	}
	return t.Root.ID()
}

func (m *maker) thing(v *policy.Verdict) Thing {
	t := v.Target
	owner := m.ownerOf(t)
	out := Thing{
		ID: t.ID, Kind: t.Kind, Name: redact.Name(t.Name), Handle: word.Of(t).Handle(), StartedAt: t.Started(m.account.TakenAt),
		Client: t.Runner, Containers: t.Containers, Below: t.Below, User: t.User, uid: m.Graph.UserOf(t),
		Recognised: t.Recognised(), RecognisedBy: m.mask(t.How), Owner: owner, Finding: t.Finding,
		Decision: v.Decision.String(), UnderWay: v.UnderWay, Imminent: v.Imminent, Rule: v.Rule, Head: headOf(v), EndsWith: v.EndsWith,
		Evidence: graph.Masked(t.Evidence, m.mask), Guards: graph.MaskedVetoes(v.Vetoes, m.mask),
		Generation: t.Generation, Zombies: t.Zombies, Respawns: t.Respawns, MemoryBytes: t.MemoryBytes, Pinned: pinOf(t.Vetoes),
		Unpin: m.unpin(t), WaitsFor: v.WaitsFor, NeedsSeconds: v.Needs.Seconds(), Leaves: m.mask(t.LeftOpen()),
	}
	m.setProcess(&out, t)
	m.setContainer(&out, t.Container)
	out.setMeasures(t)
	if t.Finding != graph.FindingNone {
		out.FindingSince = t.Since
	}
	if v.Rule != "" {
		out.Action, out.Origin = v.Action, v.RuleOrigin.String()
	}
	if v.Protected != nil {
		out.Protect = v.Protected.Name
	}
	holder := m.sessions[inventory.ID{PID: owner.PID, Start: owner.Start}]
	out.Fate = fateOf(v, holder != nil && holder.Fate == Idle)
	out.Why = m.mask(m.why(v, &out))
	out.Unclear = out.Fate == Kept && t.Finding == graph.FindingNone && v.Protected == nil
	if due, ifIdle := dueOf(v, m.account.TakenAt); m.account.Decider.acts() || v.Decision == policy.Pending {
		out.DueAt, out.IfIdle = due, ifIdle
	}
	switch {
	case v.Ahead != nil:
		out.StopsBy = v.Ahead.Rule
	case out.IfIdle && v.Threshold != nil:
		out.StopsBy = v.Threshold.Rule
	}
	if uid, known := out.uid.Get(); known && !out.DueAt.IsZero() {
		out.PausedUntil = m.Pauses[uid].Until
	}
	return out
}

// ownerOf is the owner of a target, or the session that an earlier daemon saw leave it.
func (m *maker) ownerOf(t *graph.Target) Owner {
	o := t.Owner
	if m.LeftBy != nil && isLeak(t) && o.Name == "" && o.Liveness != graph.LivenessLive {
		if left, known := m.LeftBy(t.ID); known {
			o = left
		}
	}
	out := Owner{Name: redact.Name(o.Name), Kind: o.Kind, PID: o.ID.PID, Start: o.ID.Start, Liveness: o.Liveness, Since: o.Since}
	if o.IsUnseen() {
		out.Kind, out.Liveness = "", graph.LivenessUnknown
	}
	return out
}

// alsoLeft is what a session left beside its servers, each process by its program.
func (m *maker) alsoLeft(left graph.AlsoLeft) AlsoLeft {
	o := left.Session
	out := AlsoLeft{Session: Owner{Name: redact.Name(o.Name), Kind: o.Kind, PID: o.ID.PID, Start: o.ID.Start, Liveness: o.Liveness, Since: o.Since}}
	for _, p := range left.Processes {
		out.PIDs, out.MemoryBytes, out.uid = append(out.PIDs, p.PID), out.MemoryBytes+p.MemoryBytes.Or(0), p.UID
		out.Names = append(out.Names, redact.Name(path.Base(cmp.Or(first(p.Args()), p.Comm, "process")))+" "+strconv.Itoa(p.PID))
		out.Cwd = cmp.Or(out.Cwd, m.mask(p.Cwd))
	}
	return out
}

// setProcess sets the fields that only a process has. A container has no PID.
func (m *maker) setProcess(t *Thing, of *graph.Target) {
	if of.Root == nil || of.Kind == graph.KindContainer {
		return
	}
	t.PID, t.Start, t.PIDs, t.ContainerID = of.Root.PID, of.Root.Start, of.PIDs(), of.Root.ContainerID
	for _, o := range of.Left {
		t.LeftOpen = append(t.LeftOpen, o.PID)
	}
	for _, member := range of.Members {
		t.Ports = append(t.Ports, member.ListenPorts...)
		t.Clients += member.Connections.Or(0)
	}
	t.Argv, t.Cwd = redact.Args(of.Root.Args()), m.mask(of.Root.Cwd)
}

func (m *maker) setContainer(t *Thing, c *inventory.Container) {
	if c == nil {
		return
	}
	t.ContainerID, t.Container, t.Image, t.State = c.ID, redact.Name(c.Name), m.mask(c.Image), c.State
	t.Engine, t.Argv = m.mask(cmp.Or(c.Engine, m.engine)), redact.Args(c.Command)
}

// setMeasures sets the fields that were measured.
func (t *Thing) setMeasures(of *graph.Target) {
	if of.MemoryBytes > 0 {
		t.MemoryKind = of.MemoryKind
	}
	if listening, known := of.Listening.Get(); known {
		t.Listening = &listening
	}
	if idle, known := of.Idle.Get(); known {
		t.IdleSeconds = rounded(idle.Seconds())
	}
	if percent, known := of.CPUPercent.Get(); known {
		t.CPUPercent = rounded(percent)
	}
	if !t.StartedAt.IsZero() || of.Age > 0 {
		t.AgeSeconds = rounded(of.Age.Seconds())
	}
}

// rounded rounds to a thousandth: no measure is more exact.
func rounded(value float64) *float64 {
	value = math.Round(value*1000) / 1000
	return &value
}

// pinOf is why something is pinned; "" if it is not.
func pinOf(vetoes []graph.Veto) string {
	for _, veto := range vetoes {
		if veto.Guard == graph.GuardPinned {
			return redact.Text(veto.Text)
		}
	}
	return ""
}

// unpin is the command that ends the pin of a target; empty if none does.
func (m *maker) unpin(t *graph.Target) string {
	for _, veto := range t.Vetoes {
		if veto.Guard != graph.GuardPinned || veto.Marked {
			continue
		}
		if pinned, known := m.Graph.Target(veto.For); known {
			t = pinned
		}
		return "reaperd unpin " + human.Shell(word.Of(t).Handle())
	}
	return ""
}

// finish makes what follows from the sessions and things that a reader may see.
func (a *Account) finish() {
	a.tieContainers()
	a.Summary = a.sum()
	a.Sections = a.tree()
	a.Premise, a.Headline = a.premise(), a.headline()
	a.Notes, a.Said = a.notes(), nil
	for _, note := range a.Notes {
		a.Said = append(a.Said, note.String())
	}
}

// tieContainers marks the containers that are shown as their docker run. Where docker runs of one name and owner
// cannot be told apart, each stands for one of the containers.
func (a *Account) tieContainers() {
	runs, free := map[string]bool{}, map[string]int{}
	for i := range a.Things {
		t := &a.Things[i]
		if t.Kind == graph.KindContainer {
			continue
		}
		runs[t.ID] = true
		if len(t.Containers) == 0 && slices.Contains(t.Argv, "run") {
			free[t.ofKind()]++
		}
	}
	for i := range a.Things {
		t := &a.Things[i]
		if t.Kind != graph.KindContainer {
			continue
		}
		t.Held = runs[t.Client]
		if t.Client == "" && free[t.ofKind()] > 0 {
			free[t.ofKind()]--
			t.Held = true
		}
	}
}

// ofKind is the name and the owner of a thing.
func (t *Thing) ofKind() string { return t.Name + " " + idOf(t.Owner.PID, t.Owner.Start) }

func (a *Account) sum() Summary {
	s := Summary{Processes: a.Summary.Processes, Sessions: len(a.Sessions), Findings: map[graph.Finding]int{
		graph.FindingOrphaned: 0, graph.FindingDisconnected: 0, graph.FindingDuplicate: 0, graph.FindingZombies: 0,
		graph.FindingRespawning: 0, graph.FindingExited: 0, graph.FindingAmbiguous: 0, graph.FindingIdle: 0,
	}}
	for i := range a.Things {
		s.add(&a.Things[i])
	}
	for i := range a.Sessions {
		if a.Sessions[i].Fate == Idle {
			s.IdleSessions++
			s.IdleBytes += a.Sessions[i].MemoryBytes
		}
	}
	for _, act := range a.Outcomes {
		s.ReclaimedBytes += act.FreedBytes
	}
	return s
}

func (s *Summary) add(t *Thing) {
	switch t.Kind {
	case graph.KindContainer:
		s.Containers++
	case graph.KindServer, graph.KindGateway:
		s.Servers++
	}
	if t.Finding != graph.FindingNone {
		s.Findings[t.Finding]++
	}
	switch t.Decision {
	case policy.Reap.String():
		s.Reap++
		s.ReclaimableBytes += t.MemoryBytes
	case policy.Pending.String():
		s.Pending++
	}
	if t.Fate == Leaked {
		s.LeakedBytes += t.MemoryBytes
	}
	if t.failing() != "" {
		s.Failing++
	}
	if t.Pinned != "" {
		s.Pinned++
	}
	if t.isOlder() {
		s.OlderCopies++
	}
	if !t.Counts() {
		return
	}
	switch t.Fate {
	case Ending:
		s.Ending++
	case InUse:
		s.InUse++
	case Idle:
		s.Idle++
	case Leaked:
		s.Leaked++
	case Kept:
		s.Kept++
	}
}

// Counts reports a thing that a person counts: a server, or a container without a docker run.
func (t *Thing) Counts() bool { return t.Kind != graph.KindSession && !t.Held }

// acts reports a decider that does something about what is due.
func (d Decider) acts() bool { return d.Kind == ByDaemon && d.Rests == "" }
