package serve

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/trigger"
)

// Build describes the build of the daemon.
type Build struct {
	Version  string `json:"version,omitempty"`
	Revision string `json:"revision,omitempty"`
	Go       string `json:"go,omitempty"`
}

// MetricsOptions configure [NewMetrics].
type MetricsOptions struct {
	Build Build
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Metrics holds the last update. It is safe for concurrent use.
type Metrics struct {
	now      func() time.Time
	registry *prometheus.Registry
	series   series
	docs     []MetricDoc

	// mu is held for reading during a whole scrape, so that a scrape never sees parts
	// of two updates.
	mu       sync.RWMutex
	triggers *names
	results  *names
	actions  *names
	outcomes *names
	clients  *names
	rules    *names
	guards   *names
	sources  *names
	policy   policy.Identity             // the one in effect; zero before the first
	idleFor  time.Duration               // for how long a session must do nothing to count as idle
	vetoed   map[overview.Hold]time.Time // the vetoes of the update before, with the look that had each first
	state    self
	tree     func() overview.Tree // of the last look; nil before the first
	came     overview.Input       // what that tree is made of
	orphans  map[string]time.Time // parts of what is or was an orphan, with the update that had them last
	day      overview.Day
	ended    []overview.Ended // the newest first; the list is not changed any more
	audience audience
	adopted  bool      // a policy was taken at least once
	refused  bool      // the one that was read last was not
	journal  uint64    // write errors published so far
	success  time.Time // the end of the last sweep that succeeded
	schedule policy.Schedule
	turn     time.Time // of the schedule, that of the last sweep
	missed   time.Time // when a sweep that succeeds is missed; zero is never
}

// NewMetrics returns metrics without an update.
func NewMetrics(options MetricsOptions) *Metrics {
	m := &Metrics{
		now:      options.Now,
		registry: prometheus.NewRegistry(),
		triggers: onlyNames(trigger.Names()...),
		results:  onlyNames(results()...),
		actions:  onlyNames(string(policy.ActionTerminate), string(policy.ActionRemove)),
		outcomes: onlyNames(outcomeWords()...),
		clients:  boundedNames(maxClients, isPlain, labelNone, labelOther, labelService, labelGateway),
		rules:    boundedNames(maxRules, anyText),
		guards:   boundedNames(maxGuards, isPlain, guards()...),
		sources:  boundedNames(maxSources, isPlain, inventory.SourceProcesses, inventory.SourceDocker),
	}
	if m.now == nil {
		m.now = time.Now
	}
	list := builder{registry: m.registry}
	m.series = makeSeries(&list)
	m.docs = list.docs
	m.state = self{build: options.Build, startedAt: m.now(), mode: policy.ModeReport}
	m.begin()
	return m
}

// begin sets every series that is known beforehand to zero.
func (m *Metrics) begin() {
	s := &m.series
	for _, by := range trigger.Names() {
		for _, result := range results() {
			s.sweeps.WithLabelValues(by, result)
		}
	}
	for _, guard := range guards() {
		s.vetoes.WithLabelValues(guard)
	}
	s.respawns.WithLabelValues(labelNone)
	s.zombies.show(labelNone)
	s.sessions.show(labelNone)
	s.idleMemory.show(labelNone)
	s.sessionIdle.values[labelNone] = nil
	s.setMode(m.state.mode)
	for _, finding := range findings() {
		s.containers.show(finding)
	}
	for _, source := range []string{inventory.SourceProcesses, inventory.SourceDocker} {
		s.sourceUp.show(source)
	}
	b := m.state.build
	s.build.WithLabelValues(b.Version, b.Revision, b.Go).Set(1)
}

// gather reads all metrics of one update.
func (m *Metrics) gather() ([]*dto.MetricFamily, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.registry.Gather()
}

func guards() []string {
	return []string{
		string(graph.GuardSystem), string(graph.GuardFirst), string(graph.GuardSelf), string(graph.GuardForeign),
		string(graph.GuardSession), string(graph.GuardService), string(graph.GuardInUse), string(graph.GuardPinned),
		string(graph.GuardProtected), string(graph.GuardUnproven), string(graph.GuardRestarts), string(graph.GuardEngine), string(graph.GuardIncomplete),
		string(graph.GuardShapeOnly),
	}
}

func findings() []string {
	return []string{
		graph.FindingNone.String(), string(graph.FindingOrphaned), string(graph.FindingDisconnected),
		string(graph.FindingRespawning), string(graph.FindingZombies), string(graph.FindingDuplicate),
		string(graph.FindingExited), string(graph.FindingAmbiguous),
	}
}

func livenesses() []string {
	return []string{graph.LivenessUnknown.String(), string(graph.LivenessLive), string(graph.LivenessGone)}
}

func decisions() []string {
	return []string{policy.Keep.String(), policy.Pending.String(), policy.Reap.String()}
}

func outcomeWords() []string {
	var words []string
	for _, result := range done.Results() {
		words = append(words, string(result))
	}
	return words
}
