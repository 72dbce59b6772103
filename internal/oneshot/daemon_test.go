package oneshot

import (
	"encoding/json"
	"maps"
	"net/http"
	"testing"

	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/sweep"
)

// TestWhatTheDaemonIsEndingIsAskedAnew: an act may have begun since the look.
func TestWhatTheDaemonIsEndingIsAskedAnew(t *testing.T) {
	sight := &Sight{state: state.Dir(t.TempDir()), sweeper: &sweep.Sweeper{}, daemon: &serve.State{UnderWay: []serve.Begun{{Target: "30:300"}}}}
	if begun := sight.Begun(t.Context()); len(begun) > 0 {
		t.Errorf("no daemon runs, and %v has begun", begun)
	}
	listens(t, sight.state.Socket(), http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(out).Encode(serve.State{Version: serve.Version, UnderWay: []serve.Begun{{Target: "10:100"}}})
	}))
	if begun := sight.Begun(t.Context()); !maps.Equal(begun, map[string]bool{"10:100": true}) {
		t.Errorf("%v has begun", begun)
	}
}
