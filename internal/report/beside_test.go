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

// devs are the servers of dev, which wait, as root sees them; a daemon of dev looks after them.
func devs(decision policy.Decision) Input {
	in := waitingForTheDaemon(policy.ActionTerminate)
	in.Graph.Snapshot.Host.UID = inventory.Known(0)
	in.StartDaemon, in.Beside = "reaperd install", beside.Daemons{{User: "dev", UID: 1000, PID: 5770}}
	for i := range in.Verdicts {
		in.Verdicts[i].Decision, in.Verdicts[i].Target.UID = decision, inventory.Known(1000)
	}
	return in
}

func TestRootIsToldThatAUsersDaemonLooksAfterThatUsersServers(t *testing.T) {
	mixed := func(in Input) Input { in.Verdicts[1].Target.UID = inventory.Known(1001); return in }
	paused := devs(policy.Pending)
	paused.Paused = true
	for _, row := range []struct {
		world          string
		in             Input
		table, explain string
	}{
		{"they wait", devs(policy.Pending), "or leave it to dev's daemon: su dev -c 'reaperd status'", "dev's daemon (process 5770) looks after it: su dev -c 'reaperd explain 100'"},
		{"they are due", devs(policy.Reap), "su dev -c 'reaperd status'   what dev's daemon does about these 2", "dev's daemon (process 5770) looks after it: su dev -c 'reaperd explain 100'"},
		{"some are another user's", mixed(devs(policy.Pending)), "or leave it to a daemon: reaperd install", "dev's daemon (process 5770) looks after it"},
		{"root has paused", paused, "Your own sweeps are paused, and dev's daemon does not go by it: 2 servers are pending.", "reaperd resume first: your own sweeps are paused, and dev's daemon does not go by it"},
	} {
		var table, explained strings.Builder
		if err := Table(&table, row.in, Options{Width: 200}); err != nil {
			t.Fatal(err)
		}
		if err := Explain(&explained, row.in, row.in.Verdicts[0].Target.ID, Options{Width: 200}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(table.String(), row.table) || !strings.Contains(explained.String(), row.explain) {
			t.Errorf("%s: no %q or no %q in\n%s\n%s", row.world, row.table, row.explain, table.String(), explained.String())
		}
		if strings.Contains(explained.String(), "no daemon runs") || !strings.Contains(explained.String(), "keep it    su dev -c 'reaperd pin 100'") {
			t.Errorf("%s: %s", row.world, explained.String())
		}
	}
}

func TestWhatAnotherUsersDaemonWatchesIsNotUnknownToAll(t *testing.T) {
	p := &inventory.Process{PID: 12, Start: 900, UID: inventory.Known(1000), CPUSeconds: inventory.Known(1.0), IOChars: inventory.Known(uint64(7))}
	const short = "not known: these looks watched it for 1s; "
	for _, row := range []struct {
		world string
		in    Input
		want  string
	}{
		{"root's daemon, and a user asks", Input{Daemon: true, ForeignDaemon: true, Beside: beside.Daemons{{User: "root", PID: 7}}}, short + "root's daemon watches it all the time: sudo reaperd explain 12"},
		{"a user's daemon, and root asks", Input{Beside: beside.Daemons{{User: "dev", UID: 1000, PID: 7}}}, short + "dev's daemon watches it all the time: su dev -c 'reaperd explain 12'"},
		{"the daemon of a third user, and root asks", Input{Beside: beside.Daemons{{User: "ann", UID: 1001, PID: 7}}}, short + "a daemon (reaperd run) would watch it all the time"},
		{"a user's daemon cannot measure a container that the session holds", Input{Beside: beside.Daemons{{User: "dev", UID: 1000, PID: 7}}}, short + "a daemon (reaperd run) would watch it all the time"},
		{"one's own runs too", Input{Daemon: true, Beside: beside.Daemons{{User: "root", PID: 7}}}, "not known yet: these looks watched it for 1s, and the daemon cannot tell either"},
	} {
		v := newView(row.in, Options{}, would())
		session := watched(p, time.Second)
		if strings.Contains(row.world, "container") {
			session.Containers = 1
		}
		if got := strings.ReplaceAll(v.idleness(session), unbroken, " "); got != row.want {
			t.Errorf("%s: got %q, want %q", row.world, got, row.want)
		}
	}
}

// Which sessions idle, and what becomes of them, the daemon knows that looks all the time: a look of the
// moment that finds all in use does not say that nothing will be done.
func TestBesideAnothersDaemonALiveSessionIsLeftAloneByOnesOwnSweepsOnly(t *testing.T) {
	for _, row := range []struct {
		world           string
		me              int
		change          func(*Input)
		scan, explained string
	}{
		{"a user beside root's", 1000, func(in *Input) {
			in.Daemon, in.ForeignDaemon, in.Beside = true, true, beside.Daemons{{User: "root", PID: 7}}
		},
			"all in use. Nothing to do here; which sessions idle, only root's daemon knows: sudo reaperd scan.\n",
			"claude-code 12 is a live session with 2 MCP servers. Your own sweeps leave it alone; what root's daemon does, only that knows: sudo reaperd explain 12. It is pinned.\n"},
		{"root beside a user's", 0, func(in *Input) { in.Beside = beside.Daemons{{User: "dev", UID: 1000, PID: 8}} },
			"all in use. Nothing to do here; which sessions idle, only dev's daemon knows: su dev -c 'reaperd scan'.\n",
			"Your own sweeps leave it alone; what dev's daemon does, only that knows: su dev -c 'reaperd explain 12'."},
		{"root beside a user's, whose session holds a container that that cannot measure", 0, func(in *Input) {
			in.Beside = beside.Daemons{{User: "dev", UID: 1000, PID: 8}}
			for i := range in.Graph.Sessions {
				in.Graph.Sessions[i].Containers = 1
			}
		}, "all in use. Nothing to do.\n", "reaperd leaves it alone."},
		{"root beside a user's, after looks that were long enough", 0, func(in *Input) {
			in.Beside, in.IdleFor, in.Settle = beside.Daemons{{User: "dev", UID: 1000, PID: 8}}, 20*time.Second, 20*time.Second
		}, "all in use. Nothing to do.\n", "reaperd leaves it alone."},
		{"one's own runs, and only reports beside root's", 1000, func(in *Input) {
			in.Daemon, in.DaemonRests, in.Beside = true, "is in mode report", beside.Daemons{{User: "root", PID: 7}}
		}, "only root's daemon knows: sudo reaperd scan.\n", "Your own sweeps leave it alone; what root's daemon does, only that knows: sudo reaperd explain 12."},
		{"one's own runs", 1000, func(in *Input) { in.Daemon = true }, "all in use. Nothing to do.\n", "claude-code 12 is a live session with 2 MCP servers. reaperd leaves it alone."},
		{"none runs", 1000, func(*Input) {}, "all in use. Nothing to do.\n", "reaperd leaves it alone."},
		{"that of a third user", 0, func(in *Input) { in.Beside = beside.Daemons{{User: "ann", UID: 1001, PID: 8}} }, "all in use. Nothing to do.\n", "reaperd leaves it alone."},
	} {
		in := pinnedInUse().input()
		in.Graph.Snapshot.Host.UID = inventory.Known(row.me)
		in.Graph.Sessions[0].Target = in.Graph.Sessions[1].Target
		row.change(&in)
		if got := table(t, in); !strings.Contains(got, row.scan) {
			t.Errorf("%s: no %q in\n%s", row.world, row.scan, got)
		}
		held, want := explained(t, in, "32:320"), "playwright-mcp 32 is in use. Your own sweeps leave it alone; what"
		if strings.Contains(row.explained, "own sweeps") != strings.Contains(held, want) || strings.Contains(held, want) == strings.Contains(held, "reaperd leaves it alone") {
			t.Errorf("%s: of its server:\n%s", row.world, held)
		}
		if got := explained(t, in, "12:120"); !strings.Contains(got, row.explained) {
			t.Errorf("%s: no %q in\n%s", row.world, row.explained, got)
		}
	}
}

// What one's own daemon has seen idle is not left alone because these looks have not seen that.
func TestASessionThatTheDaemonHasAsPendingIsSaidToStop(t *testing.T) {
	in := pinnedInUse().input()
	in.Daemon, in.Graph.Sessions[0].Target = true, &graph.Target{ID: "12:120", Kind: graph.KindSession, Name: "claude-code", Root: in.Graph.Sessions[0].Process}
	in.Due = map[string]time.Time{"12:120": noon.Add(8 * time.Second)}
	if got, want := table(t, in), "Nothing to do here; the daemon stops claude-code 12 in 8s, if it goes on doing nothing.\n"; !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
	if got, want := explained(t, in, "12:120"), "claude-code 12 is a live session with 2 MCP servers. The daemon stops it in 8s, if it goes on doing nothing.\n"; !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
}

// What a live session has goes with it by the rule that stops it once it has idled.
func TestWhatASessionHasIsToldWithTheRuleThatStopsThatIfItIdles(t *testing.T) {
	w := pinnedInUse()
	p := w.sessions[0].Process
	target := &graph.Target{ID: p.ID().String(), Kind: graph.KindSession, Name: "claude-code", Root: p, Finding: graph.FindingNone}
	w.sessions[0].Target = target
	w.keep(target).Ahead = &policy.Ahead{Rule: "idle-sessions", IdleFor: 50 * time.Second, DueAt: noon.Add(9 * time.Second)}
	const want = "playwright-mcp 32 is in use. reaperd leaves it alone; rule idle-sessions would stop claude-code 12, with all that it holds, once it has been idle for 50s.\n"
	if got := explained(t, w.input(), "32:320"); !strings.HasPrefix(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
}
