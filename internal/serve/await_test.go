package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/page"
)

// looker is a daemon that looks when the test says so.
type looker struct {
	last  *Sweep         // its last look; nil: it has none, for want of a policy
	looks chan time.Time // each is a look that began then
	asked chan struct{}  // one for each time that somebody asks it
}

func (l *looker) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	if r.URL.Path != page.LivePath {
		_ = json.NewEncoder(out).Encode(State{Version: Version, LastSweep: l.last})
		l.asked <- struct{}{}
		return
	}
	for {
		fmt.Fprint(out, "event: look\ndata: 1\n\n")
		_ = http.NewResponseController(out).Flush()
		select {
		case at := <-l.looks:
			l.last = &Sweep{At: at}
		case <-r.Context().Done():
			return
		}
	}
}

// listens serves the looker at a socket, until the test ends.
func (l *looker) listens(t *testing.T, socket string) {
	t.Helper()
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	daemon := httptest.NewUnstartedServer(l)
	daemon.Listener.Close()
	daemon.Listener = listener
	daemon.Start()
	t.Cleanup(daemon.Close)
}

// TestALookIsAwaitedThatBeganSince: one that began before a pin was written may still show
// what was pending before it.
func TestALookIsAwaitedThatBeganSince(t *testing.T) {
	noon := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	daemon := &looker{last: &Sweep{At: noon.Add(-time.Minute)}, looks: make(chan time.Time), asked: make(chan struct{})}
	socket := filepath.Join(t.TempDir(), "socket")
	daemon.listens(t, socket)
	over := make(chan struct{})
	go func() {
		defer close(over)
		awaitLook(t.Context(), socket, noon)
	}()
	<-daemon.asked
	for _, began := range []time.Time{noon.Add(-time.Second), noon, noon.Add(time.Second)} {
		select {
		case daemon.looks <- began:
		case <-over:
		}
		select {
		case <-daemon.asked:
		case <-over:
			t.Fatal("it did not wait for a look that began since")
		}
	}
	<-over
}

func TestNoLookIsAwaitedOfADaemonThatDoesNotLook(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, row := range []struct {
		world  string
		last   *Sweep
		socket string
		ctx    context.Context
	}{
		{"none runs", &Sweep{}, "none", t.Context()},
		{"it has no policy, and so it does not look", nil, "socket", t.Context()},
		{"somebody has no patience any more", &Sweep{}, "socket", gone},
	} {
		dir := t.TempDir()
		daemon := &looker{last: row.last, looks: make(chan time.Time), asked: make(chan struct{}, 1)}
		daemon.listens(t, filepath.Join(dir, "socket"))
		asked, done := context.WithTimeout(row.ctx, time.Minute)
		awaitLook(asked, filepath.Join(dir, row.socket), time.Now())
		if asked.Err() != row.ctx.Err() {
			t.Errorf("%s: it waits", row.world)
		}
		done()
	}
}
