package report

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

// TestWhatAUserMayNotReadIsNotToldAsThePolicys: root's scan finds the rule that acts on it.
func TestWhatAUserMayNotReadIsNotToldAsThePolicys(t *testing.T) {
	w := newWorld("linux", 6)
	gateway := w.server("mcp-hub", 101, time.Hour, 10*megabyte, "")
	gateway.Kind, gateway.Finding, gateway.Zombies = graph.KindGateway, graph.FindingZombies, 120
	verdict := w.keep(gateway)
	verdict.Unread, verdict.Reason = "zombie-gateways", `rule "zombie-gateways" may name it, and not all that it asks for could be read: it has 120 dead children`
	in := w.input()
	in.Graph.Snapshot.Host.UID = inventory.Known(1000)
	if got := table(t, in); !strings.Contains(got, "why: rule \"zombie-gateways\" may name it, and not all that it asks for could be read") {
		t.Error(got)
	}
	got := strings.Join(strings.Fields(explained(t, in, gateway.ID)), " ")
	for _, want := range []string{"could be read: it has 120 dead children); root may see more: sudo reaperd explain 101.", "rule none, as far as can be read; zombie-gateways may name it "} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
