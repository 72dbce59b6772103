package serve

import (
	"maps"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

// Publish shows the result of a sweep, or the outcomes of its acts since.
func (m *Metrics) Publish(u Update) {
	m.mu.Lock()
	defer m.mu.Unlock()
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
	m.showUnderWay(u.UnderWay)
	m.showHands(u)
	m.showEvents(u.Events)
	m.showJournal(u.Journal)
	m.showTree(u)
}

// Tell has those who follow ask for the account of the last look, which is there by then.
func (m *Metrics) Tell() { m.audience.tell() }

func (m *Metrics) showSweep(u Update) {
	m.series.sweeps.WithLabelValues(m.triggers.label(string(u.Trigger)), m.results.label(string(u.Result))).Inc()
	m.series.sweepDuration.Observe(u.Duration.Seconds())
	m.state.last = &Sweep{
		At: u.Started, DurationSeconds: u.Duration.Seconds(), Trigger: u.Trigger, Result: u.Result, Why: u.Why,
	}
	if u.succeeded() {
		m.success = u.Started.Add(u.Duration)
		m.series.success.Set(seconds(m.success))
	}
}

// amendSweep corrects the last sweep's figures after its acts have ended.
func (m *Metrics) amendSweep(u Update) {
	if last := m.state.last; last != nil && u.Result != ResultOK {
		amended := *last
		amended.Result, amended.Why = u.Result, u.Why
		m.state.last = &amended
	}
}

// showUnderWay shows the acts that go on.
func (m *Metrics) showUnderWay(acts []Begun) { m.series.underWay.Set(float64(len(acts))) }

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
	m.state.mode, m.state.modeFrom = p.Mode, p.ModeFrom
	m.policy, m.idleFor = p.Identity, p.IdleFor
	m.state.policy.Source, m.state.policy.SHA256, m.state.policy.FileMode = p.Source, p.SHA256, p.FileMode
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
	m.showSources(u.Graph.Snapshot.Sources)
	gone := m.goneIn(u)
	isEnded := isEnded(u, gone)
	m.showSessions(policy.SessionsAsBegun(u.Graph, u.Verdicts))
	reported := reportedOf(u.Verdicts)
	who := clients{names: m.clients, targets: map[string]*graph.Target{}}
	for _, target := range u.Graph.Targets {
		who.targets[target.ID] = target
	}
	for _, v := range reported { // these name the sessions that an earlier daemon saw end
		who.targets[v.Target.ID] = v.Target
	}
	m.showTargets(reported, who)
	m.countRespawns(u.Respawns, who)
	m.showFindings(reported, who, isEnded)
	m.showPending(reported, isEnded)
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
	for i := range sessions {
		session := &sessions[i]
		client := m.clients.label(session.Name)
		m.series.sessions.add(1, client)
		m.series.respawns.WithLabelValues(client)
		m.showIdle(session, client)
	}
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

// showPending counts the pending targets.
func (m *Metrics) showPending(reported []*policy.Verdict, isEnded func(target string) bool) {
	pending := 0
	for _, v := range reported {
		if v.Decision == policy.Pending && !isEnded(v.Target.ID) {
			pending++
		}
	}
	m.series.pending.Set(float64(pending))
}

// isEnded reports the targets that a sweep has ended, or begun to end: by the look, or since.
func isEnded(u Update, gone map[string]bool) func(target string) bool {
	begun := map[string]bool{}
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
		m.state.pins = u.Pins
		m.series.pins.Set(float64(u.Pins))
	}
	m.series.paused.Set(float64(one(u.Paused)))
	m.state.pause = overview.Pause{On: u.Paused}
	if u.Paused {
		m.state.pause.Until, m.state.pause.Reason = u.PausedUntil, u.PauseReason
	}
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
}

// AddOthers adds the outcomes of the daemon before this one, oldest first, to those of the last 24
// hours. An orphan that it reaped counts as found.
func (m *Metrics) AddOthers(outcomes []policy.Outcome) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.countEndedOrphans(outcomes)
	m.noteEnded(outcomes)
}
