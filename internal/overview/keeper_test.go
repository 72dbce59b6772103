package overview

import (
	"testing"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
)

// TestWhatIsKeptForAnotherIsNotCountedAsPinned: `reaperd pins` lists one pin.
func TestWhatIsKeptForAnotherIsNotCountedAsPinned(t *testing.T) {
	w := newWorld()
	w.Verdicts = make([]policy.Verdict, 0, 4)
	pinned := w.target(graph.KindServer, "gitlab", 7, gone("codex", 3))
	pinned.Target.Vetoes = []graph.Veto{{Guard: graph.GuardPinned, Text: "reaperd pin keeps it"}, {Guard: graph.GuardPinned, For: "8:80"}}
	with := []graph.Veto{{Guard: graph.GuardPinned, Text: "it may be that of gitlab 7", For: pinned.Target.ID}}
	maybe := w.target(graph.KindServer, "gitlab", 8, gone("codex", 3))
	maybe.Target.Vetoes = with
	tied := w.target(graph.KindServer, "gitlab", 9, gone("codex", 3))
	tied.Rule, tied.Target.Finding, tied.Vetoes = "orphans", graph.FindingOrphaned, with
	labelled := w.target(graph.KindServer, "gitlab", 10, gone("codex", 3))
	labelled.Target.Vetoes = []graph.Veto{{Guard: graph.GuardPinned, Text: "its label reaperd.keep keeps it", Marked: true}}
	tree := Make(w.Input)
	keeper := Keeper{Target: pinned.Target.ID, Title: "gitlab 7"}
	for _, row := range []struct {
		of     *policy.Verdict
		state  State
		with   Keeper
		marked bool
	}{
		{pinned, StatePinned, Keeper{}, false}, {maybe, StatePinned, keeper, false}, {tied, StatePinned, keeper, false}, {labelled, StatePinned, Keeper{}, true},
	} {
		if n := tree.OfTarget(row.of.Target.ID); n.State != row.state || n.KeptWith != row.with || n.Marked != row.marked {
			t.Errorf("%s: %s, kept with %+v, marked %v", n.Title(), n.State, n.KeptWith, n.Marked)
		}
	}
	if tree.Totals.Pinned != 2 {
		t.Errorf("%d are pinned, want 2", tree.Totals.Pinned)
	}
}
