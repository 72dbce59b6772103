package neighbours

import (
	"context"
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
