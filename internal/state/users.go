package state

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
)

// User is a user of this host and its state directory.
type User struct {
	UID int
	Dir Dir
}

// Homes reads what users have pinned. A home that does not answer, as on a network
// file system whose server is gone, costs only itself: it is given up on after a
// while, and not asked again before it has answered. The zero value is ready, and
// safe for several goroutines.
type Homes struct {
	mu      sync.Mutex
	reading map[Dir]*homeRead
}

// homeWait is how long a home may take to answer.
const homeWait = time.Second

// errSilent is a home that did not answer in time.
var errSilent = errors.New("its home does not answer")

// homeRead is one reading of a user's pins.
type homeRead struct {
	late chan struct{} // closed when it is given up on
	done chan struct{} // closed when it has answered
	pins []Pin
	err  error
}

// pinsOf are a user's pins. Who asks while they are read gets the same answer.
func (h *Homes) pinsOf(user User, bootID string, now time.Time) ([]Pin, error) {
	read := h.begin(user, bootID, now)
	select {
	case <-read.done:
		return slices.Clone(read.pins), read.err
	case <-read.late:
		return nil, errSilent
	}
}

func (h *Homes) begin(user User, bootID string, now time.Time) *homeRead {
	h.mu.Lock()
	defer h.mu.Unlock()
	if read := h.reading[user.Dir]; read != nil {
		return read
	}
	read := &homeRead{late: make(chan struct{}), done: make(chan struct{})}
	if h.reading == nil {
		h.reading = map[Dir]*homeRead{}
	}
	h.reading[user.Dir] = read
	timer := time.AfterFunc(homeWait, func() { close(read.late) })
	go func() { // it may never end, and is alone then
		read.pins, read.err = user.Dir.pinsOf(user.UID, bootID, now)
		timer.Stop()
		h.mu.Lock()
		delete(h.reading, user.Dir)
		h.mu.Unlock()
		close(read.done)
	}()
	return read
}

// Pinned tells which targets their own users have pinned: a user's pins hold for
// processes of that user, and for the containers of their clients. For a container
// of its own the pin belongs into the daemon's directory. Where a user's pins cannot
// be read, that user's processes are all pinned; the error says so.
func (h *Homes) Pinned(users []User, bootID string, now time.Time) (func(*graph.Target) (string, bool), error) {
	own := map[int]pinned{}
	unread := map[int]error{}
	all := pinned{}
	var problems []error
	for _, user := range users {
		pins, err := h.pinsOf(user, bootID, now)
		if err != nil {
			err = fmt.Errorf("user %d: %w", user.UID, err)
			unread[user.UID] = err
			problems = append(problems, err)
			continue
		}
		pins = processPins(pins)
		own[user.UID] = newPinned(pins)
		for id, pin := range newPinned(pins) {
			all[id] = pin
		}
	}
	return func(t *graph.Target) (string, bool) {
		uid, known := t.UID.Get()
		switch {
		case t.Container != nil:
			return all.client(t)
		case !known:
			return all.target(t)
		case unread[uid] != nil:
			return "what its user has pinned could not be read, so it is kept: " + unread[uid].Error(), true
		}
		return own[uid].target(t)
	}, errors.Join(problems...)
}

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

// client is whether a container's client is pinned.
func (p pinned) client(t *graph.Target) (string, bool) {
	if pin := p[t.Client]; pin != nil && t.Client != "" {
		return pin.Sentence(), true
	}
	return "", false
}
