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

// Wishes are what one user has asked of a directory's daemon.
type Wishes struct {
	UID    int
	Pins   []Pin // that hold
	Paused bool
	Pause  Pause // if it holds
	// PinsErr and PauseErr are why it is not known.
	PinsErr, PauseErr error
}

// Wishes are those of everybody, the first of them this directory's own. With an error, they are not all.
func (d Dir) Wishes(bootID string, now time.Time) ([]Wishes, error) {
	users, err := d.Users()
	all := make([]Wishes, 0, 1+len(users))
	for _, uid := range append([]int{os.Geteuid()}, users...) {
		w := Wishes{UID: uid}
		w.Pins, w.PinsErr = d.Of(uid).Pins(bootID, now)
		w.Pause, w.Paused, w.PauseErr = d.Of(uid).Paused(now)
		all = append(all, w)
	}
	return all, err
}

// Admit refuses a user for whom there is no room any more. Those of whom nothing holds make room.
func (d Dir) Admit(uid int, now time.Time) error {
	users, err := d.Users()
	if err != nil || len(users) < mostUsers || d.Of(uid) == d || slices.Contains(users, uid) {
		return err
	}
	all, err := d.Wishes("", now)
	left := slices.DeleteFunc(all[1:], func(w Wishes) bool {
		isEmpty := len(w.Pins) == 0 && !w.Paused && w.PinsErr == nil && w.PauseErr == nil
		return isEmpty && os.RemoveAll(string(d.Of(w.UID))) == nil
	})
	if err == nil && len(left) >= mostUsers {
		return fmt.Errorf("%d users have something pinned or paused, and there is room for no more", len(left))
	}
	return err
}

// wishes are those of another user, for asking about targets.
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
	all, err := d.Wishes(bootID, now)
	if err = errors.Join(all[0].PinsErr, err); err != nil {
		return func(*graph.Target) (graph.Pin, bool) {
			return graph.Pin{Why: "what is pinned could not be read, so everything is kept: " + err.Error()}, true
		}, err
	}
	mine, theirs := newPinned(all[0].Pins), make([]wishes, 0, len(all))
	for _, w := range all[1:] {
		theirs = append(theirs, wishesOf(w))
		err = errors.Join(err, w.PinsErr, w.PauseErr)
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

func wishesOf(w Wishes) wishes {
	of := wishes{uid: w.UID, pins: newPinned(w.Pins)}
	switch err := errors.Join(w.PinsErr, w.PauseErr); {
	case err != nil:
		of.all = "what its user has asked for could not be read, so it is kept: " + err.Error()
	case w.Paused:
		of.all = sentence("paused by "+UserName(w.UID), w.Pause.Until, w.Pause.Reason)
	}
	return of
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
