package daemon

import (
	"context"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/state"
)

// Pause implements [account.Asker].
func (a asker) Pause(ctx context.Context, until time.Time, why string) (account.Pause, error) {
	now := time.Now()
	err := state.CheckReason(why)
	if err != nil {
		return account.Pause{}, human.Misused("", "--reason: %w", err)
	}
	if err = a.state.Admit(a.reader.UID, now); err == nil {
		err = a.dir().Pause(now, state.Pause{Until: until, Reason: why, By: a.reader.UID})
	}
	if err != nil {
		return account.Pause{}, human.Failed("", "%w", err)
	}
	a.log.Info("paused", a.stay(until, why)...)
	_, _ = a.seenAfter(ctx, time.Now()) // so that the next answer shows it; it holds all the same
	return account.Pause{Until: until, User: state.UserName(a.reader.UID), Why: why}, nil
}

// Resume implements [account.Asker]. It returns the pause that has ended; none if there was none.
func (a asker) Resume(ctx context.Context) (account.Pause, error) {
	now := time.Now()
	pause, paused, unread := a.dir().Paused(now)
	if err := a.dir().Resume(); err != nil {
		return account.Pause{}, human.Failed("", "%w", err)
	}
	if !paused && unread == nil {
		return account.Pause{}, nil
	}
	a.log.Info("resumed", a.stay(time.Time{}, "")...)
	_, _ = a.seenAfter(ctx, time.Now())
	return account.Pause{Until: pause.Until, User: state.UserName(pause.By), Why: pause.Reason}, nil
}

// pausedNow is the pause that holds for the reader: that of the decider, or the reader's own.
func (a asker) pausedNow() (text string, paused bool) {
	for _, dir := range []state.Dir{a.state, a.dir()} {
		pause, paused, err := dir.Paused(time.Now())
		switch {
		case err != nil:
			return "whether it is paused cannot be told: " + err.Error(), true
		case paused:
			return pause.Sentence(), true
		}
	}
	return "", false
}
