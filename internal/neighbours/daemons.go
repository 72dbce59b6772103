package neighbours

import (
	"context"
	"os"
	"time"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/patience"
	"github.com/reaperd/reaperd/internal/state"
)

// The limits for a screen: what a home or all of them may take, and how many may hang. A screen
// that leaves out a home which does not answer is as good as one without this package.
const (
	homeWithin = 250 * time.Millisecond
	allWithin  = 2 * time.Second
	mostSilent = 4
)

// Daemons are the daemons of other users that look after servers here. For a user that is root's.
// For root they are those of users, as long as no daemon of root runs: that looks after all, and
// theirs only report beside it.
func Daemons(ctx context.Context) beside.Daemons { return ForScreen().Daemons(ctx) }

// ForScreen makes a finder for one screen that is shown again and again.
func ForScreen() *Finder { return New(homeWithin, mostSilent) }

// Daemons is [Daemons]. Homes that did not answer rest until they are asked again.
func (f *Finder) Daemons(ctx context.Context) beside.Daemons {
	system, runs := state.SystemDaemon()
	switch {
	case os.Geteuid() != 0 && runs:
		return beside.Daemons{{User: "root", PID: system.PID, StateDir: system.StateDir}}
	case os.Geteuid() != 0 || runs:
		return nil
	}
	return inTime(func() beside.Daemons { return f.daemonsOf(f.Users(ctx)) })
}

// inTime is what all homes together answer in time; the zero value if they do not.
func inTime[T any](ask func() T) T {
	all := patience.Asker[string]{Within: allWithin, Most: 1}
	answer, _ := patience.Ask(&all, patience.Question[string]{}, ask)
	return answer
}

// daemonsOf are the daemons of some users.
func (f *Finder) daemonsOf(users []state.User) (daemons beside.Daemons) {
	type reply struct {
		daemon state.Daemon
		runs   bool
	}
	for _, user := range users {
		got, _ := ask(f, user, func() (r reply) {
			r.daemon, r.runs = user.Daemon()
			return r
		})
		if got.runs {
			daemons = append(daemons, beside.Daemon{User: state.UserName(user.UID), UID: user.UID, PID: got.daemon.PID, StateDir: string(user.Dir)})
		}
	}
	return daemons
}
