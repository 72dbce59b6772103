package report

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
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
		state := "1 MCP server, in use."
		if row.sees != "" {
			state = "1 MCP server, may be in use."
		}
		if got := table(t, in); !strings.Contains(got, state) {
			t.Errorf("%s: no %q in\n%s", row.world, state, got)
		}
	}
}

// TestAGatewayThatIsKeptForWhatThisUserCannotSeeSaysWhoSeesMore: root's daemon may end it meanwhile.
func TestAGatewayThatIsKeptForWhatThisUserCannotSeeSaysWhoSeesMore(t *testing.T) {
	for looker, want := range map[int]string{
		1000: "leaves it alone (fetch 51 below it may be in use); root's daemon sees more, and decides by that: sudo reaperd explain 50.\n",
		0:    "leaves it alone (fetch 51 below it may be in use).\n",
	} {
		w := newWorld("linux", 4)
		gateway := orphaned(w.server("mcp-hub", 50, time.Hour, 0, "mcp-hub"), gone("claude-code", 44, time.Hour))
		gateway.Kind = graph.KindGateway
		verdict := w.decide(gateway, policy.Keep, "orphaned-gateways", policy.ActionTerminate)
		verdict.Vetoes = []graph.Veto{{Guard: graph.GuardUnproven, Text: "fetch 51 below it may be in use"}}
		in := w.input()
		in.Graph.Snapshot.Host.UID, in.ForeignDaemon = inventory.Known(looker), true
		if got := explained(t, in, gateway.ID); !strings.Contains(got, want) {
			t.Errorf("as %d: no %q in\n%s", looker, want, got)
		}
		in.ForeignDaemon, in.Daemon = false, true
		const own = "; root may see more: sudo reaperd explain 50, and your own daemon never stops it.\n"
		if got := explained(t, in, gateway.ID); strings.Contains(got, own) != (looker != 0) {
			t.Errorf("as %d, with a daemon of the user's own: %q\n%s", looker, own, got)
		}
		in.ForeignDaemon, in.Daemon = true, false
		const below = "   root's daemon sees more, and decides by that: sudo reaperd explain 50\n"
		if got := table(t, in); strings.Contains(got, below) != (looker != 0) {
			t.Errorf("as %d: %q\n%s", looker, below, got)
		}
	}
}
