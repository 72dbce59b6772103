package pins

import (
	"context"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
)

// Outlook asks the daemon of a state directory what comes of the things whose pins ended at a
// moment, and says that in one line; nothing if no daemon stops any of them.
func Outlook(ctx context.Context, dir state.Dir, ended []state.Pin, at time.Time) []string {
	is, err := serve.Ask(ctx, dir.Socket())
	if err != nil || is.Mode != policy.ModeEnforce || !is.Ready || is.Paused {
		return nil
	}
	return outlook(is, ended, at, time.Now())
}

func outlook(is *serve.State, ended []state.Pin, at, now time.Time) []string {
	begun, wait, next := 0, 0, time.Time{}
	for i := range ended {
		due, goes := dueAfter(is, &ended[i], at)
		switch {
		case !goes:
		case !due.After(now):
			begun++
		case wait == 0 || due.Before(next):
			wait, next = wait+1, due
		default:
			wait++
		}
	}
	switch {
	case begun > 0:
		return []string{"note: the daemon stops " + human.Them(begun, len(ended)) + " now"}
	case wait > 1:
		return []string{"note: the daemon stops the first of them in " + human.Span(next.Sub(now))}
	case wait > 0:
		return []string{"note: the daemon stops " + human.Them(wait, len(ended)) + " in " + human.Span(next.Sub(now))}
	}
	return nil
}

// dueAfter returns when the daemon stops what a pin has kept; zero if it has begun. It returns
// false if the daemon does not.
func dueAfter(is *serve.State, pin *state.Pin, at time.Time) (due time.Time, goes bool) {
	if slices.ContainsFunc(is.UnderWay, func(b serve.Begun) bool { return b.Target == pin.ID }) ||
		slices.ContainsFunc(is.LastActs, func(a serve.Act) bool { return a.Target == pin.ID && a.At.After(at) }) {
		return time.Time{}, true
	}
	i := slices.IndexFunc(is.Pending, func(p serve.Pending) bool { return p.ID == pin.ID && !p.DueAt.IsZero() })
	if i < 0 {
		return time.Time{}, false
	}
	return is.Pending[i].DueAt, true
}
