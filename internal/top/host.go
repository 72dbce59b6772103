package top

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/human"
)

// Decider is who answers about this host: its daemon, or the command for a pass of its own.
type Decider struct {
	account.Asker
	Close    func()
	IsDaemon bool
}

// Host finds who answers. Several goroutines may call its functions.
type Host struct {
	// Ask is who is asked. Beside a daemon that hangs it is the command, which says so.
	Ask func(ctx context.Context) (Decider, error)
	// Order is who takes orders; an error beside a daemon that hangs.
	Order func(ctx context.Context) (Decider, error)
	// Every is the time between two looks where no daemon tells of its own, and between two questions whether
	// that has changed.
	Every time.Duration
}

// again is the time after which a question is asked anew whose answer broke off.
const again = time.Second

// watch tells of each look until ctx ends. start runs a part of it beside it.
func (h Host) watch(ctx context.Context, start func(part func()), tell func(Seen)) {
	for ctx.Err() == nil {
		d, err := h.Ask(ctx)
		wait := h.Every
		switch {
		case err != nil:
			tell(Seen{Err: err})
		case d.IsDaemon:
			wait = again
			if h.follow(ctx, d, start, tell) {
				wait = 0
			}
		default:
			a, err := d.Account(ctx, true)
			tell(Seen{a, err})
		}
		if d.Close != nil {
			d.Close()
		}
		sleep(ctx, wait)
	}
}

// follow tells of each look of a daemon until it no longer answers; found reports that another decider was found.
func (h Host) follow(ctx context.Context, d Decider, start func(part func()), tell func(Seen)) (found bool) {
	ctx, cancel := context.WithCancel(ctx)
	watched := make(chan bool, 1)
	start(func() {
		defer close(watched)
		defer cancel()
		watched <- h.isReplaced(ctx)
	})
	_ = d.Follow(ctx, func(a *account.Account) { tell(Seen{Account: a}) }) // whoever answers next says why it ended
	cancel()
	return <-watched
}

// isReplaced waits until somebody else answers than a daemon; false if ctx ends first.
func (h Host) isReplaced(ctx context.Context) bool {
	for sleep(ctx, h.Every) {
		d, err := h.Ask(ctx)
		if err != nil {
			return ctx.Err() == nil
		}
		d.Close()
		if !d.IsDaemon {
			return true
		}
	}
	return false
}

// sleep waits; false if ctx ends first.
func sleep(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// do performs an effect. What changes something is followed by a look, which tell hears first.
func (h Host) do(ctx context.Context, effect Effect, tell func(Seen)) (came Came) {
	came.Effect = effect
	asks := h.Order
	if effect.Do == Look || effect.Do == Explain || effect.Do == History {
		asks = h.Ask
	}
	d, err := asks(ctx)
	if err != nil {
		came.Err = err
		return came
	}
	defer d.Close()
	switch now := time.Now(); effect.Do {
	case Explain:
		came.Explanation, came.Err = d.Explain(ctx, effect.Words[0])
		return came
	case History:
		came.History, came.Err = d.History(ctx, account.Period{Since: now.Add(-24 * time.Hour), Now: now})
		return came
	case Plan:
		came.Planned, came.Err = d.Plan(ctx, effect.Order)
		return came
	case Act:
		came.Result, came.Err = d.Act(ctx, effect.Plan)
	case Pin:
		came.Text, came.Err = pinned(ctx, d, effect.Words)
	case Unpin:
		var pins []account.Pin
		pins, came.Err = d.Unpin(ctx, effect.Words)
		came.Text = told("Unpinned", pins)
	case Pause:
		_, came.Err = d.Pause(ctx, now.Add(time.Hour), "")
		came.Text = "Paused for an hour."
	case Resume:
		_, came.Err = d.Resume(ctx)
		came.Text = "Resumed."
	}
	if a, err := d.Account(ctx, true); ctx.Err() == nil {
		tell(Seen{a, err})
	}
	return came
}

// pinned pins one thing after the other. Those behind one that has gone are pinned all the same.
func pinned(ctx context.Context, d Decider, words []string) (string, error) {
	var all []account.Pin
	var failed []error
	for _, word := range words {
		pins, err := d.Pin(ctx, word, time.Time{}, "")
		all, failed = append(all, pins...), append(failed, err)
	}
	return told("Pinned", all), errors.Join(failed...)
}

// told says what was done to some pins: "Pinned fetch 330 and git 371."
func told(done string, pins []account.Pin) string {
	switch {
	case len(pins) == 0:
		return ""
	case len(pins) > 3:
		return fmt.Sprintf("%s %s things.", done, human.Number(len(pins)))
	}
	names := make([]string, 0, len(pins))
	for _, pin := range pins {
		names = append(names, strings.TrimSpace(human.Safe(pin.Called)+" "+human.Handle(pin.Target)))
	}
	return done + " " + human.List(names) + "."
}
