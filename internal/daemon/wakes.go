package daemon

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/reaperd/reaperd/internal/docker"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/scan"
	"github.com/reaperd/reaperd/internal/state"
)

// wakes start sweeps at once.
type wakes struct {
	triggers chan human.Trigger
	again    chan struct{} // for onExpiry: an order may have set another end
	log      *slog.Logger
	// strangers are the containers of the last look that no report mentions.
	strangers atomic.Pointer[map[string]bool]
}

func newWakes(log *slog.Logger) *wakes {
	return &wakes{triggers: make(chan human.Trigger, 1), again: make(chan struct{}, 1), log: log}
}

// wake starts a sweep. Several wake-ups that wait are as good as one.
func (w *wakes) wake(by human.Trigger) {
	select {
	case w.triggers <- by:
	default:
	}
	select {
	case w.again <- struct{}{}:
	default:
	}
}

// onExits starts a sweep when a session or a gateway has exited.
func (w *wakes) onExits(ctx context.Context, exited <-chan inventory.ID) {
	for {
		select {
		case <-ctx.Done():
			return
		case _, open := <-exited:
			if !open {
				return
			}
			w.wake(human.TriggerExit)
		}
	}
}

// learn notes which containers of a sweep are strangers.
func (w *wakes) learn(verdicts []policy.Verdict) {
	strangers := map[string]bool{}
	for i := range verdicts {
		if v := &verdicts[i]; !v.Reported() {
			strangers[v.Target.ID] = true
		}
	}
	w.strangers.Store(&strangers)
}

// onEngines starts a sweep when a container was created, started or exited, unless it
// was a stranger at the last look: some strangers' health checks run every few
// seconds.
func (w *wakes) onEngines(events <-chan docker.Event) {
	for event := range events {
		if strangers := w.strangers.Load(); strangers != nil && (*strangers)[event.ID] {
			continue
		}
		w.log.Debug("engine", "action", event.Action, "container", event.ID)
		w.wake(human.TriggerDocker)
	}
}

// onExpiry starts a sweep when a pin or a pause ends. The sweep that an
// order starts has it look again for the next end; what was written without an order is noticed by the next check.
func (w *wakes) onExpiry(ctx context.Context, dir state.Dir) {
	for {
		next, wait := dir.Ends(scan.BootID(), time.Now()), handLooks
		if !next.IsZero() {
			wait = min(wait, time.Until(next)+time.Millisecond)
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-w.again:
			timer.Stop()
		case <-timer.C:
		}
		if !next.IsZero() && !time.Now().Before(next) {
			w.wake(human.TriggerSignal)
		}
	}
}

// handLooks is how often it is asked when the next pin or pause ends.
const handLooks = 10 * time.Second
