package main

import (
	"context"
	"os"
	"time"
)

// endWithin is how long the daemon may take to end once it was told: longer than
// any act that has begun (25 s), and shorter than its service manager waits (30 s).
const endWithin = 28 * time.Second

// endBackground is how long what runs beside the loop may take to end.
const endBackground = 2 * time.Second

// hangsAfter is for how long nothing may be heard of the loop before the daemon ends
// itself to be started again. systemd's watchdog is faster; launchd has none.
const hangsAfter = 5 * time.Minute

// hangLooks is how often it is looked whether the loop hangs.
const hangLooks = 30 * time.Second

// guard ends the program where it cannot end itself: when it was told to end and
// something hangs in a system call, and when the loop hangs for long. What was
// stopped by an act under way is continued by the next start. The function that it
// returns ends the guard.
func (d *daemon) guard(ctx context.Context) (done func()) {
	over, cancel := context.WithCancel(context.Background())
	go func() {
		if stuck := watchForHang(ctx, over, func() time.Duration { return time.Since(*d.beaten.Load()) }); stuck != "" {
			d.log.Error(stuck)
			os.Exit(exitFailed)
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
