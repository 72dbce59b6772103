package serve

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
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
	// sendWithin is how long a listener may take to receive an event. A slower one is
	// dropped.
	sendWithin = 5 * time.Second
	// listenFor is how long one connection is kept. A browser reconnects by itself.
	listenFor = time.Hour
)

// audience are the listeners for looks. They learn only that there was a look, so a
// slow one costs nothing: several missed looks are the same as one. The zero value
// has no listeners.
type audience struct {
	mu        sync.Mutex
	listeners []*listener // the one that has listened longest in front
	looks     int64       // the number of the last look
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
	a.looks++
	for _, l := range a.listeners {
		select {
		case l.news <- struct{}{}:
		default: // it has not heard of the look before yet
		}
	}
}

// look is the number of the last look, as text. A page that shows this look has nothing
// to ask for.
func (a *audience) look() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return strconv.FormatInt(a.looks, 10)
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

// live sends an event at once and after each look, until the listener hangs up, is
// too slow, or is dropped.
func (s *Server) live(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	if r.Method == http.MethodHead {
		return
	}
	audience := &s.options.Metrics.audience
	l := audience.join(callerOf(r).UID)
	defer audience.leave(l)
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // that of the request; its end would end the stream
	beat, over := time.NewTicker(beatEvery), time.NewTimer(listenFor)
	defer beat.Stop()
	defer over.Stop()
	for event := lookEvent(audience.look()); send(w, event) == nil; {
		select {
		case _, heard := <-l.news:
			if !heard {
				return
			}
			event = lookEvent(audience.look())
		case <-beat.C:
			event = beatEvent
		case <-over.C:
			return
		case <-r.Context().Done():
			return
		}
	}
}

// beatEvent is a comment, which browsers skip.
const beatEvent = ":\n\n"

// lookEvent is the event of a look.
func lookEvent(number string) string { return "event: look\ndata: " + number + "\n\n" }

// send writes one event of a stream.
func send(w http.ResponseWriter, event string) error {
	control := http.NewResponseController(w)
	_ = control.SetWriteDeadline(time.Now().Add(sendWithin))
	if _, err := fmt.Fprint(w, event); err != nil {
		return err
	}
	return control.Flush()
}
