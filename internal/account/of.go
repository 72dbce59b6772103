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
	a.Summary.Processes = len(snapshot.Processes) + snapshot.Unlisted
	for i := range snapshot.Processes {
		a.processes[snapshot.Processes[i].UID.Or(nobody)]++
	}
	for _, today := range l.Today {
		a.Today = Today{a.Today.Stopped + today.Stopped, a.Today.FreedBytes + today.FreedBytes}
	}
	a.Decider.Rests = cmp.Or(a.Decider.Rests, a.rests())
	newMaker(l, a).make()
	a.finish()
	return a
}

// nobody is the user of processes whose user is not known.
const nobody = -1

// rests is why the decider acts on nothing, by what is known of it.
func (a *Account) rests() Rest {
	switch of := a.Decider.Daemon; {
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

// maker makes the sessions and things of an account.
type maker struct {
	Look
	account  *Account
	engine   string                     // the endpoint of the engine, if there is one alone
	verdicts map[string]*policy.Verdict // by target
	idle     map[string]bool            // sessions that do nothing
	masked   map[string]string          // texts without their secrets: many things have the same
}

func newMaker(l Look, a *Account) *maker {
	m := &maker{Look: l, account: a, verdicts: map[string]*policy.Verdict{}, idle: map[string]bool{}, masked: map[string]string{}}
	engines := slices.DeleteFunc(slices.Clone(l.Graph.Snapshot.Sources), func(s inventory.Source) bool {
		return s.Name != inventory.SourceDocker || s.Endpoint == ""
	})
	if len(engines) == 1 {
		m.engine = engines[0].Endpoint
	}
	for i := range l.Verdicts {
		m.verdicts[l.Verdicts[i].Target.ID] = &l.Verdicts[i]
	}
	return m
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

func (m *maker) make() {
	m.account.Sessions, m.account.Things = []Session{}, []Thing{}
	for i := range m.Graph.Sessions {
		if s := &m.Graph.Sessions[i]; s.Process != nil {
			m.account.Sessions = append(m.account.Sessions, m.session(s))
		}
	}
	for i := range m.Verdicts {
		if v := &m.Verdicts[i]; v.Reported() {
			m.account.Things = append(m.account.Things, m.thing(v))
		}
	}
	for _, left := range m.Graph.AlsoLeft {
		m.account.AlsoLeft = append(m.account.AlsoLeft, m.alsoLeft(left))
	}
	m.followHeads()
}

func (m *maker) session(s *graph.Session) Session {
	p, a := s.Process, s.Activity
	out := Session{
		ID: p.ID().String(), Name: redact.Name(s.Name), PID: p.PID, Start: p.Start, StartedAt: p.StartedAt, Liveness: s.Liveness,
		Servers: s.Servers, Containers: s.Containers, MemoryBytes: s.MemoryBytes, Cwd: m.mask(p.Cwd), TTY: p.TTY, User: p.User, uid: p.UID,
		Fate: InUse, TerminalUsedAt: a.TerminalUsed, LastUse: a.Last.Sign, LastUsePID: a.Last.PID, Resume: m.Resumes[s.Name],
		Unmeasured: s.Unmeasured, UsedAt: a.UsedAt,
	}
	if idle := a.Idle().Or(0); idle > 0 && !(a.AtLeast && idle < graph.LeastIdle) {
		out.IdleSeconds, out.IdleAtLeast, out.IdleSince = rounded(idle.Seconds()), a.AtLeast, a.IdleSince.At
	}
	v := m.verdicts[out.ID]
	if v == nil {
		return out
	}
	out.Pinned = pinOf(v.Target.Vetoes)
	if due, _ := dueOf(v, m.account.TakenAt); !due.IsZero() && m.account.Decider.acts() {
		out.StopsAt, out.StopsBy = due, v.Rule
	}
	for _, veto := range v.Vetoes {
		if veto.For != "" && len(v.Target.Vetoes) == 0 {
			out.Bound = m.mask(veto.Text)
		}
	}
	switch m.idle[out.ID] = v.Target.Finding == graph.FindingIdle; {
	case v.UnderWay():
		out.Fate = Ending
	case m.idle[out.ID]:
		out.Fate = Idle
	}
	return out
}

// followHeads gives what ends with something that leaks the same fate, and what a session holds that leaks or
// is kept that session's.
func (m *maker) followHeads() {
	b := newBuilder(m.account)
	for _, t := range b.things {
		if head := b.things[t.Head]; head != nil && head.Fate == Leaked && t.Fate != Ending && t.Decision != keeps {
			t.Fate = Leaked
		}
		if session := b.things[b.holder(t.ID)]; session != nil && session.Kind == graph.KindSession && session.Fate.isLeft() && t.Fate == InUse {
			t.Fate, t.Why = session.Fate, "held by "+session.Called()+", "+session.Why
		}
	}
}

func (m *maker) thing(v *policy.Verdict) Thing {
	t := v.Target
	out := Thing{
		ID: t.ID, Kind: t.Kind, Name: redact.Name(t.Name), Handle: SubjectOf(t).Handle(), StartedAt: t.Started(m.account.TakenAt),
		Client: t.Runner, Containers: t.Containers, Below: t.Below, User: t.User, uid: m.Graph.UserOf(t),
		Recognised: t.Recognised(), RecognisedBy: m.mask(t.How), Owner: m.ownerOf(t), Finding: t.Finding,
		Decision: v.Decision.String(), UnderWay: v.UnderWay(), Imminent: v.UnderWay() && v.Begun.Imminent, Rule: v.Rule, Head: cmp.Or(v.Head, v.WaitsFor),
		Evidence: graph.Masked(t.Evidence, m.mask), Guards: graph.MaskedVetoes(v.Vetoes, m.mask),
		Generation: t.Generation, Zombies: t.Zombies, Respawns: t.Respawns, MemoryBytes: t.MemoryBytes, Pinned: pinOf(t.Vetoes),
		Unpin: m.unpin(t), WaitsFor: v.WaitsFor, NeedsSeconds: v.Needs.Seconds(), Leaves: m.mask(t.LeftOpen()),
	}
	m.setProcess(&out, t)
	m.setContainer(&out, t.Container)
	out.setMeasures(t)
	switch {
	case t.Finding != graph.FindingNone:
		out.FindingSince = t.Since
	case t.Kind == graph.KindSession && v.Decision == policy.Pending && v.IfIdle: // from its first quiet look
		out.Finding, out.FindingSince = graph.FindingIdle, m.account.TakenAt.Add(-v.Held)
	}
	if v.Rule != "" {
		out.Action, out.Origin = v.Action, v.RuleOrigin.String()
	}
	if v.Decision == policy.Keep {
		out.EndsWith = v.Head
	}
	if v.Protected != nil {
		out.Protect = v.Protected.Name
	}
	out.Fate = fateOf(v, m.idle[idOf(out.Owner.PID, out.Owner.Start)])
	out.Why = m.mask(m.why(v, &out))
	if trust := t.Stranger.Trust; out.Fate == Kept && trust != "" {
		out.Remedy = m.mask("if that only watches, in policies.yaml: trust: " + trust)
	}
	out.Unclear = out.Fate == Kept && t.Finding == graph.FindingNone && v.Protected == nil
	if due, ifIdle := dueOf(v, m.account.TakenAt); m.account.Decider.acts() || v.Decision == policy.Pending {
		out.DueAt, out.IfIdle = due, ifIdle
	}
	if v.Decision == policy.Pending && v.IfIdle {
		out.StopsBy = v.Rule
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
	if o.IsUnseen() {
		o.Kind, o.Liveness = "", graph.LivenessUnknown
	}
	return newOwner(o)
}

func newOwner(o graph.Owner) Owner {
	return Owner{Name: redact.Name(o.Name), Kind: o.Kind, PID: o.ID.PID, Start: o.ID.Start, Liveness: o.Liveness, Since: o.Since}
}

// alsoLeft is what a session left beside its servers, and what its `docker run -d` started.
func (m *maker) alsoLeft(left graph.AlsoLeft) AlsoLeft {
	out := AlsoLeft{Session: newOwner(left.Session), PIDs: []int{}, uid: left.UID}
	for _, of := range left.Things {
		out.PIDs, out.MemoryBytes = append(out.PIDs, of.PID), out.MemoryBytes+of.MemoryBytes
		out.Names = append(out.Names, redact.Name(of.Name)+handleOf(of))
		out.Cwd = cmp.Or(out.Cwd, m.mask(of.Cwd))
	}
	for _, k := range left.Containers {
		out.ContainerIDs = append(out.ContainerIDs, k.ID)
		out.Names = append(out.Names, "container "+redact.Name(k.Handle()))
	}
	return out
}

// handleOf is by what a person finds it: the ports on which it listens, else its PID.
func handleOf(left graph.Left) (handle string) {
	for _, port := range left.Ports {
		handle += " :" + strconv.Itoa(port)
	}
	return cmp.Or(handle, " "+strconv.Itoa(left.PID))
}

// programOf is a process's program, as its command line has it.
func programOf(p *inventory.Process) string {
	if args := p.Args(); len(args) > 0 && args[0] != "" {
		return path.Base(args[0])
	}
	return cmp.Or(p.Comm, "unnamed")
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
	t.engine = cmp.Or(c.Engine, m.engine)
	t.ContainerID, t.Container, t.Image, t.State = c.ID, redact.Name(c.Name), m.mask(c.Image), c.State
	t.Engine, t.Argv = m.mask(t.engine), redact.Args(c.Command)
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
func rounded(value float64) *float64 { return new(math.Round(value*1000) / 1000) }

// pinOf is why something is pinned; "" if it is not.
func pinOf(vetoes []graph.Veto) string {
	i := slices.IndexFunc(vetoes, func(v graph.Veto) bool { return v.Guard == graph.GuardPinned })
	if i < 0 {
		return ""
	}
	return redact.Text(vetoes[i].Text)
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
		return "reaperd unpin " + human.Shell(SubjectOf(t).Handle())
	}
	return ""
}
