package docker

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/test/eventually"
	"github.com/reaperd/reaperd/test/standin"
)

// tell answers a request for events with these, and keeps the stream open until
// it is cut.
func tell(cut <-chan struct{}, actions ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for _, action := range actions {
			fmt.Fprintf(w, `{"Type":"container","Action":%q,"Actor":{"ID":%q},"timeNano":1795218546000000000}`+"\n", action, id("a"))
		}
		w.(http.Flusher).Flush()
		select {
		case <-cut:
		case <-r.Context().Done():
		}
	}
}

// next is the next event; the test fails where none comes.
func next(t *testing.T, events <-chan Event) Event {
	t.Helper()
	select {
	case event, ok := <-events:
		if !ok {
			t.Fatal("the events ended")
		}
		return event
	case <-time.After(30 * time.Second):
		t.Fatal("no event within 30s")
	}
	return Event{}
}

func TestEventsOfAnEngine(t *testing.T) {
	f := newFake(t)
	f.on("GET /events", tell(nil, "start", "exec_die: /bin/secret"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	events := f.engines().Events(ctx)
	first, second := next(t, events), next(t, events)
	if first.Action != "start" || first.ID != id("a") {
		t.Errorf("event %+v", first)
	}
	if second.Action != "exec_die" {
		t.Errorf("action %q", second.Action)
	}
	cancel()
	eventually.Holds(t, "the channel closes", func() bool {
		select {
		case _, open := <-events:
			return !open
		default:
			return false
		}
	})
}

func TestALostStreamIsTakenUpAgain(t *testing.T) {
	f := newFake(t)
	cut := make(chan struct{})
	f.on("GET /events", tell(cut, "die"))
	engines := f.enginesWith(Options{Timeout: 20 * time.Second, retry: time.Millisecond})
	events := engines.Events(t.Context())
	next(t, events)
	f.on("GET /events", refusal(http.StatusServiceUnavailable, "starting"))
	close(cut)
	eventually.Holds(t, "it is asked again", func() bool { return f.times("GET /events") > 2 })
	f.on("GET /events", tell(nil, "start"))
	if event := next(t, events); event.Action != "start" {
		t.Errorf("event %+v", event)
	}
}

func TestWhetherEventsComeIsKnown(t *testing.T) {
	f := newFake(t)
	cut := make(chan struct{})
	f.on("GET /events", tell(cut))
	engines := f.enginesWith(Options{Timeout: 20 * time.Second, retry: time.Millisecond})
	is := func(what string, up, known bool) {
		t.Helper()
		eventually.Holds(t, what, func() bool {
			isUp, isKnown := engines.EventsUp()
			return isUp == up && isKnown == known
		})
	}
	is("nobody has asked yet", false, false)
	ctx, cancel := context.WithCancel(t.Context())
	events := engines.Events(ctx)
	is("the stream is open, though nothing happens", true, true)
	f.on("GET /events", refusal(http.StatusForbidden, "the proxy does not let this through"))
	close(cut)
	is("it is lost", false, true)
	f.on("GET /events", tell(nil))
	is("it is back", true, true)
	cancel()
	for range events {
		t.Error("an event")
	}
	is("nobody follows it", false, false)
}

func TestEventsOfSeveralEnginesComeOnlyTogether(t *testing.T) {
	h, f := newHost(t), newFake(t)
	f.on("GET /events", tell(nil))
	f.serve(h.place("/run/user/1000/docker.sock"))
	engines := found(t, h)
	engines.Events(t.Context())
	eventually.Holds(t, "one comes", func() bool { up, known := engines.EventsUp(); return up && known })
	nobody := Endpoint{Host: "unix://" + h.place("/var/run/docker.sock")}
	standin.DeadSocket(t, strings.TrimPrefix(nobody.Host, "unix://"))
	_, err := engines.engine(nobody).connect(t.Context())
	status, _ := fault(nobody, err, time.Second)
	engines.noteStream(nobody, status)
	if up, known := engines.EventsUp(); !up || !known {
		t.Errorf("a socket that nobody serves counts: %v", err)
	}

	other := newFake(t)
	other.on("GET /events", refusal(http.StatusForbidden, "no"))
	other.serve(h.place("/run/podman/podman.sock"))
	both := found(t, h)
	both.Events(t.Context())
	eventually.Holds(t, "one that refuses does", func() bool {
		up, known := both.EventsUp()
		return known && !up && other.times("GET /events") > 0 && f.times("GET /events") > 1
	})
}

func TestASlowReaderHoldsNothingUp(t *testing.T) {
	f := newFake(t)
	var many []string
	for range 10 * eventBuffer {
		many = append(many, "die")
	}
	cut := make(chan struct{})
	close(cut)
	f.on("GET /events", tell(cut, many...))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	engines := f.enginesWith(Options{Timeout: 20 * time.Second, retry: time.Millisecond})
	events := engines.Events(ctx)
	eventually.Holds(t, "the stream is read to its end, unread", func() bool { return f.times("GET /events") > 1 })
	next(t, events)
}

func TestAHungEventStreamDoesNotHoldUpALook(t *testing.T) {
	f := newFake(t)
	f.run("a")
	f.on("GET /events", hang)
	ctx, cancel := context.WithCancel(t.Context())
	engines := f.engines()
	events := engines.Events(ctx)
	eventually.Holds(t, "the events are asked for", func() bool { return f.times("GET /events") > 0 })
	if containers, sources := engines.Containers(t.Context()); len(containers) != 1 {
		t.Errorf("containers %v, sources %+v", containers, sources)
	}
	cancel()
	for range events {
		t.Error("an event from a stream that never answered")
	}
}
