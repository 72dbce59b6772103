package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
)

// usersFolder has what other users have asked of this directory's daemon, a folder for each by
// its number. Each holds pins and a pause of the form of this directory's own, written by the
// daemon: nobody else reads or writes there.
const usersFolder = "users"

// mostUsers limits how many other users may have something there.
const mostUsers = 1000

// Of is where what a user asks of this directory's daemon is kept.
func (d Dir) Of(uid int) Dir {
	if uid == os.Geteuid() {
		return d
	}
	return Dir(d.path(filepath.Join(usersFolder, strconv.Itoa(uid))))
}

// Users are the other users who have asked this directory's daemon for something.
func (d Dir) Users() ([]int, error) {
	folders, err := os.ReadDir(d.path(usersFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read what users have pinned: %w", err)
	}
	var users []int
	for _, folder := range folders {
		if uid, err := strconv.Atoi(folder.Name()); err == nil {
			users = append(users, uid)
		}
	}
	return users, nil
}

// Admit refuses a user for whom there is no room any more. Those of whom nothing holds make room.
func (d Dir) Admit(uid int, now time.Time) error {
	users, err := d.Users()
	if err != nil || len(users) < mostUsers || d.Of(uid) == d || slices.Contains(users, uid) {
		return err
	}
	left := slices.DeleteFunc(users, func(other int) bool {
		pins, unread := d.Of(other).Pins("", now)
		_, paused, unknown := d.Of(other).Paused(now)
		isEmpty := len(pins) == 0 && !paused && unread == nil && unknown == nil
		return isEmpty && os.RemoveAll(string(d.Of(other))) == nil
	})
	if len(left) >= mostUsers {
		return fmt.Errorf("%d users have something pinned or paused, and there is room for no more", len(left))
	}
	return nil
}

// wishes are what one user has asked for.
type wishes struct {
	uid  int
	pins pinned
	all  string // why everything of that user's is kept: a pause, or wishes that cannot be read; else empty
}

// Pinned returns a function that returns the pin of a target of that boot. What a user has pinned
// holds for processes of that user, and for the containers that were pinned. While a user pauses,
// or what a user has asked for cannot be read, everything of that user's is pinned; of the latter
// the error tells. If the directory's own pins are not known, everything is.
func (d Dir) Pinned(bootID string, now time.Time) (func(*graph.Target) (graph.Pin, bool), error) {
	own, err := d.Pins(bootID, now)
	users, unknown := d.Users()
	if err = errors.Join(err, unknown); err != nil {
		return func(*graph.Target) (graph.Pin, bool) {
			return graph.Pin{Why: "what is pinned could not be read, so everything is kept: " + err.Error()}, true
		}, err
	}
	mine, theirs := newPinned(own), make([]wishes, len(users))
	for i, uid := range users {
		var problem error
		theirs[i], problem = d.wishesOf(uid, bootID, now)
		err = errors.Join(err, problem)
	}
	return func(t *graph.Target) (graph.Pin, bool) {
		if pin, pinned := mine.target(t); pinned {
			return pin, true
		}
		for i := range theirs {
			if pin, pinned := theirs[i].target(t); pinned {
				return pin, true
			}
		}
		return graph.Pin{}, false
	}, err
}

func (d Dir) wishesOf(uid int, bootID string, now time.Time) (wishes, error) {
	pins, err := d.Of(uid).Pins(bootID, now)
	pause, paused, unknown := d.Of(uid).Paused(now)
	w := wishes{uid: uid, pins: newPinned(pins)}
	switch err = errors.Join(err, unknown); {
	case err != nil:
		w.all = "what its user has asked for could not be read, so it is kept: " + err.Error()
	case paused:
		w.all = sentence("paused by "+UserName(uid), pause.Until, pause.Reason)
	}
	return w, err
}

func (w *wishes) target(t *graph.Target) (graph.Pin, bool) {
	if uid, known := t.UID.Get(); t.Container == nil && known && uid != w.uid {
		return graph.Pin{}, false
	}
	if pin, pinned := w.pins.target(t); pinned {
		return pin, true
	}
	if w.all == "" || t.Container != nil {
		return graph.Pin{}, false
	}
	return graph.Pin{Why: w.all}, true
}

// Ends is when the next pin or pause ends, of whomever; zero is never, or not known.
func (d Dir) Ends(bootID string, now time.Time) (next time.Time) {
	users, _ := d.Users()
	sooner := func(until time.Time) {
		if until.After(now) && (next.IsZero() || until.Before(next)) {
			next = until
		}
	}
	for _, uid := range append(users, os.Geteuid()) {
		if pause, paused, err := d.Of(uid).Paused(now); err == nil && paused {
			sooner(pause.Until)
		}
		pins, _ := d.Of(uid).Pins(bootID, now)
		for _, pin := range pins {
			sooner(pin.Until)
		}
	}
	return next
}
