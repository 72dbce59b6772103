package serve

import (
	"maps"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// Publish shows the result of a sweep, or the outcomes of its acts since.
func (m *Metrics) Publish(u Update) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if u.Result != ResultOK || !u.Again {
		m.why = u.Why
	}
	gone := goneOf(u.Outcomes)
	if u.Again { // what came of this sweep's acts before
		maps.Copy(gone, m.gone)
	} else {
		m.showSweep(u)
		m.showSchedule(u)
	}
	m.gone = gone
	if u.Graph != nil && u.Graph.Snapshot != nil {
		m.showGraph(u)
	}
	m.countOutcomes(u.Outcomes)
	m.series.underWay.Set(float64(len(u.UnderWay)))
	m.series.paused.Set(float64(one(u.Paused)))
	m.series.eventsUp.reset()
	for _, name := range slices.Sorted(maps.Keys(u.Events)) {
		m.series.eventsUp.add(one(u.Events[name]), name)
	}
	if u.JournalErrors > m.journal {
		m.series.journalErrors.Add(float64(u.JournalErrors - m.journal))
		m.journal = u.JournalErrors
	}
}

// Tell has those who follow ask for the account of the last look, which is there by then.
func (m *Metrics) Tell() { m.audience.tell() }

func (m *Metrics) showSweep(u Update) {
	m.series.sweeps.WithLabelValues(string(u.Trigger), string(u.Result)).Inc()
	m.series.sweepDuration.Observe(u.Duration.Seconds())
	if u.succeeded() {
		m.success = u.Started.Add(u.Duration)
		m.series.success.Set(seconds(m.success))
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

// PolicyReloaded notes that a policy was read and is in effect, the first one
// included.
func (m *Metrics) PolicyReloaded(p *policy.Policy, from Origin, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.adopted, m.faults = true, nil
	m.series.reloadOK.Set(1)
	m.series.reloadTime.Set(seconds(at))
	m.series.policy.Reset()
	m.series.policy.WithLabelValues(string(from), p.Hash).Set(1)
	m.series.setMode(p.Mode)
	for _, rule := range p.Rules {
		if rule.Action.Reaps() {
			for _, outcome := range human.Results() {
				m.series.actions.WithLabelValues(m.rules.label(rule.Name), string(rule.Action), string(outcome))
			}
		}
	}
	m.audience.tell()
}

// PolicyRefused notes that the policy that was read last was refused, with all its faults. The
// policy before stays in effect; if there was none, the daemon is not ready.
func (m *Metrics) PolicyRefused(faults []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.series.reloadOK.Set(0)
	if !m.adopted {
		m.faults = faults
	}
	m.audience.tell()
}

func (m *Metrics) showGraph(u Update) {
	m.series.processes.Set(float64(len(u.Graph.Snapshot.Processes) + u.Graph.Snapshot.Unlisted))
	m.series.pins.Set(float64(u.Pins))
	m.showSources(u.Graph.Snapshot.Sources)
	m.showSessions(policy.SessionsAsBegun(u.Graph, u.Verdicts))
	who := clients{names: m.clients, targets: map[string]*graph.Target{}}
	for _, target := range u.Graph.Targets {
		who.targets[target.ID] = target
	}
	var reported []*policy.Verdict // not those on containers that are no MCP servers and that no rule names
	for i := range u.Verdicts {
		if v := &u.Verdicts[i]; v.Target != nil && v.Reported() {
			reported = append(reported, v)
			who.targets[v.Target.ID] = v.Target // it names the session that an earlier daemon saw end
		}
	}
	m.showVerdicts(u, reported, who)
	m.countRespawns(u.Respawns, who)
	m.countVetoes(reported)
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
		m.series.sourceUp.add(one(up[name]), name)
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
		m.series.sessionIdle.add(session.Activity.AtLook(), client)
		held := 0
		if session.Target != nil && session.Target.Finding == graph.FindingIdle {
			held = int(session.MemoryBytes)
		}
		m.series.idleMemory.add(held, client)
	}
}

// showVerdicts shows what there is, what is wrong with it, and what becomes of it.
func (m *Metrics) showVerdicts(u Update, reported []*policy.Verdict, who clients) {
	for _, board := range []*board{m.series.servers, m.series.containers, m.series.zombies, m.series.findings} {
		board.reset()
	}
	pending, reclaimable := 0, uint64(0)
	for _, v := range reported {
		client, isOver := who.of(v.Target), m.gone[v.Target.ID] || u.hasBegun(v)
		m.showTarget(v.Target, client)
		m.showFinding(v, client, isOver)
		if v.Decision == policy.Pending && !isOver {
			pending++
		}
		if v.Decision != policy.Keep && !m.gone[v.Target.ID] {
			reclaimable += v.Target.MemoryBytes
		}
	}
	m.series.pending.Set(float64(pending))
	m.series.reclaimable.Set(float64(reclaimable))
}

// hasBegun reports that the end of a target has begun: by the look, or since.
func (u *Update) hasBegun(v *policy.Verdict) bool {
	return v.UnderWay() && !v.Begun.Imminent || slices.ContainsFunc(u.UnderWay, func(b Begun) bool { return !b.Imminent && b.Ends(v.Target.ID) })
}

func (m *Metrics) showTarget(t *graph.Target, client string) {
	m.series.zombies.add(t.Zombies, client)
	switch t.Kind {
	case graph.KindContainer:
		m.series.containers.add(1, t.Finding.String())
	case graph.KindServer, graph.KindGateway:
		for _, liveness := range []graph.Liveness{graph.LivenessUnknown, graph.LivenessLive, graph.LivenessGone} {
			m.series.servers.show(client, liveness.String())
		}
		m.series.servers.add(1, client, livenessOf(t.Owner))
		m.series.respawns.WithLabelValues(client)
	}
}

// livenessOf is the liveness of an owner as far as it is proven: one that cannot be seen may live.
func livenessOf(o graph.Owner) string {
	if o.IsUnseen() {
		return graph.LivenessUnknown.String()
	}
	return o.Liveness.String()
}

// showFinding counts what is wrong with a target, and one that a rule is to end all the same.
func (m *Metrics) showFinding(v *policy.Verdict, client string, isOver bool) {
	isNone, goes := v.Target.Finding == graph.FindingNone, v.Goes()
	if (isNone && !goes || v.Rests()) && !isOver || isNone && v.Decision == policy.Keep {
		return
	}
	kind, finding := string(v.Target.Kind), v.Target.Finding.String()
	for _, decision := range []policy.Decision{policy.Keep, policy.Pending, policy.Reap} { // so that each is seen to rise from 0
		m.series.findings.show(kind, finding, client, decision.String())
	}
	m.series.findings.add(1, kind, finding, client, v.Decision.String())
}

// veto is one guard that keeps one target.
type veto struct {
	target string
	guard  graph.Guard
}

// countVetoes counts the vetoes of a look that the update before did not have.
func (m *Metrics) countVetoes(reported []*policy.Verdict) {
	held := map[veto]bool{}
	for _, v := range reported {
		for _, by := range v.Vetoes {
			now := veto{v.Target.ID, by.Guard}
			if !held[now] && !m.vetoed[now] {
				m.series.vetoes.WithLabelValues(string(by.Guard)).Inc()
			}
			held[now] = true
		}
	}
	m.vetoed = held
}

// goneOf are the ids of targets that no longer run.
func goneOf(outcomes []policy.Outcome) map[string]bool {
	gone := map[string]bool{}
	for _, outcome := range outcomes {
		gone[outcome.Target] = gone[outcome.Target] || outcome.Result.Gone()
	}
	return gone
}

func (m *Metrics) countOutcomes(outcomes []policy.Outcome) {
	for _, o := range outcomes {
		m.series.actions.WithLabelValues(m.rules.label(o.Rule), string(o.Action), string(o.Result)).Inc()
		m.series.reclaimed.Add(float64(o.FreedBytes))
		if since := o.At.Sub(o.OwnerGoneSince); o.Result.Reaped() && !o.OwnerGoneSince.IsZero() && since >= 0 {
			m.series.timeToReap.Observe(since.Seconds())
		}
	}
}

func (m *Metrics) countRespawns(respawns map[string]int, who clients) {
	for id, count := range respawns {
		if gateway := who.targets[id]; gateway != nil {
			m.series.respawns.WithLabelValues(who.of(gateway)).Add(float64(max(0, count)))
		}
	}
}
