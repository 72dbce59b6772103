package serve

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

var noon = time.Date(2026, time.November, 26, 12, 0, 0, 0, time.Local)

// clock is a clock that the test sets.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func newTestMetrics() (*Metrics, *clock) {
	c := &clock{at: noon}
	m := NewMetrics(account.Build{Version: "v1.2.3", Revision: "abc", Go: "go1.26"})
	m.now = c.now
	return m, c
}

// world is a small host with the decisions about it.
type world struct {
	sessions []graph.Session
	targets  []*graph.Target
	verdicts []policy.Verdict
	sources  []inventory.Source
	next     int
}

func (w *world) pid() int {
	w.next++
	return 40000 + w.next
}

func (w *world) session(name string) graph.Owner {
	p := &inventory.Process{PID: w.pid(), Start: 1}
	w.sessions = append(w.sessions, graph.Session{Process: p, Name: name, Liveness: graph.LivenessLive})
	return graph.Owner{Name: name, Kind: graph.OwnerSession, ID: p.ID(), Liveness: graph.LivenessLive}
}

func gone(name string) graph.Owner {
	return graph.Owner{Name: name, Kind: graph.OwnerSession, Liveness: graph.LivenessGone, Since: noon.Add(-time.Minute)}
}

// target adds a target. It is kept and has no finding.
func (w *world) target(kind graph.Kind, owner graph.Owner) *graph.Target {
	p := &inventory.Process{PID: w.pid(), Start: 1, Argv: []string{"/srv/secret/server", "--key=hunter2"}}
	t := &graph.Target{ID: p.ID().String(), Kind: kind, Name: "fetch", Owner: owner, Root: p, Finding: graph.FindingNone, MemoryBytes: 1000}
	w.targets = append(w.targets, t)
	w.verdicts = append(w.verdicts, policy.Verdict{Target: t})
	return t
}

// judged is a server with a finding and a decision.
func (w *world) judged(owner graph.Owner, finding graph.Finding, decision policy.Decision) *policy.Verdict {
	t := w.target(graph.KindServer, owner)
	t.Finding = finding
	v := &w.verdicts[len(w.verdicts)-1]
	v.Decision, v.Rule = decision, "orphaned-servers"
	return v
}

func (w *world) update() Update {
	sources := w.sources
	if sources == nil {
		sources = []inventory.Source{
			{Name: inventory.SourceProcesses, Status: inventory.StatusOK},
			{Name: inventory.SourceDocker, Status: inventory.StatusOK},
		}
	}
	snapshot := &inventory.Snapshot{TakenAt: noon, Sources: sources, Processes: make([]inventory.Process, 412)}
	return Update{
		Trigger: human.TriggerSchedule, Result: ResultOK, Started: noon, Duration: 40 * time.Millisecond,
		Schedule: every("@every 30s"),
		Graph:    &graph.Graph{Snapshot: snapshot, Sessions: w.sessions, Targets: w.targets},
		Verdicts: w.verdicts,
	}
}

// every is a schedule that parses.
func every(spec string) policy.Schedule {
	schedule, err := policy.ParseSchedule(spec)
	if err != nil {
		panic(err)
	}
	return schedule
}

func shipped() *policy.Policy {
	return &policy.Policy{
		Hash: strings.Repeat("ab", 32), Mode: policy.ModeEnforce,
		Rules: []policy.Rule{
			{Name: "orphaned-servers", Action: policy.ActionTerminate},
			{Name: "orphaned-containers", Action: policy.ActionRemove},
			{Name: "duplicates", Action: policy.ActionReport},
		},
	}
}

func published(t *testing.T, updates ...Update) *Metrics {
	t.Helper()
	m, _ := newTestMetrics()
	m.PolicyReloaded(shipped(), OriginUser, noon)
	for _, u := range updates {
		m.Publish(u)
	}
	return m
}

// scrape returns every series with its value: `name{label="value",…}`, without the
// prefix; for histograms the count.
func scrape(t *testing.T, m *Metrics) map[string]float64 {
	t.Helper()
	families, err := m.gather()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			values[strings.TrimPrefix(family.GetName(), "reaperd_")+labelsText(metric)] = valueOf(metric)
		}
	}
	return values
}

func labelsText(metric *dto.Metric) string {
	var pairs []string
	for _, pair := range metric.GetLabel() {
		pairs = append(pairs, fmt.Sprintf("%s=%q", pair.GetName(), pair.GetValue()))
	}
	if len(pairs) == 0 {
		return ""
	}
	slices.Sort(pairs)
	return "{" + strings.Join(pairs, ",") + "}"
}

func valueOf(metric *dto.Metric) float64 {
	switch {
	case metric.Counter != nil:
		return metric.Counter.GetValue()
	case metric.Histogram != nil:
		return float64(metric.Histogram.GetSampleCount())
	}
	return metric.Gauge.GetValue()
}

// expect compares some series with what was scraped.
func expect(t *testing.T, m *Metrics, want map[string]float64) {
	t.Helper()
	got := scrape(t, m)
	for series, value := range want {
		found, there := got[series]
		if !there {
			t.Errorf("%s is absent, want %v", series, value)
		} else if found != value {
			t.Errorf("%s is %v, want %v", series, found, value)
		}
	}
}
