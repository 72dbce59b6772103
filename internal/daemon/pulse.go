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
	// silentFor is for how long nothing may be heard of the loop before /healthz
	// calls it dead: three of its longest waits.
	silentFor = 90 * time.Second
	// hangsAfter is for how long nothing may be heard of the loop before the daemon
	// ends itself to be started again. systemd's watchdog is faster; launchd has none.
	hangsAfter = 5 * time.Minute
	// hangLooks is how often it is looked whether the loop hangs.
	hangLooks = 30 * time.Second
	// endWithin is how long the daemon may take to end once it was told: longer than
	// any act that has begun (25 s), and shorter than its service manager waits (30 s).
	endWithin = 28 * time.Second
	// endBackground is how long what runs beside the loop may take to end.
	endBackground = 2 * time.Second
)

// pulse is when the loop, or what waits for its policy, was heard of last.
type pulse struct {
	log  *slog.Logger
	last atomic.Pointer[time.Time]
}

func newPulse(log *slog.Logger) *pulse {
	p := &pulse{log: log}
	p.last.Store(new(time.Now()))
	return p
}

// beat notes that the loop goes on.
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

// notify tells the service manager, where there is one.
func (p *pulse) notify(state string) {
	if _, err := systemd.SdNotify(false, state); err != nil {
		p.log.Debug("notify service manager", "err", err)
	}
}

// aliveEvery is how often the service manager is told that the daemon lives: twice
// within the time after which it would end it (WATCHDOG_USEC).
func aliveEvery() time.Duration {
	within, err := systemd.SdWatchdogEnabled(false)
	if err != nil || within <= 0 {
		return 20 * time.Second
	}
	return within / 2
}

// guard ends the program where it cannot end itself: when it was told to end and
// something hangs in a system call, and when the loop hangs for long. What was
// stopped by an act under way is continued by the next start. The function that it
// returns ends the guard.
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

// watchForHang returns why the program must end, or nothing when it is over. silent
// is for how long nothing was heard of the loop; once may be a program that was
// stopped, and goes on.
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
			return "nothing was heard of the loop for too long: it is ended, to be started again"
		}
	}
}

// outlive waits for the end that was told.
func outlive(over context.Context) (why string) {
	timer := time.NewTimer(endWithin)
	defer timer.Stop()
	select {
	case <-over.Done():
		return ""
	case <-timer.C:
		return "something hangs and does not end: it is left to itself"
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
