package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	systemd "github.com/coreos/go-systemd/v22/daemon"

	"github.com/reaperd/reaperd/internal/human"
)

const (
	// silentFor is how long the loop may be silent before /healthz calls it dead:
	// three of its longest waits.
	silentFor = 90 * time.Second
	// hangsAfter is how long the loop may be silent before the daemon ends itself to
	// be restarted. systemd's watchdog is faster; launchd has none.
	hangsAfter = 5 * time.Minute
	// hangLooks is how often that is checked.
	hangLooks = 30 * time.Second
	// endWithin is how long the daemon may take to end: longer than any running act
	// (25 s), and shorter than service managers wait (30 s).
	endWithin = 28 * time.Second
	// endBackground is how long the goroutines beside the loop may take to end.
	endBackground = 2 * time.Second
)

// pulse is the time of the last sign of life: of the loop or, before it runs, of the
// wait for a policy.
type pulse struct {
	log  *slog.Logger
	last atomic.Pointer[time.Time]
}

func newPulse(log *slog.Logger) *pulse {
	p := &pulse{log: log}
	p.last.Store(new(time.Now()))
	return p
}

// beat notes a sign of life.
func (p *pulse) beat() {
	p.last.Store(new(time.Now()))
	p.notify(systemd.SdNotifyWatchdog)
}

func (p *pulse) silent() time.Duration { return time.Since(*p.last.Load()) }

// alive answers /healthz.
func (p *pulse) alive() (ok bool, why string) {
	if silent := p.silent(); silent > silentFor {
		return false, fmt.Sprintf("nothing was heard of the loop for %s: a look at the host hangs", human.Span(silent))
	}
	return true, ""
}

// notify tells the service manager, if there is one.
func (p *pulse) notify(state string) {
	if _, err := systemd.SdNotify(false, state); err != nil {
		p.log.Debug("notify service manager", "err", err)
	}
}

// aliveEvery is how often the service manager must hear that the daemon lives: twice
// within WATCHDOG_USEC, after which it would kill the daemon.
func aliveEvery() time.Duration {
	within, err := systemd.SdWatchdogEnabled(false)
	if err != nil || within <= 0 {
		return 20 * time.Second
	}
	return within / 2
}

// guard ends the program if it cannot end by itself: if it was told to end and a
// system call hangs, or if the loop hangs for long. Processes that an act has stopped
// are continued by the next start. done ends the guard.
func (p *pulse) guard(ctx context.Context) (done func()) {
	over, cancel := context.WithCancel(context.Background())
	go func() {
		if stuck := watchForHang(ctx, over, p.silent); stuck != "" {
			p.log.Error(stuck)
			os.Exit(1)
		}
	}()
	return cancel
}

// watchForHang returns why the program must end, or "" when over has ended. silent is
// how long the loop has been silent. One long silence is allowed: the program itself
// may have been stopped.
func watchForHang(told, over context.Context, silent func() time.Duration) (why string) {
	tick := time.NewTicker(hangLooks)
	defer tick.Stop()
	for hung := false; ; {
		select {
		case <-over.Done():
			return ""
		case <-told.Done():
			return outlive(over)
		case <-tick.C:
		}
		before := hung
		if hung = silent() > hangsAfter; hung && before {
			return "the loop hangs: the daemon exits, to be started again"
		}
	}
}

// outlive waits for endWithin, after the program was told to end. It returns "" if that ended in time, else why
// it must exit.
func outlive(over context.Context) (why string) {
	timer := time.NewTimer(endWithin)
	defer timer.Stop()
	select {
	case <-over.Done():
		return ""
	case <-timer.C:
		return "something hangs: the daemon exits without waiting for it"
	}
}

// waitAtMost calls wait and returns when wait does, or after limit.
func waitAtMost(limit time.Duration, wait func()) {
	done := make(chan struct{})
	go func() {
		wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(limit):
	}
}
