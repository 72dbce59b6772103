package serve

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/redact"
)

// Publish shows the result of a sweep, or the outcomes of its acts since.
func (m *Metrics) Publish(u Update) {
	m.mu.Lock()
	defer m.mu.Unlock()
	u.Outcomes = m.once(u.Outcomes)
	if u.Again {
		m.amendSweep(u)
	} else {
		m.showSweep(u)
		m.showSchedule(u)
	}
	if u.Policy.SHA256 != "" {
		m.showPolicy(u.Policy)
	}
	if u.Graph != nil && u.Graph.Snapshot != nil {
		m.showGraph(u)
	}
	m.countOutcomes(u.Outcomes)
	m.showGone(u.Gone)
	m.showUnderWay(u.UnderWay)
	m.showHands(u)
	m.showEvents(u.Events)
	m.showJournal(u.Journal)
	if u.Report != nil {
		m.report = sync.OnceValues(u.Report)
	}
	m.showTree(u)
	m.audience.tell()
}

func (m *Metrics) showSweep(u Update) {
	m.series.sweeps.WithLabelValues(m.triggers.label(string(u.Trigger)), m.results.label(string(u.Result))).Inc()
	m.series.sweepDuration.Observe(u.Duration.Seconds())
	m.state.LastSweep = &Sweep{
		At: u.Started, DurationSeconds: u.Duration.Seconds(), Trigger: u.Trigger, Result: u.Result, Why: u.Why,
	}
	if u.succeeded() {
		m.success = u.Started.Add(u.Duration)
		m.series.success.Set(seconds(m.success))
	}
}

// amendSweep corrects the last sweep's figures after its acts have ended.
func (m *Metrics) amendSweep(u Update) {
	if last := m.state.LastSweep; last != nil && u.Result != ResultOK {
		amended := *last
		amended.Result, amended.Why = u.Result, u.Why
		m.state.LastSweep = &amended
	}
}

// showUnderWay shows the acts that go on.
func (m *Metrics) showUnderWay(acts []Begun) {
	m.series.underWay.Set(float64(len(acts)))
	m.state.UnderWay = make([]Begun, 0, len(acts))
	for _, act := range acts {
		act.Name = redact.Name(act.Name)
		m.state.UnderWay = append(m.state.UnderWay, act)
	}
}

// succeeded reports that the sweep was completed and saw the process table. An engine
// that does not answer has a metric of its own and does not count here.
func (u Update) succeeded() bool {
	if u.Result == ResultFailed || u.Graph == nil || u.Graph.Snapshot == nil {
		return false
	}
	processes, listed := u.Graph.Snapshot.Source(inventory.SourceProcesses)
	return !listed || readable(processes)
}

func readable(source inventory.Source) bool {
	return source.Status == inventory.StatusOK || source.Status == inventory.StatusPartial
}

// seconds is a moment as Unix time.
func seconds(at time.Time) float64 { return float64(at.UnixMilli()) / 1000 }

func (m *Metrics) showPolicy(p Policy) {
	m.series.policy.Reset()
	m.series.policy.WithLabelValues(p.label(), p.SHA256).Set(1)
	m.series.setMode(p.Mode)
	m.state.Mode, m.state.ModeFrom = p.Mode, p.ModeFrom
	m.policy, m.idleFor = p.Identity, p.IdleFor
	m.state.Policy.Source, m.state.Policy.SHA256, m.state.Policy.FileMode = p.Source, p.SHA256, p.FileMode
	for _, rule := range p.Rules {
		if !rule.Action.Reaps() {
			continue
		}
		for _, outcome := range done.Results() {
			m.series.actions.WithLabelValues(m.rules.label(rule.Name), string(rule.Action), string(outcome))
		}
	}
}

func (m *Metrics) showGraph(u Update) {
	m.series.processes.Set(float64(len(u.Graph.Snapshot.Processes) + u.Graph.Snapshot.Unlisted))
	m.recall = sync.OnceValue(func() handedOver { return handOver(u.Graph) })
	m.showSources(u.Graph.Snapshot.Sources)
	gone := m.goneIn(u)
	isEnded := isEnded(u, gone)
	m.showSessions(policy.SessionsAsBegun(u.Graph, u.Verdicts))
	m.showAhead(u.Verdicts)
	m.showSessionsEnd(gone, isEnded)
	reported := reportedOf(u.Verdicts)
	who := clients{names: m.clients, targets: map[string]*graph.Target{}}
	for _, target := range u.Graph.Targets {
		who.targets[target.ID] = target
	}
	for _, v := range reported { // these name the sessions that an earlier daemon saw end
		who.targets[v.Target.ID] = v.Target
	}
	m.showTargets(reported, who)
	m.showContainers(u.Graph, who)
	m.countRespawns(u.Respawns, who)
	m.showInUse(reported, who, isEnded)
	m.showFindings(reported, who, gone, isEnded)
	m.showPending(reported, who, isEnded)
	m.showDue(reported, who, isEnded)
	m.showResting(reported, who, u.Graph.Snapshot.TakenAt)
	m.showReclaimable(reported, gone)
	m.countVetoes(reported, u.Graph.Snapshot.TakenAt)
}

// reportedOf are the verdicts that reports show: all but those on containers
// that are no MCP servers and that the policy does not name.
func reportedOf(verdicts []policy.Verdict) []*policy.Verdict {
	var reported []*policy.Verdict
	for i := range verdicts {
		v := &verdicts[i]
		if v.Target != nil && v.Reported() {
			reported = append(reported, v)
		}
	}
	return reported
}

// showSources shows which sources could be read. Of several of one kind, each that
// exists must have been readable.
func (m *Metrics) showSources(sources []inventory.Source) {
	m.series.sourceUp.reset()
	m.state.Sources = redact.Sources(sources)
	up := map[string]bool{}
	for _, source := range sources {
		if source.Status == inventory.StatusAbsent {
			continue
		}
		before, listed := up[source.Name]
		up[source.Name] = readable(source) && (before || !listed)
	}
	for _, name := range slices.Sorted(maps.Keys(up)) {
		m.series.sourceUp.add(one(up[name]), m.sources.label(name))
	}
}

func one(holds bool) int {
	if holds {
		return 1
	}
	return 0
}

func (m *Metrics) showSessions(sessions []graph.Session) {
	m.series.sessions.reset()
	m.series.sessionIdle.reset()
	m.series.idleMemory.reset()
	m.state.InUse = []Client{}
	for i := range sessions {
		session := &sessions[i]
		client := m.clients.label(session.Name)
		m.series.sessions.add(1, client)
		m.series.respawns.WithLabelValues(client)
		m.showIdle(session, client)
		m.state.InUse = append(m.state.InUse, clientOf(session))
	}
}

// showAhead tells when rules stop sessions that go on doing nothing.
func (m *Metrics) showAhead(verdicts []policy.Verdict) {
	for i := range verdicts {
		v := &verdicts[i]
		if v.Ahead == nil {
			continue
		}
		at := slices.IndexFunc(m.state.InUse, func(c Client) bool { return c.ID == v.Target.ID })
		if at >= 0 {
			m.state.InUse[at].StopsAt, m.state.InUse[at].StopsBy = v.Ahead.DueAt, v.Ahead.Rule
		}
	}
}

// showSessionsEnd marks the sessions that are being stopped, and leaves out those that have ended since the look.
func (m *Metrics) showSessionsEnd(gone map[string]bool, isEnded func(target string) bool) {
	m.state.InUse = slices.DeleteFunc(m.state.InUse, func(c Client) bool { return gone[c.ID] })
	for i := range m.state.InUse {
		client := &m.state.InUse[i]
		client.UnderWay = isEnded(client.ID)
	}
}

func clientOf(session *graph.Session) Client {
	shown := Client{Name: redact.Name(session.Name), Servers: session.Servers, Containers: session.Containers, MemoryBytes: session.MemoryBytes, Unmeasured: session.Unmeasured}
	if session.Process != nil {
		shown.PID, shown.ID = session.Process.PID, session.Process.ID().String()
		shown.Cwd, shown.User = redact.Text(session.Process.Cwd), session.Process.User
	}
	shown.UsedAt = session.Activity.UsedAt
	shown.LastUse, shown.LastUsePID = session.Activity.Last.Sign, session.Activity.Last.PID
	shown.Idle = session.Target != nil && session.Target.Finding == graph.FindingIdle
	if idle, known := session.Activity.Idle().Get(); known {
		shown.IdleSeconds, shown.IdleAtLeast = new(idle.Seconds()), session.Activity.AtLeast
		shown.IdleSince = session.Activity.IdleSince.At
	}
	return shown
}

func (m *Metrics) showTargets(reported []*policy.Verdict, who clients) {
	m.series.servers.reset()
	m.series.containers.reset()
	m.series.zombies.reset()
	for _, v := range reported {
		client := who.of(v.Target)
		m.series.zombies.add(v.Target.Zombies, client)
		switch v.Target.Kind {
		case graph.KindContainer:
			m.series.containers.add(1, v.Target.Finding.String())
		case graph.KindServer, graph.KindGateway:
			for _, liveness := range livenesses() {
				m.series.servers.show(client, liveness)
			}
			m.series.servers.add(1, client, livenessOf(v.Target.Owner))
			m.series.respawns.WithLabelValues(client)
		}
	}
}

// livenessOf is the liveness of an owner as far as it is proven: one that cannot be seen may live.
func livenessOf(o graph.Owner) string {
	if o.IsUnseen() {
		return graph.LivenessUnknown.String()
	}
	return o.Liveness.String()
}

func pendingOf(v *policy.Verdict) Pending {
	p := Pending{ID: v.Target.ID, Name: redact.Name(v.Target.Name), Rule: v.Rule, DueAt: v.DueAt, AtOnce: v.AtOnce, WaitsFor: v.WaitsFor, With: v.With, MemoryBytes: v.Target.MemoryBytes}
	if c := v.Target.Container; c != nil {
		p.Container = redact.Name(c.Called())
	}
	return p
}

// showPending lists the pending targets, the first due in front; those that only wait
// for another look have no time and come last. What a sweep by hand is ending waits no more.
func (m *Metrics) showPending(reported []*policy.Verdict, who clients, isEnded func(target string) bool) {
	pending := []Pending{}
	for _, v := range reported {
		if v.Decision == policy.Pending && !isEnded(v.Target.ID) {
			p := pendingOf(v)
			p.Owner, p.User = who.living(v.Target), who.userOf(v.Target)
			pending = append(pending, p)
		}
	}
	slices.SortStableFunc(pending, func(a, b Pending) int {
		if a.DueAt.IsZero() != b.DueAt.IsZero() {
			return b.DueAt.Compare(a.DueAt)
		}
		return a.DueAt.Compare(b.DueAt)
	})
	m.series.pending.Set(float64(len(pending)))
	m.state.Pending = pending
}

// showDue lists the targets whose time has come, and docker runs that end with such a container, without those that
// are ended or being ended.
func (m *Metrics) showDue(reported []*policy.Verdict, who clients, isEnded func(target string) bool) {
	m.state.Due = []Pending{}
	rules := map[string]string{}
	for _, v := range reported {
		rules[v.Target.ID] = v.Rule
	}
	for _, v := range reported {
		isDue := v.Decision == policy.Reap || v.EndsWith != ""
		if !isDue || isEnded(v.Target.ID) || isEnded(v.EndsWith) {
			continue
		}
		p := pendingOf(v)
		p.Rule, p.With, p.Owner, p.User = cmp.Or(v.Rule, rules[v.EndsWith]), cmp.Or(v.With, v.EndsWith), who.living(v.Target), who.userOf(v.Target)
		m.state.Due = append(m.state.Due, p)
	}
}

// showResting lists the older copies that a rule stops if they go on doing nothing, the first in front.
func (m *Metrics) showResting(reported []*policy.Verdict, who clients, looked time.Time) {
	m.state.Resting = []Pending{}
	for _, v := range reported {
		if !v.Rests() || !v.Threshold.Action.Reaps() || v.Threshold.IdleFor == 0 || !v.Target.Idle.IsKnown() {
			continue
		}
		p := pendingOf(v)
		p.Rule, p.DueAt = v.Threshold.Rule, looked.Add(max(0, v.Threshold.IdleFor-v.Target.Idle.Or(0)))
		p.Owner, p.User = who.living(v.Target), who.userOf(v.Target)
		m.state.Resting = append(m.state.Resting, p)
	}
	slices.SortStableFunc(m.state.Resting, func(a, b Pending) int { return a.DueAt.Compare(b.DueAt) })
}

// isEnded reports the targets that a sweep has ended, or begun to end: by the look, or since, or by hand.
func isEnded(u Update, gone map[string]bool) func(target string) bool {
	begun := map[string]bool{}
	maps.Copy(begun, u.ByHand)
	for i := range u.Verdicts {
		if v := &u.Verdicts[i]; v.UnderWay && !v.Imminent {
			begun[v.Target.ID] = true
		}
	}
	return func(target string) bool {
		return gone[target] || begun[target] || slices.ContainsFunc(u.UnderWay, func(b Begun) bool { return !b.Imminent && b.Ends(target) })
	}
}

// showHands shows what people have asked for: pins and pauses.
func (m *Metrics) showHands(u Update) {
	if u.Graph != nil { // else the pins of the look before hold
		m.state.Pins, m.state.UsersPins = u.Pins, usersPins(u.Verdicts)
		m.series.pins.Set(float64(m.state.Pins + m.state.UsersPins))
	}
	m.series.paused.Set(float64(one(u.Paused)))
	m.state.Paused, m.state.PausedUntil, m.state.PauseReason = u.Paused, time.Time{}, ""
	if u.Paused {
		m.state.PausedUntil, m.state.PauseReason = u.PausedUntil, u.PauseReason
	}
}

// usersPins counts the pins of other users that keep something. A pin may keep several targets.
func usersPins(verdicts []policy.Verdict) int {
	pinned := map[string]bool{}
	for i := range verdicts {
		t := verdicts[i].Target
		if t == nil {
			continue
		}
		for _, veto := range t.Vetoes {
			if veto.Guard == graph.GuardPinned && veto.By != "" {
				pinned[cmp.Or(veto.For, t.ID)] = true
			}
		}
	}
	return len(pinned)
}

func (m *Metrics) showEvents(events map[string]bool) {
	m.series.eventsUp.reset()
	for _, name := range slices.Sorted(maps.Keys(events)) {
		m.series.eventsUp.add(one(events[name]), m.sources.label(name))
	}
}

func (m *Metrics) showJournal(is JournalState) {
	if is.Writes > m.journal {
		m.series.journalErrors.Add(float64(is.Writes - m.journal))
		m.journal = is.Writes
	}
	m.state.JournalWriteErrors, m.state.JournalFailedAt, m.state.JournalUnwritten = m.journal, is.Last, is.Unwritten
}

// AddOthers adds the outcomes of another reaperd, oldest first, to those of today and of
// the last 24 hours, and to the last acts. The other is a sweep by hand, or the daemon before
// this one. An orphan that it reaped and this daemon never saw counts as found.
func (m *Metrics) AddOthers(outcomes []policy.Outcome) {
	m.mu.Lock()
	defer m.mu.Unlock()
	outcomes = m.once(outcomes)
	for _, o := range outcomes {
		if o.Result.Reaped() {
			m.today.add(o.At, 1, o.FreedBytes)
		}
	}
	m.countEndedOrphans(outcomes)
	m.noteEnded(outcomes)
	m.showActs(outcomes)
}
