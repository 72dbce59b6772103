package daemon

import (
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/serve"
)

// rules are the policy in force and its mode.
type rules struct {
	named   string      // --policies
	mode    policy.Mode // --mode
	log     *slog.Logger
	metrics *serve.Metrics

	asRead   string                        // the fingerprint of the files when they were read last
	governed bool                          // a policy without faults was read at least once
	latest   atomic.Pointer[policy.Policy] // read last; the loop takes it between two sweeps
	readAt   atomic.Pointer[time.Time]     // when that was; nil before
	fault    atomic.Pointer[refusal]       // of the file that was read last; nil if it has none
}

// refusal is why the policy's file that was read last holds nothing.
type refusal struct {
	err  error
	file string
	at   time.Time
}

func newRules(o Options, metrics *serve.Metrics) *rules {
	return &rules{named: absolute(o.Policies), mode: o.Mode, log: o.Log, metrics: metrics}
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
	r.fault.Store(nil)
	now := time.Now()
	r.readAt.Store(&now)
	p = policyfile.InMode(p, r.mode)
	r.latest.Store(p)
	r.metrics.PolicyReloaded(p, r.originOf(p), now)
	return p
}

func (r *rules) fingerprint() string {
	return policyfile.Fingerprint(policyfile.Candidates(r.named))
}

// filesChanged reports that the content of the files has changed since they were
// read.
func (r *rules) filesChanged() bool { return r.fingerprint() != r.asRead }

func (r *rules) refuse(err error) {
	texts, file := policyfile.Texts(err), policyfile.Chosen(r.named)
	r.fault.Store(&refusal{err, file, time.Now()})
	r.metrics.PolicyRefused(texts)
	text := "policy refused; the one before holds"
	if !r.governed {
		text = "policy refused, and there is none before it"
	}
	r.log.Error(text, "faults", texts, "hint", policy.CheckCommand(file)+" says when it is mended")
}

// refused is the error of the policy's file that was read last; nil if it has none.
func (r *rules) refused() error {
	if fault := r.fault.Load(); fault != nil {
		return fault.err
	}
	return nil
}

// tell adds to what a daemon says of itself when it has read its policy, and what it has refused.
func (r *rules) tell(of *account.Daemon) {
	if at := r.readAt.Load(); at != nil {
		of.PolicyReadAt = *at
	}
	if fault := r.fault.Load(); fault != nil {
		of.PolicyFaults, of.RefusedFile, of.RefusedAt = policyfile.Texts(fault.err), fault.file, fault.at
	}
}

// overtaken says why the wishes of a policy no longer count. It is safe for
// concurrent use.
func (r *rules) overtaken(p *policy.Policy) (why string, overtaken bool) {
	return "another policy holds since", r.latest.Load() != p
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
