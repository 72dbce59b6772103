package report

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

// TestWhatSomebodyUnseenMayUseIsNotSaidToBeInUse: this user may not see who holds the other end of its pipes, and root
// may.
func TestWhatSomebodyUnseenMayUseIsNotSaidToBeInUse(t *testing.T) {
	for _, row := range []struct {
		world   string
		looker  int
		roots   bool
		sees    string
		whoElse graph.Owner
	}{
		{"root looks", 0, false, ".", graph.Owner{}},
		{"a user looks", 1000, false, "; root may see more: sudo reaperd explain 40.", graph.Owner{}},
		{"a user looks, and root's daemon runs", 1000, true, "; root's daemon sees more, and decides by that: sudo reaperd explain 40.", graph.Owner{}},
		{"its owner is known", 1000, true, "", graph.Owner{Name: "codex", ID: inventory.ID{PID: 12, Start: 120}}},
	} {
		w := newWorld("linux", 4)
		server := w.server("stubborn", 40, time.Hour, 0, "stubborn")
		server.Owner = row.whoElse
		server.Owner.Kind, server.Owner.Liveness = graph.OwnerProcess, graph.LivenessLive
		w.keep(server)
		in := w.input()
		in.Graph.Snapshot.Host.UID, in.ForeignDaemon = inventory.Known(row.looker), row.roots
		want := "stubborn 40 is in use. reaperd leaves it alone.\n"
		if row.sees != "" {
			want = "stubborn 40 may be in use, by a process that cannot be seen from here. reaperd leaves it alone" + row.sees + "\n"
		}
		if got := explained(t, in, server.ID); !strings.HasPrefix(got, want) {
			t.Errorf("%s: no %q in\n%s", row.world, want, got)
		}
	}
}
