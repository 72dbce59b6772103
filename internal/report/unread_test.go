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
	for _, row := range []struct {
		world string
		fds   inventory.Fact[int]
		want  string
	}{
		{"all could be read", inventory.Known(5), "no rule acts on it  "},
		{"its descriptors could not", inventory.Unreadable[int](), "no rule acts on it, as far as this user may read it  "},
	} {
		w := newWorld("linux", 6)
		server := w.server("git", 101, time.Hour, 10*megabyte, "")
		server.Finding, server.Zombies, server.Root.OpenFDs = graph.FindingZombies, 9, row.fds
		w.keep(server)
		var out strings.Builder
		if err := Table(&out, w.input(), Options{Width: 160}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), row.want) {
			t.Errorf("%s: no %q in\n%s", row.world, row.want, out.String())
		}
	}
}
