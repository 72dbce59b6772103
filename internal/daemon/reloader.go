package daemon

import (
	"context"
	"fmt"
	"os"

	systemd "github.com/coreos/go-systemd/v22/daemon"
	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
)

// reloader reads the policy again: on SIGHUP, when the content of a file that it may
// come from changes.
type reloader struct {
	rules   policies
	hangups <-chan os.Signal
	// loaded holds the policy that was read last, until somebody takes it.
	loaded chan *policy.Policy

	tell func(state string)  // the service manager
	wake func(human.Trigger) // a hangup sweeps at once
}

// policies is the policy to read again: [rules], or a test's.
type policies interface {
	load() *policy.Policy // nil: refused
	filesChanged() bool
}

func newReloader(rules policies, hangups <-chan os.Signal) *reloader {
	return &reloader{rules: rules, hangups: hangups, loaded: make(chan *policy.Policy)}
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
			r.wake(human.TriggerSignal)
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
