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
	// maxListeners is how many listen at most. One more takes the place of the one
	// that has listened longest.
	maxListeners = 16
	// beatEvery is how often something is sent where nothing happens, so that a
	// connection whose other end is gone is noticed.
	beatEvery = 15 * time.Second
	// sendWithin is how long a listener has to take what is sent. One that is slower
	// is dropped.
	sendWithin = 5 * time.Second
	// listenFor is how long one connection is kept. A browser comes back by itself.
	listenFor = time.Hour
)

// audience are those who are told that there was a look. They are told no more than
// that, so that a slow one costs nothing: what it missed is one and the same. The
// zero value is nobody.
type audience struct {
	mu        sync.Mutex
	listeners []*listener // the one that has listened longest in front
}

// listener is told of looks on news, and dropped by closing it.
type listener struct{ news chan struct{} }

func (a *audience) join() *listener {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.listeners) >= maxListeners {
		close(a.listeners[0].news)
		a.listeners = slices.Delete(a.listeners, 0, 1)
	}
	l := &listener{news: make(chan struct{}, 1)}
	a.listeners = append(a.listeners, l)
	return l
}

// leave takes back join. Whoever was dropped may leave too.
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

// dismiss drops everybody.
func (a *audience) dismiss() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, l := range a.listeners {
		close(l.news)
	}
	a.listeners = nil
}

// live sends an event at once and then for each look, until somebody hangs up, is
// too slow, or is dropped.
func (s *Server) live(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	if r.Method == http.MethodHead {
		return
	}
	audience := &s.options.Metrics.audience
	l := audience.join()
	defer audience.leave(l)
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // that of the request; its end would end the stream
	beat, over := time.NewTicker(beatEvery), time.NewTimer(listenFor)
	defer beat.Stop()
	defer over.Stop()
	for event := lookEvent; send(w, event) == nil; {
		select {
		case _, heard := <-l.news:
			if !heard {
				return
			}
			event = lookEvent
		case <-beat.C:
			event = beatEvent
		case <-over.C:
			return
		case <-r.Context().Done():
			return
		}
	}
}

// What is sent. A beat is a comment, which browsers skip.
const (
	lookEvent = "event: look\ndata: 1\n\n"
	beatEvent = ":\n\n"
)

// send writes a piece of a stream. An answer that is recorded has no deadline.
func send(w http.ResponseWriter, event string) error {
	control := http.NewResponseController(w)
	_ = control.SetWriteDeadline(time.Now().Add(sendWithin))
	if _, err := fmt.Fprint(w, event); err != nil {
		return err
	}
	return control.Flush()
}
