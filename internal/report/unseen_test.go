package report

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/beside"
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

// TestWhatThisUserCannotJudgeIsUpToRootsDaemon: that sees whose another user's server is, and may be about to stop it.
func TestWhatThisUserCannotJudgeIsUpToRootsDaemon(t *testing.T) {
	roots, pin := beside.Daemons{{User: "root", PID: 12}}, graph.Veto{Guard: graph.GuardPinned, Text: "reaperd pin keeps it"}
	for _, row := range []struct {
		world        string
		change       func(in *Input)
		shows, hides []string
	}{
		{"root's daemon alone runs", func(in *Input) { in.ForeignDaemon, in.Beside = true, roots },
			[]string{"1 MCP server, up to root's daemon.", "UP TO ROOT'S DAEMON, which sees more", "git 40  of user ann  nothing says whose", "sudo reaperd explain 40   what root's daemon sees of it"}, []string{"NOT TOUCHED", "left alone"}},
		{"one of the reader's own only reports beside it", func(in *Input) { in.Daemon, in.DaemonRests, in.Beside = true, "is in mode report", roots },
			[]string{"1 MCP server, up to root's daemon.", "UP TO ROOT'S DAEMON, which sees more"}, []string{"NOT TOUCHED"}},
		{"a container that was not started with -i belongs to no docker run, whoever looks", func(in *Input) {
			in.ForeignDaemon, in.Beside = true, roots
			in.Verdicts[0].Target.Container = &inventory.Container{ID: "abc", Name: "/box", OpenStdin: inventory.Known(false)}
		}, []string{"unclear.", "NOT TOUCHED"}, []string{"UP TO"}},
		{"the reader's own policy protects it", func(in *Input) {
			in.ForeignDaemon, in.Beside, in.OwnPolicy = true, roots, true
			in.Verdicts[0].Protected, in.Verdicts[0].Reason = &policy.Protect{Name: "mine"}, `protected by "mine": my notes`
		}, []string{"1 MCP server, up to root's daemon.", "UP TO ROOT'S DAEMON, which sees more", `git 40  of user ann  protected by "mine": my notes (for your own sweeps only)`, "sudo reaperd explain 40   what root's daemon sees of it"}, []string{"NOT TOUCHED", "kept"}},
		{"the host's policy protects it", func(in *Input) {
			in.ForeignDaemon, in.Beside = true, roots
			in.Verdicts[0].Protected, in.Verdicts[0].Reason = &policy.Protect{Name: "ours"}, `protected by "ours": all need it`
		}, []string{"NOT TOUCHED", "git 40  kept  protected by"}, []string{"UP TO", "own sweeps"}},
		{"the reader has pinned it, which is another user's", func(in *Input) {
			in.ForeignDaemon, in.Beside = true, roots
			in.Verdicts[0].Target.Vetoes = append(in.Verdicts[0].Target.Vetoes, pin)
		}, []string{"1 MCP server, up to root's daemon.", "UP TO ROOT'S DAEMON, which sees more", "git 40  pinned (for your own sweeps only)  of user ann", "sudo reaperd explain 40   what root's daemon sees of it"}, []string{"NOT TOUCHED"}},
		{"the reader has pinned what is the reader's own", func(in *Input) {
			in.ForeignDaemon, in.Beside = true, roots
			in.Verdicts[0].Target.UID, in.Verdicts[0].Target.Vetoes = inventory.Known(1000), []graph.Veto{pin}
		}, []string{"NOT TOUCHED", "git 40  pinned  "}, []string{"UP TO", "own sweeps"}},
		{"root looks", func(in *Input) { in.Graph.Snapshot.Host.UID = inventory.Known(0) }, []string{"unclear", "NOT TOUCHED", "reaperd explain 40   why it is left alone"}, []string{"UP TO", "of user"}},
		{"root has none", func(*Input) {}, []string{"unclear", "NOT TOUCHED", "reaperd explain 40   why it is left alone"}, []string{"UP TO", "of user"}},
	} {
		w := newWorld("linux", 4)
		server := w.server("git", 40, time.Hour, 0, "git")
		server.UID, server.User = inventory.Known(1001), "ann"
		server.Vetoes = []graph.Veto{{Guard: graph.GuardForeign, Text: "process 40 is another user's"}}
		w.keep(server)
		in := w.input()
		in.Graph.Snapshot.Host.UID = inventory.Known(1000)
		row.change(&in)
		got := table(t, in)
		for _, want := range row.shows {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in\n%s", row.world, want, got)
			}
		}
		for _, not := range row.hides {
			if strings.Contains(got, not) {
				t.Errorf("%s: %q in\n%s", row.world, not, got)
			}
		}
	}
}

// TestAPinThatRootsDaemonDoesNotGoByIsSaidToHoldForOwnSweeps, and does not make a sweep say that the thing stays.
func TestAPinThatRootsDaemonDoesNotGoByIsSaidToHoldForOwnSweeps(t *testing.T) {
	for owner, row := range map[int]struct{ said, guards, left string }{
		1001: {" It is pinned (for your own sweeps only).\n", "guards     reaperd pin keeps it (for your own sweeps only)\n", "Left alone: 1 up to root's daemon."},
		1000: {" It is pinned.\n", "guards     reaperd pin keeps it\n", "Left alone: 1 pinned."},
	} {
		w := newWorld("linux", 4)
		server := w.server("git", 40, time.Hour, 0, "git")
		server.UID, server.Vetoes = inventory.Known(owner), []graph.Veto{{Guard: graph.GuardPinned, Text: "reaperd pin keeps it"}}
		w.keep(server)
		leak := orphaned(w.server("fetch", 41, time.Hour, 0, "fetch"), gone("codex", 9, time.Hour))
		w.decide(leak, policy.Reap, "orphaned-servers", policy.ActionTerminate)
		in := w.input()
		in.Graph.Snapshot.Host.UID, in.ForeignDaemon, in.Beside = inventory.Known(1000), true, beside.Daemons{{User: "root", PID: 12}}
		var plan strings.Builder
		if err := Plan(&plan, in, screenOf(160)); err != nil {
			t.Fatal(err)
		}
		got := explained(t, in, server.ID)
		for _, want := range []string{row.said, row.guards} {
			if !strings.Contains(got, want) {
				t.Errorf("of user %d: no %q in\n%s", owner, want, got)
			}
		}
		if !strings.Contains(plan.String(), row.left) {
			t.Errorf("of user %d: no %q in\n%s", owner, row.left, plan.String())
		}
	}
}
