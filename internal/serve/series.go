package serve

import (
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

const namespace = "reaperd"

// MetricDoc describes one metric.
type MetricDoc struct {
	Name   string
	Type   string // counter, gauge or histogram
	Labels []string
	Help   string
}

// Describe lists every metric, in the order of design and documentation.
func Describe() []MetricDoc { return NewMetrics(account.Build{}).docs }

// series are the metrics themselves.
type series struct {
	sweeps        *prometheus.CounterVec
	sweepDuration prometheus.Histogram
	interval      prometheus.Gauge
	success       prometheus.Gauge
	mode          *board
	processes     prometheus.Gauge
	sessions      *board
	sessionIdle   *spread
	idleMemory    *board
	servers       *board
	containers    *board
	findings      *board
	pending       prometheus.Gauge
	underWay      prometheus.Gauge
	zombies       *board
	respawns      *prometheus.CounterVec
	actions       *prometheus.CounterVec
	vetoes        *prometheus.CounterVec
	reclaimable   prometheus.Gauge
	reclaimed     prometheus.Counter
	timeToReap    prometheus.Histogram
	sourceUp      *board
	eventsUp      *board
	reloadOK      prometheus.Gauge
	reloadTime    prometheus.Gauge
	policy        *prometheus.GaugeVec
	pins          prometheus.Gauge
	paused        prometheus.Gauge
	journalErrors prometheus.Counter
	build         *prometheus.GaugeVec
}

func makeSeries(b *builder) series {
	return series{
		sweeps:        b.counters("sweeps_total", "Sweeps by what started them and how they ended: ok, incomplete (a source could not be read or an act did not succeed) or failed.", "trigger", "result"),
		sweepDuration: b.histogram("sweep_duration_seconds", "How long sweeps took, from the look to the beginning of their acts.", sweepBuckets()),
		interval:      b.gauge("sweep_interval_seconds", "Time between the last sweep of the schedule and the next; 0 before the first sweep."),
		success:       b.gauge("last_successful_sweep_timestamp_seconds", "When the last sweep that could read the process table ended, as Unix time; 0 before the first."),
		mode:          b.board("mode", "1 for the mode that is in effect, 0 for the other: report (acts on nothing) or enforce.", "mode"),
		processes:     b.gauge("processes", "Processes seen by the last sweep."),
		sessions:      b.board("sessions", "Live sessions of agent clients, by client.", "client"),
		sessionIdle:   b.spread("session_idle_seconds", "For how long live sessions and all that works for them have done nothing, by client, as of the last sweep: 0 for one at work, and without those that could not be measured. It does not add up from sweep to sweep.", idleBuckets()),
		idleMemory:    b.board("idle_session_memory_bytes", "Memory that idle sessions hold with their servers and containers, by client.", "client"),
		servers:       b.board("servers", "MCP servers and gateways by the client they belong to and whether it lives: live, gone or unknown.", "client", "liveness"),
		containers:    b.board("containers", "Containers of MCP servers, and those that a rule names, by what is wrong with them; none is nothing.", "finding"),
		findings:      b.board("findings", "What the last sweep found wrong, by kind of thing, finding, client and what was decided: keep, pending or reap.", "kind", "finding", "client", "decision"),
		underWay:      b.gauge("acts_under_way", "Acts that have begun and not ended: the sweeps go on beside them."),
		pending:       b.gauge("pending", "Things that will be reaped once their finding has held for long enough."),
		zombies:       b.board("zombies", "Dead children that servers, gateways and sessions have not waited for, by client.", "client"),
		respawns:      b.counters("respawns_total", "Servers that were started again within a minute of being reaped, by client.", "client"),
		actions:       b.counters("actions_total", "What was done, by rule, action (terminate or remove) and outcome: exited, killed, already gone, changed, refused, escaped or failed.", "rule", "action", "outcome"),
		vetoes:        b.counters("vetoes_total", "Times that a guard began to keep something which a rule would have reaped.", "guard"),
		reclaimable:   b.gauge("reclaimable_bytes", "Memory held by what is pending or to be reaped, and still runs."),
		reclaimed:     b.counter("reclaimed_bytes_total", "Memory freed by what was reaped."),
		timeToReap:    b.nativeHistogram("time_to_reap_seconds", "Time from an owner first seen gone to the end of what it left behind.", reapBuckets()),
		sourceUp:      b.board("source_up", "1 where a source could be read by the last sweep, 0 where it is absent or did not answer: processes or docker.", "source"),
		eventsUp:      b.board("events_up", "1 where a source reports changes as they happen, 0 where only the schedule finds them.", "source"),
		reloadOK:      b.gauge("policy_last_reload_successful", "1 when the policy that was read last was taken, 0 when it was refused and the one before it holds."),
		reloadTime:    b.gauge("policy_last_reload_success_timestamp_seconds", "When a policy was last taken, as Unix time; 0 before the first."),
		policy:        b.gauges("policy_info", "Always 1, for the policy in effect: where it comes from (built-in, user, system or file) and the hash of its text.", "source", "sha256"),
		pins:          b.gauge("pins", "Pins that hold: things that are kept because somebody said so."),
		paused:        b.gauge("paused", "1 while reaperd is paused and acts on nothing."),
		journalErrors: b.counter("journal_write_errors_total", "Entries that could not be written to the journal."),
		build:         b.gauges("build_info", "Always 1, for what this daemon was built from.", "version", "revision", "goversion"),
	}
}

func sweepBuckets() []float64 {
	return []float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60}
}

func idleBuckets() []float64 {
	const minute, hour, day = 60.0, 3600.0, 86400.0
	return []float64{5 * minute, 15 * minute, 30 * minute, hour, 2 * hour, 4 * hour, 8 * hour, day, 3 * day, 7 * day}
}

func reapBuckets() []float64 {
	return []float64{0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600}
}

// setMode shows the mode in effect. Every mode but enforce counts as report.
func (s *series) setMode(mode policy.Mode) {
	enforce := mode == policy.ModeEnforce
	s.mode.reset()
	s.mode.add(one(enforce), string(policy.ModeEnforce))
	s.mode.add(one(!enforce), string(policy.ModeReport))
}

// board is a gauge with labels. A series that was shown once stays, at 0 while there is nothing to count, so that
// an alert sees it fall.
type board struct {
	vec   *prometheus.GaugeVec
	shown map[string][]string // the label values of each series
}

// reset sets every series to 0.
func (b *board) reset() {
	for _, labels := range b.shown {
		b.vec.WithLabelValues(labels...).Set(0)
	}
}

// show adds a series, at 0 if it is new.
func (b *board) show(labels ...string) {
	b.shown[strings.Join(labels, "\x00")] = labels
	b.vec.WithLabelValues(labels...)
}

// add adds n to a series.
func (b *board) add(n int, labels ...string) {
	b.show(labels...)
	b.vec.WithLabelValues(labels...).Add(float64(n))
}

// spread is a histogram, by client, of present values: it starts again with each sweep. A client that was shown once
// stays.
type spread struct {
	vec   *prometheus.HistogramVec
	shown map[string]bool
}

// reset forgets the values.
func (s *spread) reset() {
	s.vec.Reset()
	for client := range s.shown {
		s.vec.WithLabelValues(client)
	}
}

// show adds a client.
func (s *spread) show(client string) prometheus.Observer {
	s.shown[client] = true
	return s.vec.WithLabelValues(client)
}

// add adds a value, if it is known. The client is shown in any case.
func (s *spread) add(value inventory.Fact[time.Duration], client string) {
	observer := s.show(client)
	if of, known := value.Get(); known {
		observer.Observe(of.Seconds())
	}
}

// builder registers metrics, and lists them for [Describe].
type builder struct {
	registry *prometheus.Registry
	docs     []MetricDoc
}

func (b *builder) document(kind, name, help string, labels []string) prometheus.Opts {
	opts := prometheus.Opts{Namespace: namespace, Name: name, Help: help}
	b.docs = append(b.docs, MetricDoc{Name: namespace + "_" + name, Type: kind, Labels: labels, Help: help})
	return opts
}

func (b *builder) counters(name, help string, labels ...string) *prometheus.CounterVec {
	vec := prometheus.NewCounterVec(prometheus.CounterOpts(b.document("counter", name, help, labels)), labels)
	b.registry.MustRegister(vec)
	return vec
}

func (b *builder) counter(name, help string) prometheus.Counter {
	return b.counters(name, help).WithLabelValues()
}

func (b *builder) gauges(name, help string, labels ...string) *prometheus.GaugeVec {
	vec := prometheus.NewGaugeVec(prometheus.GaugeOpts(b.document("gauge", name, help, labels)), labels)
	b.registry.MustRegister(vec)
	return vec
}

func (b *builder) gauge(name, help string) prometheus.Gauge {
	return b.gauges(name, help).WithLabelValues()
}

func (b *builder) board(name, help string, labels ...string) *board {
	return &board{vec: b.gauges(name, help, labels...), shown: map[string][]string{}}
}

func (b *builder) spread(name, help string, buckets []float64) *spread {
	opts := b.document("histogram", name, help, []string{"client"})
	vec := prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: opts.Namespace, Name: opts.Name, Help: help, Buckets: buckets}, []string{"client"})
	b.registry.MustRegister(vec)
	return &spread{vec: vec, shown: map[string]bool{}}
}

func (b *builder) histogram(name, help string, buckets []float64) prometheus.Histogram {
	return b.observer(prometheus.HistogramOpts{Buckets: buckets}, name, help)
}

// nativeHistogram is a histogram with classic buckets that servers with native
// histograms read as one.
func (b *builder) nativeHistogram(name, help string, buckets []float64) prometheus.Histogram {
	return b.observer(prometheus.HistogramOpts{
		Buckets:                         buckets,
		NativeHistogramBucketFactor:     1.1,
		NativeHistogramMaxBucketNumber:  100,
		NativeHistogramMinResetDuration: time.Hour,
	}, name, help)
}

func (b *builder) observer(opts prometheus.HistogramOpts, name, help string) prometheus.Histogram {
	named := b.document("histogram", name, help, nil)
	opts.Namespace, opts.Name, opts.Help = named.Namespace, named.Name, named.Help
	histogram := prometheus.NewHistogram(opts)
	b.registry.MustRegister(histogram)
	return histogram
}
