package overview

import (
	"testing"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
)

// TestWhatIsKeptForAnotherIsNotCountedAsPinned: `reaperd pins` lists one pin.
func TestWhatIsKeptForAnotherIsNotCountedAsPinned(t *testing.T) {
	w := newWorld()
	w.Verdicts = make([]policy.Verdict, 0, 5)
	pinned := w.target(graph.KindServer, "gitlab", 7, gone("codex", 3))
	pinned.Target.Vetoes = []graph.Veto{{Guard: graph.GuardPinned, Text: "reaperd pin keeps it"}, {Guard: graph.GuardPinned, For: "8:80"}}
	with := []graph.Veto{{Guard: graph.GuardPinned, Text: "it may be that of gitlab 7", For: pinned.Target.ID}}
	maybe := w.target(graph.KindServer, "gitlab", 8, gone("codex", 3))
	maybe.Target.Vetoes = with
	tied := w.target(graph.KindServer, "gitlab", 9, gone("codex", 3))
	tied.Rule, tied.Target.Finding, tied.Vetoes = "orphans", graph.FindingOrphaned, with
	labelled := w.target(graph.KindServer, "gitlab", 10, gone("codex", 3))
	labelled.Target.Vetoes = []graph.Veto{{Guard: graph.GuardPinned, Text: "its label reaperd.keep keeps it", Marked: true}}
	others := w.target(graph.KindServer, "gitlab", 11, gone("codex", 3))
	others.Target.Vetoes = []graph.Veto{{Guard: graph.GuardPinned, Text: "reaperd pin of ann keeps it", By: "ann"}}
	tree := Make(w.Input)
	if n := tree.OfTarget(others.Target.ID); n.PinnedBy != "ann" {
		t.Errorf("the other user's is pinned by %q", n.PinnedBy)
	}
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
		t.Errorf("%d are pinned, want 2: of one a label keeps it", tree.Totals.Pinned)
	}
}

// TestWhereRootsDaemonDecidesAUsersPinOfAContainerKeepsNothingFromIt, nor what is kept for its sake. A label
// does, and a pin of a process.
func TestWhereRootsDaemonDecidesAUsersPinOfAContainerKeepsNothingFromIt(t *testing.T) {
	ended := Owner{Name: "codex", Liveness: graph.LivenessGone}
	box := Node{Kind: KindContainer, Handle: "gh5", State: StatePinned, Owner: ended}
	for _, row := range []struct {
		world  string
		change func(*Node)
		upTo   string
		want   string
	}{
		{"root's daemon decides", func(*Node) {}, RootsDaemon, PinnedNotForRoot},
		{"this user's does", func(*Node) {}, "", "pinned"},
		{"that of another user does", func(*Node) {}, "dev's daemon", "pinned"},
		{"its label keeps it", func(n *Node) { n.Marked = true }, RootsDaemon, "kept by its label"},
		{"a variable keeps it", func(n *Node) { n.Marked, n.Kind = true, KindServer }, "", "kept by REAPERD_KEEP"},
		{"it is in use", func(n *Node) { n.Owner.Liveness = graph.LivenessLive }, RootsDaemon, "pinned"},
		{"a process", func(n *Node) { n.Kind = KindServer }, RootsDaemon, "pinned"},
		{"its docker run", func(n *Node) { n.Kind, n.KeptWith = KindServer, Keeper{"c", "github gh5", true} }, RootsDaemon, "up to root's daemon"},
		{"what may be in use, with a pinned process", func(n *Node) {
			n.Kind, n.Owner, n.KeptWith = KindServer, Owner{Liveness: graph.LivenessLive}, Keeper{"c", "docker-mcp 61", false}
		}, RootsDaemon, "kept with docker-mcp 61"},
		{"what may be in use, of which only its user's pin is known", func(n *Node) { n.Owner, n.RunMayBeUsed = Owner{Liveness: graph.LivenessLive}, true }, RootsDaemon, PinnedNotForRoot},
		{"what a pinned process keeps", func(n *Node) { n.KeptWith = Keeper{"c", "github 57", false} }, RootsDaemon, "kept with github 57"},
	} {
		n := box
		row.change(&n)
		if got := (Teller{UpTo: row.upTo}).Words(&n, Place{}); got.Text != row.want {
			t.Errorf("%s: %q, want %q", row.world, got.Text, row.want)
		}
	}
}
