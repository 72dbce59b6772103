package oneshot

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/page"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
)

// looker is a daemon that looks when the test says so.
type looker struct {
	last  time.Time      // when its last look began
	looks chan time.Time // each is a look that began then
	asked chan struct{}  // one for each time that somebody asks it
}

func (l *looker) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	if r.URL.Path != page.LivePath {
		_ = json.NewEncoder(out).Encode(serve.State{Version: serve.Version, LastSweep: &serve.Sweep{At: l.last}})
		l.asked <- struct{}{}
		return
	}
	for {
		fmt.Fprint(out, "event: look\ndata: 1\n\n")
		_ = http.NewResponseController(out).Flush()
		select {
		case l.last = <-l.looks:
		case <-r.Context().Done():
			return
		}
	}
}

// TestASweepEndsWhenTheDaemonHasLookedSince: a look that began before the sweep's end may still
// show what is gone.
func TestASweepEndsWhenTheDaemonHasLookedSince(t *testing.T) {
	noon := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	daemon := &looker{last: noon.Add(-time.Minute), looks: make(chan time.Time), asked: make(chan struct{})}
	sight := &Sight{state: state.Dir(t.TempDir()), daemon: &serve.State{LastSweep: &serve.Sweep{}}}
	listens(t, sight.state.Socket(), daemon)
	over := make(chan struct{})
	go func() {
		defer close(over)
		sight.awaitLook(t.Context(), noon)
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
			t.Fatal("it did not wait for a look that began after its end")
		}
	}
	<-over
}

func TestASweepDoesNotWaitForADaemonThatDoesNotLook(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	looks := &serve.State{LastSweep: &serve.Sweep{}}
	for _, row := range []struct {
		world  string
		daemon *serve.State
		dir    string
		ctx    context.Context
	}{
		{"it was not asked", nil, "", t.Context()},
		{"none runs, or it does not answer, or it has no policy", &serve.State{}, "", t.Context()},
		{"it has ended since", looks, "none", t.Context()},
		{"it hangs, and the patience is over", looks, "", ended},
	} {
		dir := t.TempDir()
		daemon := &looker{looks: make(chan time.Time), asked: make(chan struct{}, 1)}
		listens(t, state.Dir(dir).Socket(), daemon)
		(&Sight{state: state.Dir(filepath.Join(dir, row.dir)), daemon: row.daemon}).awaitLook(row.ctx, time.Now())
		if len(daemon.asked) > 0 {
			t.Errorf("%s: it is asked", row.world)
		}
	}
}
