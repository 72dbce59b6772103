package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	systemd "github.com/coreos/go-systemd/v22/daemon"
	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/serve"
)

// rules are the policy in force and its mode. They are read again on SIGHUP, and when the content of a file
// changes that they may come from.
type rules struct {
	named   string      // --policies
	mode    policy.Mode // --mode
	log     *slog.Logger
	metrics *serve.Metrics
	// loaded holds the policy that was read again, until somebody takes it.
	loaded chan *policy.Policy
	notify func(state string)  // the service manager
	wake   func(human.Trigger) // a sweep, at once

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
	return &rules{named: absolute(o.Policies), mode: o.Mode, log: o.Log, metrics: metrics, loaded: make(chan *policy.Policy)}
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

// filesEvery is how often the files are compared with what was read of them.
const filesEvery = time.Second

// watch reads the policy again until ctx ends. A file that was changed is read once two comparisons agree:
// editors write in several steps, and half a policy protects less.
func (r *rules) watch(ctx context.Context, hangups <-chan os.Signal) {
	tick := time.NewTicker(filesEvery)
	defer tick.Stop()
	for before := r.asRead; ; {
		select {
		case <-ctx.Done():
			return
		case <-hangups:
			r.reload(ctx)
			r.wake(human.TriggerSignal)
		case <-tick.C:
			now := r.fingerprint()
			if now == before && now != r.asRead {
				r.reload(ctx)
			}
			before = now
		}
	}
}

func (r *rules) reload(ctx context.Context) {
	r.notify(systemd.SdNotifyReloading + "\n" + monotonic())
	defer r.notify(systemd.SdNotifyReady)
	p := r.load()
	if p == nil {
		r.wake(human.TriggerSignal) // so that the next look tells it
		return
	}
	select {
	case r.loaded <- p:
	case <-ctx.Done():
	}
}

// monotonic is CLOCK_MONOTONIC in µs, which systemd expects beside RELOADING=1.
func monotonic() string {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return ""
	}
	return fmt.Sprintf("MONOTONIC_USEC=%d", now.Nano()/1000)
}

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
