package serve

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// Metrics holds the last update. It is safe for concurrent use.
type Metrics struct {
	now      func() time.Time
	registry *prometheus.Registry
	series   series
	docs     []MetricDoc

	// mu is held for reading during a whole scrape, so that a scrape never sees parts
	// of two updates.
	mu       sync.RWMutex
	clients  *names
	rules    *names
	gone     map[string]bool // targets that the last sweep has ended, by id
	vetoed   map[veto]bool   // those of the update before
	why      string          // the last sweep failed or is incomplete; "" if neither
	audience audience
	adopted  bool      // a policy was taken at least once
	faults   []string  // of the one that was read last, as long as none was taken
	journal  uint64    // write errors published so far
	success  time.Time // the end of the last sweep that succeeded
	schedule policy.Schedule
	turn     time.Time // of the schedule, that of the last sweep
	missed   time.Time // when a sweep that succeeds is missed; zero is never
}

// NewMetrics returns metrics without an update, of a daemon of this build.
func NewMetrics(build account.Build) *Metrics {
	m := &Metrics{
		now:      time.Now,
		registry: prometheus.NewRegistry(),
		clients:  boundedNames(maxClients, isPlain, labelNone, labelOther, labelService, labelGateway),
		rules:    boundedNames(maxRules, anyText),
	}
	list := builder{registry: m.registry}
	m.series = makeSeries(&list)
	m.docs = list.docs
	m.begin()
	m.series.build.WithLabelValues(build.Version, build.Revision, build.Go).Set(1)
	return m
}

// begin sets every series that is known beforehand to zero.
func (m *Metrics) begin() {
	s := &m.series
	for _, by := range human.Triggers() {
		for _, result := range []Result{ResultOK, ResultIncomplete, ResultFailed} {
			s.sweeps.WithLabelValues(by, string(result))
		}
	}
	for _, guard := range guards() {
		s.vetoes.WithLabelValues(guard)
	}
	s.respawns.WithLabelValues(labelNone)
	s.zombies.show(labelNone)
	s.sessions.show(labelNone)
	s.idleMemory.show(labelNone)
	s.sessionIdle.show(labelNone)
	s.setMode(policy.ModeReport)
	for _, finding := range findings() {
		s.containers.show(finding)
	}
	for _, source := range []string{inventory.SourceProcesses, inventory.SourceDocker} {
		s.sourceUp.show(source)
	}
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
