package serve

import (
	"maps"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// TestThePortTellsEverybodyHowADaemonIs: whether it acts, and what it can read.
func TestThePortTellsEverybodyHowADaemonIs(t *testing.T) {
	me := strconv.Itoa(os.Geteuid())
	reads := map[string]bool{inventory.SourceProcesses: true, inventory.SourceDocker: false}
	for _, row := range []struct {
		world    string
		mode     policy.Mode
		paused   bool
		notReady string
		want     Glance
	}{
		{"it is well", policy.ModeEnforce, false, "", Glance{User: me, Reads: reads}},
		{"it only reports", policy.ModeReport, false, "", Glance{User: me, Reports: true, Reads: reads}},
		{"it is paused", policy.ModeEnforce, true, "", Glance{User: me, Paused: true, Reads: reads}},
		{"it acts on nothing", policy.ModeEnforce, false, "the journal takes no record", Glance{User: me, NotReady: "the journal takes no record", Reads: reads}},
	} {
		update := full()
		update.Paused = row.paused
		update.Graph.Snapshot.Sources = []inventory.Source{{Name: inventory.SourceProcesses, Status: inventory.StatusOK}, {Name: inventory.SourceDocker, Endpoint: "a", Status: inventory.StatusError}}
		metrics := published(t, update)
		metrics.PolicyReloaded(Policy{Identity: policy.Identity{Mode: row.mode}}, noon)
		port := httptest.NewServer(New(Options{Metrics: metrics, Ready: func() (bool, string) { return row.notReady == "", row.notReady }}).portHandler(true))
		got, err := GlanceAt(t.Context(), strings.TrimPrefix(port.URL, "http://"))
		port.Close()
		if err != nil || got.User != row.want.User || got.NotReady != row.want.NotReady || got.Paused != row.want.Paused || got.Reports != row.want.Reports || !got.Looked || !maps.Equal(got.Reads, row.want.Reads) {
			t.Errorf("%s: %+v, %v, want %+v", row.world, got, err, row.want)
		}
	}
	metrics := NewMetrics(MetricsOptions{})
	metrics.PolicyRefused([]string{"policies.yaml:1: version is missing"}, "")
	port := httptest.NewServer(New(Options{Metrics: metrics}).portHandler(true))
	defer port.Close()
	if got, err := GlanceAt(t.Context(), strings.TrimPrefix(port.URL, "http://")); err != nil || got.Looked || len(got.Reads) > 0 || got.NotReady != "the policy has 1 fault: nothing is acted on until it is mended" {
		t.Errorf("it has refused its policy at start, and has never looked: %+v, %v", got, err)
	}
	if got, err := GlanceAt(t.Context(), "127.0.0.1:1"); err == nil {
		t.Errorf("nobody listens: %+v", got)
	}
}
