package daemon

import (
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/sweep"
	"github.com/reaperd/reaperd/internal/word"
)

// wishes are what people have asked for by hand, at one moment.
type wishes struct {
	at     time.Time
	pause  state.Pause
	paused bool
	pins   map[string]state.Pin // by id; nil if they are not known
}

// wishesIn reads the wishes of a state directory. What cannot be read is left out; reports
// have notes about that.
func wishesIn(dir state.Dir, boot string, now time.Time) wishes {
	w := wishes{at: now}
	if pause, paused, err := dir.Paused(now); err == nil && paused {
		w.pause, w.paused = pause, true
	}
	if boot == "" {
		return w
	}
	if pins, err := dir.Pins(boot, now); err == nil {
		w.pins = make(map[string]state.Pin, len(pins))
		for _, pin := range pins {
			w.pins[pin.ID] = pin
		}
	}
	return w
}

// bootOf is the boot that a round looked at; empty if it saw nothing.
func bootOf(round sweep.Round) string {
	if g := round.View.Graph; g != nil && g.Snapshot != nil {
		return g.Snapshot.Host.BootID
	}
	return ""
}

// hands logs pauses and pins, each when it begins and when it ends. It remembers what it
// has logged.
type hands struct {
	log    *slog.Logger
	before wishes
}

// tell takes the wishes at a sweep, and the daemon's mode.
func (h *hands) tell(now wishes, mode policy.Mode) {
	h.tellPause(now, mode)
	if now.pins != nil {
		if h.before.pins != nil { // else the daemon has just started: those pins are old
			h.tellPins(now)
		}
		h.before.pins = now.pins
	}
	h.before.pause, h.before.paused = now.pause, now.paused
}

func (h *hands) tellPause(now wishes, mode policy.Mode) {
	before := h.before
	switch {
	case now.paused && (!before.paused || !now.pause.At.Equal(before.pause.At)):
		h.log.Info("paused", aboutStay(now.pause.Until, now.pause.Reason, now.pause.By)...)
	case before.paused && !now.paused && isOver(before.pause.Until, now.at):
		h.log.Info("the pause is over", "mode", mode)
	case before.paused && !now.paused:
		h.log.Info("resumed", "mode", mode)
	}
}

func (h *hands) tellPins(now wishes) {
	for _, id := range slices.Sorted(maps.Keys(now.pins)) {
		pin := now.pins[id]
		if old, was := h.before.pins[id]; !was || !old.At.Equal(pin.At) {
			h.log.Info("pinned", append(aboutPin(pin), aboutStay(pin.Until, pin.Reason, pin.By)...)...)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(h.before.pins)) {
		pin := h.before.pins[id]
		switch _, still := now.pins[id]; {
		case still:
		case isOver(pin.Until, now.at):
			h.log.Info("the pin is over", aboutPin(pin)...)
		default:
			h.log.Info("unpinned", aboutPin(pin)...)
		}
	}
}

// aboutStay are the attributes of how long a pause or a pin lasts, why, and whose it is. One
// without an end has none in the log.
func aboutStay(until time.Time, reason string, by int) []any {
	about := []any{"by_uid", by}
	if reason != "" {
		about = append(about, "reason", reason)
	}
	if !until.IsZero() {
		about = append(about, "until", until)
	}
	return about
}

func aboutPin(pin state.Pin) []any {
	return aboutThing(pin.Name, word.Thing{ID: pin.ID, Container: pin.Container})
}

// aboutThing are the attributes that name a thing in the log.
func aboutThing(name string, thing word.Thing) []any {
	about := []any{"name", name, "target", thing.ID}
	if thing.Container != "" {
		about = append(about, "container", thing.Handle())
	}
	return about
}

func isOver(until, now time.Time) bool { return !until.IsZero() && !now.Before(until) }
