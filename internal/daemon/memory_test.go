package daemon

import (
	"log/slog"
	"slices"
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
	look := func(id string, finding graph.Finding, owner graph.Owner) sweep.View {
		g := &graph.Graph{Snapshot: &inventory.Snapshot{Host: inventory.Host{BootID: "boot-1"}}}
		target := &graph.Target{ID: id, Kind: graph.KindServer, Finding: finding, Owner: owner}
		return sweep.View{Graph: g, Verdicts: []policy.Verdict{{Target: target}}}
	}
	first := startedIn(dir, "boot-1")
	first.learn(first.attribute(look("57:1", graph.FindingOrphaned, codex)).Graph)
	for _, row := range []struct {
		world string
		boot  string
		look  sweep.View
		want  string
	}{
		{"the same server", "boot-1", look("57:1", graph.FindingOrphaned, nobody), "codex"},
		{"another one with its PID", "boot-1", look("57:2", graph.FindingOrphaned, nobody), ""},
		{"one that is in use", "boot-1", look("57:1", graph.FindingNone, nobody), ""},
		{"an older copy", "boot-1", look("57:1", graph.FindingDuplicate, nobody), ""},
		{"what a live process owns", "boot-1", look("57:1", graph.FindingOrphaned, graph.Owner{Liveness: graph.LivenessLive}), ""},
		{"one whose owner the daemon has seen itself", "boot-1", look("57:1", graph.FindingOrphaned, graph.Owner{Name: "claude-code", Liveness: graph.LivenessGone}), "claude-code"},
		{"after the machine has started again", "boot-2", look("57:1", graph.FindingOrphaned, nobody), ""},
	} {
		judged := row.look.Verdicts[0].Target.Owner
		told := startedIn(dir, row.boot).attribute(row.look)
		if got := told.Verdicts[0].Target.Owner; got.Name != row.want || got.Name == "codex" && !got.Since.Equal(noon) {
			t.Errorf("%s: left by %+v, want %q", row.world, got, row.want)
		}
		if row.look.Verdicts[0].Target.Owner != judged {
			t.Errorf("%s: what is judged has changed", row.world)
		}
	}
	first.learn(nil) // a sweep that saw nothing
	if kept, err := dir.Memory("boot-1"); err != nil || kept.Left["57:1"].Name != "codex" {
		t.Errorf("got %+v, %v", kept, err)
	}
	first.learn(first.attribute(look("60:1", graph.FindingNone, codex)).Graph)
	if kept, err := dir.Memory("boot-1"); err != nil || len(kept.Left) > 0 {
		t.Errorf("when all of it is gone: %+v, %v", kept, err)
	}
}

// startedIn is the memory of a daemon that starts.
func startedIn(dir state.Dir, boot string) *memory {
	m := &memory{log: slog.New(slog.DiscardHandler), state: dir}
	m.recall(boot)
	return m
}

// TestWhoLeftAContainerIsKnownWhileItsEngineIsGone: the daemon has only read of the session.
func TestWhoLeftAContainerIsKnownWhileItsEngineIsGone(t *testing.T) {
	box := strings.Repeat("0123456789abcdef", 4)
	codex := graph.Owner{Name: "codex", Kind: graph.OwnerSession, ID: inventory.ID{PID: 12, Start: 7}, Liveness: graph.LivenessGone}
	orphan := &graph.Target{ID: box, Kind: graph.KindContainer, Finding: graph.FindingOrphaned, Owner: graph.Owner{Liveness: graph.LivenessGone}}
	used := &graph.Target{ID: box, Kind: graph.KindContainer}
	look := func(engine inventory.Status, targets ...*graph.Target) sweep.View {
		g := &graph.Graph{Targets: targets, Snapshot: &inventory.Snapshot{
			Host: inventory.Host{BootID: "boot-1"}, Sources: []inventory.Source{{Name: inventory.SourceDocker, Status: engine}},
		}}
		view := sweep.View{Graph: g}
		for _, t := range targets {
			view.Verdicts = append(view.Verdicts, policy.Verdict{Target: t})
		}
		return view
	}
	for _, row := range []struct {
		world   string
		between sweep.View // between the engine's last look and its return
		want    string
	}{
		{"its engine was gone", look(inventory.StatusAbsent), "codex"},
		{"its engine did not answer", look(inventory.StatusError), "codex"},
		{"the engine had it no more", look(inventory.StatusOK), ""},
		{"it was in use in between", look(inventory.StatusPartial, used), ""},
	} {
		dir := state.Dir(t.TempDir())
		if err := dir.Remember(state.Memory{BootID: "boot-1", Left: map[string]graph.Owner{box: codex, "57:1": codex}}); err != nil {
			t.Fatal(err)
		}
		known := startedIn(dir, "boot-1")
		known.attribute(row.between)
		told := known.attribute(look(inventory.StatusOK, orphan))
		if got := told.Verdicts[0].Target.Owner.Name; got != row.want {
			t.Errorf("%s: left by %q, want %q", row.world, got, row.want)
		}
		if _, still := known.leftBy()("57:1"); still {
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
	look := func(lives bool, processes inventory.Status, targets ...*graph.Target) sweep.View {
		g := &graph.Graph{Targets: targets, Snapshot: &inventory.Snapshot{TakenAt: noon,
			Host: inventory.Host{BootID: "boot-1"}, Sources: []inventory.Source{{Name: inventory.SourceProcesses, Status: processes}, {Name: inventory.SourceDocker, Status: inventory.StatusOK}},
		}}
		if lives {
			g.Sessions = []graph.Session{session}
		}
		view := sweep.View{Graph: g}
		for _, t := range targets {
			view.Verdicts = append(view.Verdicts, policy.Verdict{Target: t})
		}
		return view
	}
	unread := look(true, inventory.StatusOK)
	unread.Graph.Snapshot.Sources[1].Status = inventory.StatusError
	for _, row := range []struct {
		world string
		looks []sweep.View
		want  string
	}{
		{"both ended between two looks", []sweep.View{look(true, inventory.StatusOK, runs), look(false, inventory.StatusOK, exited)}, "codex"},
		{"a gateway had it", []sweep.View{look(true, inventory.StatusOK, gateway, container(graph.FindingNone, byHub)), look(false, inventory.StatusOK, exited)}, "codex"},
		{"it ended first", []sweep.View{look(true, inventory.StatusOK, runs), look(true, inventory.StatusOK, exited), look(false, inventory.StatusOK, exited)}, "codex"},
		{"its engine was not read in between", []sweep.View{look(true, inventory.StatusOK, runs), unread, look(false, inventory.StatusOK, exited)}, "codex"},
		{"some looks ago", []sweep.View{look(true, inventory.StatusOK, runs), look(false, inventory.StatusOK, exited), look(false, inventory.StatusOK, exited)}, "codex"},
		{"the session lives", []sweep.View{look(true, inventory.StatusOK, runs), look(true, inventory.StatusOK, exited)}, ""},
		{"the session may live", []sweep.View{look(true, inventory.StatusOK, runs), look(false, inventory.StatusError, exited)}, ""},
		{"it was never seen to have one", []sweep.View{look(true, inventory.StatusOK), look(false, inventory.StatusOK, exited)}, ""},
	} {
		m := startedIn(state.Dir(t.TempDir()), "boot-1")
		var told sweep.View
		for _, look := range row.looks {
			told = m.attribute(look)
		}
		owner := told.Verdicts[0].Target.Owner
		if owner.Name != row.want || row.want != "" && (owner.Liveness != graph.LivenessGone || !owner.Since.Equal(noon)) {
			t.Errorf("%s: left by %+v, want %q", row.world, owner, row.want)
		}
		if by, known := m.leftBy()(box); known != (row.want != "") || by.Name != row.want {
			t.Errorf("%s: the record names %q, want %q", row.world, by.Name, row.want)
		}
		if exited.Owner != (graph.Owner{}) {
			t.Errorf("%s: what is judged has changed", row.world)
		}
	}
}

func TestADaemonThatStartsAgainKnowsTheShapesOfTheOneBefore(t *testing.T) {
	const boot = "boot-1"
	look := func(boot string, processes inventory.Source, targets ...*graph.Target) *graph.Graph {
		processes.Name = inventory.SourceProcesses
		return &graph.Graph{Snapshot: &inventory.Snapshot{Host: inventory.Host{BootID: boot}, Sources: []inventory.Source{processes}}, Targets: targets}
	}
	whole := inventory.Source{Status: inventory.StatusOK}
	own, second := &graph.Target{ID: "57:1", ByShape: true}, &graph.Target{ID: "61:4", ByShape: true}
	named := &graph.Target{ID: "58:1"}
	for _, row := range []struct {
		says  string
		looks []*graph.Graph
		boot  string // in which the next daemon starts
		want  []string
	}{
		{"a server that only its shape tells, beside one that its name tells", []*graph.Graph{look(boot, whole, own, named)}, boot, []string{"57:1"}},
		{"it has ended", []*graph.Graph{look(boot, whole, own, second), look(boot, whole, second)}, boot, []string{"61:4"}},
		{"a look that lacks processes", []*graph.Graph{look(boot, whole, own), look(boot, inventory.Source{Status: inventory.StatusPartial, RowsMissing: inventory.Known(true)}, second)}, boot, []string{"57:1", "61:4"}},
		{"a look that lacks facts about processes, none of which is it", []*graph.Graph{look(boot, whole, own), look(boot, inventory.Source{Status: inventory.StatusPartial, RowsMissing: inventory.Known(false)})}, boot, nil},
		{"a sweep that saw nothing", []*graph.Graph{look(boot, whole, own), nil}, boot, []string{"57:1"}},
		{"the machine has started again", []*graph.Graph{look(boot, whole, own)}, "boot-2", nil},
		{"nobody knows in which boot it was", []*graph.Graph{look("", whole, own)}, "", nil},
	} {
		dir := state.Dir(t.TempDir())
		first := startedIn(dir, boot)
		for _, g := range row.looks {
			first.learn(g)
		}
		if got := startedIn(dir, row.boot).before.ByShape; !slices.Equal(got, row.want) {
			t.Errorf("%s: recalls %q, want %q", row.says, got, row.want)
		}
	}
}
