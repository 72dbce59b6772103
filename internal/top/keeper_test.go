package top

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
)

// besidePinned is a world with a pinned orphan, gitlab 603, and another one, gitlab 613, that
// is kept because it may belong to the first. It is in the same state as gitlab 603's own.
func besidePinned() *world {
	w := newWorld()
	w.Verdicts = make([]policy.Verdict, 0, 2)
	pinned := kept(orphaned(w.server("gitlab", 603, gone("codex", 5)), 0), time.Minute)
	other := kept(orphaned(w.server("gitlab", 613, gone("codex", 5)), 0), time.Minute)
	other.Vetoes = []graph.Veto{{Guard: graph.GuardPinned, Text: "it may be that of gitlab 603, which is kept: reaperd pin keeps it", For: pinned.Target.ID}}
	other.Target.Vetoes = other.Vetoes
	return w
}

// TestWhatIsKeptWithSomethingPinnedSaysWithWhat: `reaperd pins` does not list it.
func TestWhatIsKeptWithSomethingPinnedSaysWithWhat(t *testing.T) {
	const text, ends = "it may be that of gitlab 603, which is kept: reaperd pin keeps it", "(reaperd unpin 603 ends that)"
	for _, row := range []struct {
		page, keys string
		shows      []string
		hides      []string
	}{
		{"the tree", "G", []string{"1 pinned", "kept with gitlab 603"}, []string{"2 pinned"}},
		{"its details", "G enter", []string{"gitlab 613: kept with gitlab 603", "kept       it may be that", text + " " + ends}, []string{"pinned     "}},
		{"why x does not stop it", "G x", []string{"gitlab 613 is kept, so x does not stop it: " + text + " " + ends}, []string{"gitlab 613 is pinned"}},
		{"x on all of it", "g down x", []string{"Nothing is stopped", "gitlab 603: pinned", "gitlab 613: kept with gitlab 603", "x stops none of it. p on a pinned row ends its pin."}, nil},
		{"the foot of all of it", "g down", []string{"p pin all  / filter"}, []string{"x stop"}},
		{"the details of all of it", "g down enter", []string{"x stops none of it: all that it left stays", "esc back  p pin all"}, []string{"x asks", "x stop all"}},
		{"what stays", "e", []string{"kept       2026-11-22", "gitlab 613: " + text, ends}, []string{"pinned     gitlab 613"}},
	} {
		t.Run(row.page, func(t *testing.T) {
			r := reads(t, besidePinned())
			tree := besidePinned().tree()
			r.sends(Seen{Tree: tree, From: Daemon, Pins: []string{"603:1"}})
			r.types(row.keys)
			if len(r.did) != 0 {
				t.Errorf("it does %v", r.did)
			}
			screen := r.screen()
			wantOn(t, screen+strings.Join(strings.Fields(screen), " "), row.shows, row.hides)
		})
	}
}
