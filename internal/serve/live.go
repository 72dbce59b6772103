package serve

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Times and numbers of those who are told of each look.
const (
	// maxListeners is how many may listen, and maxOfOne how many of one user. One more displaces
	// the one that has listened longest.
	maxListeners = 64
	maxOfOne     = 8
	// beatEvery is how often something is sent if nothing happens, so that a dead
	// connection is noticed.
	beatEvery = 15 * time.Second
	// sendWithin is how long a listener may take to receive a line. A slower one is
	// dropped.
	sendWithin = 5 * time.Second
)

// audience are the listeners for looks. They learn only that there was a look, so a
// slow one costs nothing: several missed looks are the same as one. The zero value
// has no listeners.
type audience struct {
	mu        sync.Mutex
	listeners []*listener // the one that has listened longest in front
}

// listener gets a value on news for each look, and is dropped by closing it.
type listener struct {
	news chan struct{}
	uid  int
}

func (a *audience) join(uid int) *listener {
	a.mu.Lock()
	defer a.mu.Unlock()
	own := 0
	for _, l := range a.listeners {
		if l.uid == uid {
			own++
		}
	}
	if len(a.listeners) >= maxListeners || own >= maxOfOne {
		at := max(0, slices.IndexFunc(a.listeners, func(l *listener) bool { return own < maxOfOne || l.uid == uid }))
		close(a.listeners[at].news)
		a.listeners = slices.Delete(a.listeners, at, at+1)
	}
	l := &listener{news: make(chan struct{}, 1), uid: uid}
	a.listeners = append(a.listeners, l)
	return l
}

// leave undoes join. A listener that was dropped may leave too.
func (a *audience) leave(l *listener) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.listeners = slices.DeleteFunc(a.listeners, func(other *listener) bool { return other == l })
}

func (a *audience) tell() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, l := range a.listeners {
		select {
		case l.news <- struct{}{}:
		default: // it has not heard of the look before yet
		}
	}
}

// dismiss drops every listener.
func (a *audience) dismiss() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, l := range a.listeners {
		close(l.news)
	}
	a.listeners = nil
}

// send writes one line of a stream.
func send(w http.ResponseWriter, event string) error {
	control := http.NewResponseController(w)
	_ = control.SetWriteDeadline(time.Now().Add(sendWithin))
	if _, err := fmt.Fprint(w, event); err != nil {
		return err
	}
	return control.Flush()
}
