package oneshot

import (
	"slices"
	"testing"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

func TestPinsThatRootsDaemonDoesNotGoByAreTold(t *testing.T) {
	const told = "root's daemon (process 7) goes by a user's pins of processes, not of containers: sudo reaperd pin gh7"
	box := func(finding graph.Finding, veto graph.Veto) policy.Verdict {
		return policy.Verdict{Target: &graph.Target{ID: "c0", Kind: graph.KindContainer, Name: "github", Finding: finding, Container: &inventory.Container{ID: "c0", Name: "/gh7"}, Vetoes: []graph.Veto{veto}}}
	}
	process := policy.Verdict{Target: &graph.Target{ID: "57:1", Finding: graph.FindingOrphaned, Vetoes: []graph.Veto{{Guard: graph.GuardPinned}}}}
	roots, devs := beside.Daemons{{User: "root", PID: 7}}, beside.Daemons{{User: "dev", UID: 1000, PID: 8}}
	for _, row := range []struct {
		world  string
		others beside.Daemons
		is     policy.Verdict
		want   []string
	}{
		{"a container that leaked", roots, box(graph.FindingOrphaned, graph.Veto{Guard: graph.GuardPinned}), []string{told}},
		{"no daemon of root runs", devs, box(graph.FindingOrphaned, graph.Veto{Guard: graph.GuardPinned}), nil},
		{"it is in use", roots, box(graph.FindingNone, graph.Veto{Guard: graph.GuardPinned}), nil},
		{"its label pins it, for everybody", roots, box(graph.FindingOrphaned, graph.Veto{Guard: graph.GuardPinned, Marked: true}), nil},
		{"another guard keeps it", roots, box(graph.FindingOrphaned, graph.Veto{Guard: graph.GuardInUse}), nil},
		{"a process, whose pin root's daemon goes by", roots, process, nil},
	} {
		if got := unheededPins(row.others, []policy.Verdict{row.is}); !slices.Equal(got, row.want) {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
}
