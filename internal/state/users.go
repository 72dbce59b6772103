package state

import (
	"errors"
	"fmt"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/ownfile"
)

// User is a user of this host and its state directory.
type User struct {
	UID int
	Dir Dir
}

// Pins are the user's pins that hold, as [Dir.Pins] has them.
func (u User) Pins(bootID string, now time.Time) ([]Pin, error) {
	return u.Dir.pinsOf(u.UID, bootID, now)
}

// Daemon is the user's daemon: the process that holds the lock of the state directory, by the
// number that the lock's file has. All that is the user's to write, so a process counts only if it
// is one of that user, called as this one.
func (u User) Daemon() (Daemon, bool) {
	terms := ownfile.Terms{Owner: u.UID, Most: maxSignature, Folders: ownfile.ItsFolder}
	if _, err := ownfile.Read(u.Dir.path(daemonLock), terms); err != nil { // what else may be there is not opened
		return Daemon{}, false
	}
	daemon, running, err := u.Dir.Daemon()
	if !running || err != nil || daemon.Standing() == Elsewhere || uidOf(daemon.PID) != u.UID {
		return Daemon{}, false
	}
	return daemon, true
}

// PinnedByUsers tells which targets their own users have pinned: a user's pins
// hold for processes of that user, and for the containers that these run. For
// a container of its own the pin belongs into the daemon's directory. Where a
// user's pins cannot be read, that user's processes are all pinned; the error
// says so. ask calls what reads a user's pins, and gives its answer, or an error
// where none came: a home may be on a file system that never answers.
func PinnedByUsers(users []User, bootID string, now time.Time, ask func(User, func() ([]Pin, error)) ([]Pin, error)) (func(*graph.Target) (graph.Pin, bool), error) {
	all := usersPins{own: map[int]pinned{}, unread: map[int]error{}, any: pinned{}}
	var problems []error
	for _, user := range users {
		pins, err := ask(user, func() ([]Pin, error) { return user.Pins(bootID, now) })
		if err != nil {
			err = fmt.Errorf("user %d: %w", user.UID, err)
			all.unread[user.UID] = err
			problems = append(problems, err)
			continue
		}
		all.add(user.UID, processPins(pins))
	}
	return all.target, errors.Join(problems...)
}

// usersPins are the pins of several users on processes.
type usersPins struct {
	own    map[int]pinned // by user
	unread map[int]error  // by user: why they could not be read
	any    pinned         // of all users
}

func (u usersPins) add(uid int, pins []Pin) {
	u.own[uid] = newPinned(pins)
	for id, pin := range u.own[uid] {
		u.any[id] = pin
	}
}

// target is the pin of a target.
func (u usersPins) target(t *graph.Target) (graph.Pin, bool) {
	uid, known := t.UID.Get()
	switch {
	case t.Container != nil:
		return u.any.runner(t)
	case !known:
		return u.any.target(t)
	case u.unread[uid] != nil:
		return graph.Pin{Why: "what its user has pinned could not be read, so it is kept: " + u.unread[uid].Error()}, true
	}
	return u.own[uid].target(t)
}

// processPins are the pins on processes: one on a container belongs into the daemon's
// directory.
func processPins(pins []Pin) []Pin {
	var of []Pin
	for _, pin := range pins {
		if len(pin.ID) == containerID {
			continue
		}
		of = append(of, pin)
	}
	return of
}

// runner is the pin of a container's runner.
func (p pinned) runner(t *graph.Target) (graph.Pin, bool) {
	if pin := p[t.Runner]; pin != nil && t.Runner != "" {
		return pin.ofTarget(t), true
	}
	return graph.Pin{}, false
}
