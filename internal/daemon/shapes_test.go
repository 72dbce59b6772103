package daemon

import (
	"log/slog"
	"slices"
	"testing"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/state"
)

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
		started := func(boot string) *shapes {
			s := &shapes{log: slog.New(slog.DiscardHandler), state: dir}
			s.recall(boot)
			return s
		}
		first := started(boot)
		for _, g := range row.looks {
			first.learn(g)
		}
		next := started(row.boot)
		if got := next.recalled; !slices.Equal(got, row.want) {
			t.Errorf("%s: recalls %q, want %q", row.says, got, row.want)
		}
	}
}
