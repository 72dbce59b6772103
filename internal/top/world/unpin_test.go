package world

import (
	"slices"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/oneshot"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/sweep"
)

// TestWhatAnotherPinKeepsIsTold: which of two orphaned containers is that of the pinned runner
// gitlab 603 cannot be told.
func TestWhatAnotherPinKeepsIsTold(t *testing.T) {
	container := strings.Repeat("a", 64)
	runner := graph.Target{ID: "603:1", Name: "gitlab", Root: &inventory.Process{PID: 603, Start: 1}}
	for _, row := range []struct {
		world string
		guard graph.Veto
		ended []string
		stays []string
		keeps string
	}{
		{"nothing keeps it", graph.Veto{}, []string{container}, nil, ""},
		{"another guard does: the daemon's look has it", graph.Veto{Guard: graph.GuardInUse}, []string{container}, nil, ""},
		{"it may be that of what is pinned", graph.Veto{Guard: graph.GuardPinned, For: runner.ID}, []string{container}, []string{container}, " It stays: gitlab 603 is pinned."},
		{"one of two", graph.Veto{Guard: graph.GuardPinned, For: runner.ID}, []string{"700:1", container}, []string{container}, " 1 of them stays: gitlab 603 is pinned."},
		{"its own label", graph.Veto{Guard: graph.GuardPinned, Marked: true, Text: "its label reaperd.keep says so"}, []string{container}, []string{container}, " It stays: its label reaperd.keep says so."},
		{"what ends with it", graph.Veto{Guard: graph.GuardPinned, For: "9:9", Text: "its gateway is pinned"}, []string{container}, []string{container}, " It stays: its gateway is pinned."},
		{"it is not shown", graph.Veto{}, []string{"404:1"}, []string{"404:1"}, ""},
	} {
		t.Run(row.world, func(t *testing.T) {
			kept := &graph.Target{ID: container, Name: "gitlab"}
			if row.guard.Guard != "" {
				kept.Vetoes = []graph.Veto{row.guard}
			}
			other := &graph.Target{ID: "700:1", Name: "fetch"}
			sight := &oneshot.Sight{View: sweep.View{Graph: &graph.Graph{Targets: []*graph.Target{&runner, kept, other}}, Verdicts: []policy.Verdict{{Target: &runner}, {Target: kept}, {Target: other}}}}
			var ended []state.Pin
			for _, id := range row.ended {
				ended = append(ended, state.Pin{ID: id})
			}
			if stays, keeps := stillKept(sight, ended); !slices.Equal(stays, row.stays) || keeps != row.keeps {
				t.Errorf("%q stay: %q", stays, keeps)
			}
		})
	}
}
