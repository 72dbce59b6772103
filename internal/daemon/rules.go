package daemon

import (
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
)

// rules are the policy in force and its mode.
type rules struct {
	named   string      // --policies
	mode    policy.Mode // --mode
	log     *slog.Logger
	metrics *serve.Metrics
	// systemRuns reports that a system daemon runs beside this user's, which then
	// only reports.
	systemRuns func() bool

	asRead   string // the fingerprint of the files when they were read last
	governed bool   // a policy without faults was read at least once
	beside   atomic.Bool
	latest   atomic.Pointer[policy.Policy] // read last; the loop takes it between two sweeps
}

func newRules(o Options, metrics *serve.Metrics) *rules {
	r := &rules{named: absolute(o.Policies), mode: o.Mode, log: o.Log, metrics: metrics}
	r.systemRuns = func() bool {
		if o.Mode != "" {
			return false
		}
		_, runs := state.ForeignDaemon()
		return runs
	}
	return r
}

// absolute is the path of a named file as it is for everybody: commands tell of the daemon's
// policy, and name the file, from other folders.
func absolute(named string) string {
	if whole, err := filepath.Abs(named); named != "" && err == nil {
		return whole
	}
	return named
}

// load reads the policy; nil if it has faults, which are logged.
func (r *rules) load() *policy.Policy {
	r.asRead = r.fingerprint()
	p, err := policyfile.Load(r.named)
	if err != nil {
		r.refuse(err)
		return nil
	}
	r.governed = true
	p = r.inMode(p)
	r.latest.Store(p)
	r.metrics.PolicyReloaded(serve.PolicyOf(p, r.originOf(p)), time.Now())
	return p
}

func (r *rules) fingerprint() string {
	return policyfile.Fingerprint(policyfile.Candidates(r.named))
}

// filesChanged reports that the content of the files has changed since they were
// read.
func (r *rules) filesChanged() bool { return r.fingerprint() != r.asRead }

func (r *rules) refuse(err error) {
	texts := policyfile.Texts(err)
	file := policyfile.Chosen(r.named)
	r.metrics.PolicyRefused(texts, file)
	text := "policy refused; the one before holds"
	if !r.governed {
		text = "policy refused, and there is none before it"
	}
	r.log.Error(text, "faults", texts, "hint", policy.CheckCommand(file)+" says when it is mended")
}

// inMode is a policy in the effective mode: the flag's, else the policy's. A user's
// daemon beside a system daemon only reports.
func (r *rules) inMode(p *policy.Policy) *policy.Policy {
	if r.systemRuns() {
		r.beside.Store(true)
		r.log.Warn("root's daemon runs on this host: this one only reports; --mode enforce overrides that")
		return p.WithMode(policy.ModeReport, policy.BesideSystem)
	}
	if r.beside.Swap(false) {
		r.log.Info("root's daemon has ended: this one goes by its policy again")
	}
	return policyfile.InMode(p, r.mode)
}

// isStale reports that a system daemon has started or ended since the policy was
// read.
func (r *rules) isStale() bool { return r.systemRuns() != r.beside.Load() }

// overtaken says why the wishes of a policy no longer count. It is safe for
// concurrent use.
func (r *rules) overtaken(p *policy.Policy) (why string, overtaken bool) {
	switch {
	case r.latest.Load() != p:
		return "another policy holds since", true
	case r.systemRuns():
		return "root's daemon runs since", true
	}
	return "", false
}

// originOf is the kind of place that a policy comes from, for the metrics.
func (r *rules) originOf(p *policy.Policy) serve.Origin {
	switch source := p.Sources[0].Name; {
	case source == policy.Builtin:
		return serve.OriginBuiltin
	case r.named != "":
		return serve.OriginFile
	case source == policyfile.System:
		return serve.OriginSystem
	}
	return serve.OriginUser
}
