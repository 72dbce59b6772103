package daemon

import (
	"context"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/reaperd/reaperd/internal/docker"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/state"
)

// wakes start sweeps at once.
type wakes struct {
	triggers chan human.Trigger
	log      *slog.Logger
	timer    *time.Timer // for the next end of a pin or a pause; nil before the first. The loop's alone
	// strangers are the containers of the last look that no report mentions.
	strangers atomic.Pointer[map[string]bool]
}

func newWakes(log *slog.Logger) *wakes {
	return &wakes{triggers: make(chan human.Trigger, 1), log: log}
}

// wake starts a sweep. Several wake-ups that wait are as good as one.
func (w *wakes) wake(by human.Trigger) {
	select {
	case w.triggers <- by:
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

// onEnd starts a sweep when the next pin or pause ends, in place of the end that was known before.
func (w *wakes) onEnd(wishes []state.Wishes, now time.Time) {
	if w.timer != nil {
		w.timer.Stop()
	}
	if end := nextEnd(wishes, now); !end.IsZero() {
		w.timer = time.AfterFunc(end.Sub(now)+time.Millisecond, func() { w.wake(human.TriggerSignal) })
	}
}

// nextEnd is when the next pin or pause ends, of whomever; zero is never.
func nextEnd(wishes []state.Wishes, now time.Time) (next time.Time) {
	var ends []time.Time
	for _, w := range wishes {
		ends = append(ends, w.Pause.Until)
		for _, pin := range w.Pins {
			ends = append(ends, pin.Until)
		}
	}
	ends = slices.DeleteFunc(ends, func(at time.Time) bool { return !at.After(now) })
	if len(ends) == 0 {
		return time.Time{}
	}
	return slices.MinFunc(ends, time.Time.Compare)
}
