// Package neighbours finds what other users of this host have set up for themselves: their
// daemons and pins. Only root sees those of users; a user sees the daemon of root.
//
// Homes are their users' to fill, and may be on a file system that never answers. So the files in
// them are read on the terms of [state.User], and each home is asked with patience. What comes of
// it is text: a user can have root's name a daemon of that user, and no more.
package neighbours

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/reaperd/reaperd/internal/discover"
	"github.com/reaperd/reaperd/internal/patience"
	"github.com/reaperd/reaperd/internal/state"
)

// Finder asks the homes of the other users. Several goroutines may use it.
type Finder struct {
	users *discover.Users
	asker patience.Asker[state.Dir]
}

// rest is for how long a home that does not answer is left alone.
const rest = time.Minute

// New makes a finder that gives each home that time to answer, and leaves that many to hang.
func New(within time.Duration, most int) *Finder {
	return &Finder{users: discover.NewUsers(), asker: patience.Asker[state.Dir]{Within: within, Most: most, Rest: rest}}
}

// Users are the other users of this host with a place for a state directory, as root; else nobody.
// One whose home does not answer is among them.
func (f *Finder) Users(ctx context.Context) []state.User {
	if os.Geteuid() != 0 {
		return nil
	}
	homes, err := f.users.Homes(ctx)
	if err != nil {
		return nil
	}
	var users []state.User
	for _, home := range homes {
		if home.UID != 0 {
			users = append(users, state.User{UID: home.UID, Dir: state.UserDir(home.Dir)})
		}
	}
	return f.withState(users)
}

// withState drops the users without a home, and those in whose home no program keeps a state.
func (f *Finder) withState(users []state.User) []state.User {
	questions, without := make([]patience.Question[state.Dir], len(users)), map[state.Dir]bool{}
	for i, user := range users {
		questions[i].Of = user.Dir
	}
	patience.Each(&f.asker, questions, func(i int) bool {
		_, err := os.Stat(filepath.Dir(string(questions[i].Of)))
		return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
	}, func(i int, missing bool) { without[questions[i].Of] = missing })
	return slices.DeleteFunc(users, func(user state.User) bool { return without[user.Dir] })
}

// Pins asks for a user's pins with what reads them, unless the user's home does not answer.
func (f *Finder) Pins(user state.User, read func() ([]state.Pin, error)) ([]state.Pin, error) {
	type reply struct {
		pins []state.Pin
		err  error
	}
	got, answered := ask(f, user, func() (r reply) {
		r.pins, r.err = read()
		return r
	})
	if !answered {
		return nil, fmt.Errorf("read pins in %s: its file system does not answer", user.Dir)
	}
	return got.pins, got.err
}

func ask[T any](f *Finder, user state.User, do func() T) (answer T, answered bool) {
	return patience.Ask(&f.asker, patience.Question[state.Dir]{Of: user.Dir}, do)
}
