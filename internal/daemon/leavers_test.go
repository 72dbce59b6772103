package daemon

import (
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/sweep"
)

func TestADaemonThatStartsAgainStillTellsWhoLeftWhat(t *testing.T) {
	dir := state.Dir(t.TempDir())
	noon := time.Date(2026, time.November, 26, 12, 0, 0, 0, time.UTC)
	codex := graph.Owner{Name: "codex", Kind: graph.OwnerSession, ID: inventory.ID{PID: 12, Start: 7}, Liveness: graph.LivenessGone, Since: noon}
	nobody := graph.Owner{Liveness: graph.LivenessGone}
	round := func(boot, id string, finding graph.Finding, owner graph.Owner) sweep.Round {
		g := &graph.Graph{Snapshot: &inventory.Snapshot{Host: inventory.Host{BootID: boot}}}
		target := &graph.Target{ID: id, Kind: graph.KindServer, Finding: finding, Owner: owner}
		return sweep.Round{View: sweep.View{Graph: g, Verdicts: []policy.Verdict{{Target: target}}}}
	}
	started := func() *leavers { return &leavers{log: slog.New(slog.NewTextHandler(io.Discard, nil)), state: dir} }
	first := started()
	first.told(round("boot-1", "57:1", graph.FindingOrphaned, codex))
	for _, row := range []struct {
		world string
		round sweep.Round
		want  string
	}{
		{"the same server", round("boot-1", "57:1", graph.FindingOrphaned, nobody), "codex"},
		{"another one with its PID", round("boot-1", "57:2", graph.FindingOrphaned, nobody), ""},
		{"one that is in use", round("boot-1", "57:1", graph.FindingNone, nobody), ""},
		{"one whose owner the daemon has seen itself", round("boot-1", "57:1", graph.FindingOrphaned, graph.Owner{Name: "claude-code", Liveness: graph.LivenessGone}), "claude-code"},
		{"after the machine has started again", round("boot-2", "57:1", graph.FindingOrphaned, nobody), ""},
	} {
		if err := dir.KeepLeft("boot-1", map[string]graph.Owner{"57:1": codex}); err != nil {
			t.Fatal(err)
		}
		judged := row.round.View.Verdicts[0].Target.Owner
		told := started().told(row.round)
		if got := told.View.Verdicts[0].Target.Owner.Name; got != row.want {
			t.Errorf("%s: left by %q, want %q", row.world, got, row.want)
		}
		if row.round.View.Verdicts[0].Target.Owner != judged {
			t.Errorf("%s: what is judged has changed", row.world)
		}
	}
	if round := started().told(sweep.Round{}); len(round.View.Verdicts) > 0 { // a sweep that saw nothing
		t.Errorf("got %+v", round)
	}
	first.told(round("boot-1", "60:1", graph.FindingNone, codex))
	if left, err := dir.Left("boot-1"); err != nil || len(left) > 0 {
		t.Errorf("when all of it is gone: %v, %v", left, err)
	}
}

// TestWhoLeftAContainerIsKnownWhileItsEngineIsGone: the daemon has only read of the session.
func TestWhoLeftAContainerIsKnownWhileItsEngineIsGone(t *testing.T) {
	box := strings.Repeat("0123456789abcdef", 4)
	codex := graph.Owner{Name: "codex", Kind: graph.OwnerSession, ID: inventory.ID{PID: 12, Start: 7}, Liveness: graph.LivenessGone}
	orphan := &graph.Target{ID: box, Kind: graph.KindContainer, Finding: graph.FindingOrphaned, Owner: graph.Owner{Liveness: graph.LivenessGone}}
	used := &graph.Target{ID: box, Kind: graph.KindContainer}
	round := func(engine inventory.Status, targets ...*graph.Target) sweep.Round {
		g := &graph.Graph{Targets: targets, Snapshot: &inventory.Snapshot{
			Host: inventory.Host{BootID: "boot-1"}, Sources: []inventory.Source{{Name: inventory.SourceDocker, Status: engine}},
		}}
		r := sweep.Round{View: sweep.View{Graph: g}}
		for _, t := range targets {
			r.View.Verdicts = append(r.View.Verdicts, policy.Verdict{Target: t})
		}
		return r
	}
	for _, row := range []struct {
		world   string
		between sweep.Round // between the engine's last look and its return
		want    string
	}{
		{"its engine was gone", round(inventory.StatusAbsent), "codex"},
		{"its engine did not answer", round(inventory.StatusError), "codex"},
		{"the engine had it no more", round(inventory.StatusOK), ""},
		{"it was in use in between", round(inventory.StatusPartial, used), ""},
	} {
		dir := state.Dir(t.TempDir())
		if err := dir.KeepLeft("boot-1", map[string]graph.Owner{box: codex, "57:1": codex}); err != nil {
			t.Fatal(err)
		}
		known := &leavers{log: slog.New(slog.NewTextHandler(io.Discard, nil)), state: dir}
		known.told(row.between)
		told := known.told(round(inventory.StatusOK, orphan))
		if got := told.View.Verdicts[0].Target.Owner.Name; got != row.want {
			t.Errorf("%s: left by %q, want %q", row.world, got, row.want)
		}
		if _, still := known.of("57:1"); still {
			t.Errorf("%s: a server that is gone is still known", row.world)
		}
	}
}

// TestAContainerThatHasExitedIsThatOfTheSessionThatHadIt: in the look that shows both ends it has no owner.
func TestAContainerThatHasExitedIsThatOfTheSessionThatHadIt(t *testing.T) {
	box := strings.Repeat("0123456789abcdef", 4)
	session := graph.Session{Name: "codex", Process: &inventory.Process{PID: 12, Start: 7}}
	hub := &inventory.Process{PID: 40, Start: 9}
	codex := graph.Owner{Name: "codex", Kind: graph.OwnerSession, ID: session.Process.ID(), Liveness: graph.LivenessLive}
	byHub := graph.Owner{Name: "docker-mcp", Kind: graph.OwnerGateway, ID: hub.ID(), Liveness: graph.LivenessLive}
	noon := time.Date(2026, time.November, 26, 12, 0, 0, 0, time.UTC)
	container := func(finding graph.Finding, owner graph.Owner) *graph.Target {
		return &graph.Target{ID: box, Kind: graph.KindContainer, Finding: finding, Owner: owner}
	}
	gateway := &graph.Target{ID: hub.ID().String(), Kind: graph.KindGateway, Root: hub, Owner: codex}
	runs, exited := container(graph.FindingNone, codex), container(graph.FindingExited, graph.Owner{})
	look := func(lives bool, processes inventory.Status, targets ...*graph.Target) sweep.Round {
		g := &graph.Graph{Targets: targets, Snapshot: &inventory.Snapshot{TakenAt: noon,
			Host: inventory.Host{BootID: "boot-1"}, Sources: []inventory.Source{{Name: inventory.SourceProcesses, Status: processes}, {Name: inventory.SourceDocker, Status: inventory.StatusOK}},
		}}
		if lives {
			g.Sessions = []graph.Session{session}
		}
		r := sweep.Round{View: sweep.View{Graph: g}}
		for _, t := range targets {
			r.View.Verdicts = append(r.View.Verdicts, policy.Verdict{Target: t})
		}
		return r
	}
	unread := look(true, inventory.StatusOK)
	unread.View.Graph.Snapshot.Sources[1].Status = inventory.StatusError
	for _, row := range []struct {
		world string
		looks []sweep.Round
		want  string
	}{
		{"both ended between two looks", []sweep.Round{look(true, inventory.StatusOK, runs), look(false, inventory.StatusOK, exited)}, "codex"},
		{"a gateway had it", []sweep.Round{look(true, inventory.StatusOK, gateway, container(graph.FindingNone, byHub)), look(false, inventory.StatusOK, exited)}, "codex"},
		{"it ended first", []sweep.Round{look(true, inventory.StatusOK, runs), look(true, inventory.StatusOK, exited), look(false, inventory.StatusOK, exited)}, "codex"},
		{"its engine was not read in between", []sweep.Round{look(true, inventory.StatusOK, runs), unread, look(false, inventory.StatusOK, exited)}, "codex"},
		{"some looks ago", []sweep.Round{look(true, inventory.StatusOK, runs), look(false, inventory.StatusOK, exited), look(false, inventory.StatusOK, exited)}, "codex"},
		{"the session lives", []sweep.Round{look(true, inventory.StatusOK, runs), look(true, inventory.StatusOK, exited)}, ""},
		{"the session may live", []sweep.Round{look(true, inventory.StatusOK, runs), look(false, inventory.StatusError, exited)}, ""},
		{"it was never seen to have one", []sweep.Round{look(true, inventory.StatusOK), look(false, inventory.StatusOK, exited)}, ""},
	} {
		l := &leavers{log: slog.New(slog.DiscardHandler), state: state.Dir(t.TempDir())}
		var told sweep.Round
		for _, round := range row.looks {
			told = l.told(round)
		}
		owner := told.View.Verdicts[0].Target.Owner
		if owner.Name != row.want || row.want != "" && (owner.Liveness != graph.LivenessGone || !owner.Since.Equal(noon)) {
			t.Errorf("%s: left by %+v, want %q", row.world, owner, row.want)
		}
		if by, known := l.of(box); known != (row.want != "") || by.Name != row.want {
			t.Errorf("%s: the record names %q, want %q", row.world, by.Name, row.want)
		}
		if exited.Owner != (graph.Owner{}) {
			t.Errorf("%s: what is judged has changed", row.world)
		}
	}
}
