package neighbours

import (
	"context"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/state"
)

// Pinned is what a user has pinned.
type Pinned struct {
	state.User
	Pins []state.Pin
	Err  error // why that is not known
}

// Pins are the pins of the other users, as root; of users who have any, or whose pins cannot be read.
func Pins(ctx context.Context, bootID string, now time.Time) []Pinned {
	return inTime(func() []Pinned {
		f := ForScreen()
		return f.pinsOf(f.Users(ctx), bootID, now)
	})
}

func (f *Finder) pinsOf(users []state.User, bootID string, now time.Time) (all []Pinned) {
	for _, user := range users {
		pins, err := f.Pins(user, func() ([]state.Pin, error) { return user.Pins(bootID, now) })
		if len(pins) > 0 || err != nil {
			all = append(all, Pinned{user, pins, err})
		}
	}
	return all
}

// HavePinnedSince reports that another user has pinned or unpinned something since a moment, as root: root's daemon
// knows that from its next look on.
func HavePinnedSince(ctx context.Context, since time.Time) bool {
	return inTime(func() bool {
		f := ForScreen()
		return f.havePinnedSince(f.Users(ctx), since, time.Now())
	})
}

func (f *Finder) havePinnedSince(users []state.User, since, now time.Time) bool {
	return slices.ContainsFunc(users, func(user state.User) bool {
		at, _ := ask(f, user, user.Dir.PinsChanged)
		return at.After(since) && !at.After(now) // a user may give the file any time
	})
}
