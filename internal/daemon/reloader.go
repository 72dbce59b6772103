package daemon

import (
	"context"
	"fmt"
	"os"

	systemd "github.com/coreos/go-systemd/v22/daemon"
	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/trigger"
)

// reloader reads the policy again: on SIGHUP, when a file that it may come from
// says something else, and when it is asked to.
type reloader struct {
	rules   policies
	hangups <-chan os.Signal
	recheck chan struct{}
	// loaded has every policy that was read, until somebody takes it.
	loaded chan *policy.Policy

	tell func(state string)    // the service manager
	wake func(trigger.Trigger) // a hangup sweeps at once
}

// policies are what can be read again; [rules] are the real ones.
type policies interface {
	load() *policy.Policy // nil: refused
	filesChanged() bool
}

func newReloader(rules policies, hangups <-chan os.Signal) *reloader {
	return &reloader{rules: rules, hangups: hangups, recheck: make(chan struct{}, 1), loaded: make(chan *policy.Policy)}
}

// again has the policy read again, for another reason than its file.
func (r *reloader) again() {
	select {
	case r.recheck <- struct{}{}:
	default: // it will be
	}
}

// run reads the policy again until ctx ends.
func (r *reloader) run(ctx context.Context, changes <-chan struct{}) {
	if r.rules.filesChanged() { // since they were read first
		r.reload(ctx)
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.hangups:
			r.reload(ctx)
			r.wake(trigger.Signal)
		case <-r.recheck:
			r.reload(ctx)
		case <-changes:
			if r.rules.filesChanged() {
				r.reload(ctx)
			}
		}
	}
}

func (r *reloader) reload(ctx context.Context) {
	r.tell(systemd.SdNotifyReloading + "\n" + monotonic())
	defer r.tell(systemd.SdNotifyReady)
	p := r.rules.load()
	if p == nil {
		return
	}
	select {
	case r.loaded <- p:
	case <-ctx.Done():
	}
}

// monotonic is what systemd wants beside RELOADING=1: CLOCK_MONOTONIC in µs.
func monotonic() string {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return ""
	}
	return fmt.Sprintf("MONOTONIC_USEC=%d", now.Nano()/1000)
}
