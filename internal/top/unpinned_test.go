package top

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
)

// kept gives a verdict's target a pin, which keeps what its rule has had to wait for.
func kept(v *policy.Verdict, held time.Duration) *policy.Verdict {
	v.Decision, v.DueAt, v.For, v.Held = policy.Keep, time.Time{}, 30*time.Second, held
	v.Vetoes = []graph.Veto{{Guard: graph.GuardPinned, Text: "reaperd pin keeps it"}}
	v.Target.Vetoes = v.Vetoes
	return v
}

func TestTheEndOfAPinSaysThatTheDaemonStopsWhatItKept(t *testing.T) {
	for _, row := range []struct {
		world  string
		change func(w *world, v *policy.Verdict)
		wants  string
	}{
		{"its rule's time is over", func(_ *world, v *policy.Verdict) { kept(v, time.Minute) }, "Unpinned git 21800: the daemon stops it now."},
		{"its rule's time is not over", func(_ *world, v *policy.Verdict) { kept(v, 20*time.Second) }, "Unpinned git 21800."},
		{"the daemon only reports", func(w *world, v *policy.Verdict) { kept(v, time.Minute); w.Mode = policy.ModeReport }, "Unpinned git 21800."},
		{"another guard keeps it too", func(_ *world, v *policy.Verdict) {
			kept(v, time.Minute).Vetoes = append(v.Vetoes, graph.Veto{Guard: graph.GuardInUse})
		}, "Unpinned git 21800."},
		{"no look has seen its pin, and it is due", func(_ *world, v *policy.Verdict) { v.Decision, v.DueAt = policy.Reap, time.Time{} }, "Unpinned git 21800: the daemon stops it now."},
		{"no look has seen its pin, and it is not due", func(*world, *policy.Verdict) {}, "Unpinned git 21800."},
	} {
		t.Run(row.world, func(t *testing.T) {
			w := newWorld()
			row.change(w, orphaned(w.server("git", 21800, gone("codex", 21655)), 43*time.Second))
			r := reads(t, w)
			r.sends(Said{Effect: Effect{Do: Unpin, Targets: []string{"21800:1"}}, Lines: []string{"Unpinned git 21800."}})
			if screen := strings.TrimSpace(r.screen()); !strings.Contains(screen+"    ", "\n"+row.wants+"    ") {
				t.Errorf("want %q at the foot:\n%s", row.wants, screen)
			}
		})
	}
}

func TestTheEndOfSeveralPinsSaysHowManyTheDaemonStops(t *testing.T) {
	for _, row := range []struct {
		world string
		held  [2]time.Duration
		wants string
	}{
		{"all are overdue", [2]time.Duration{time.Minute, time.Minute}, "Unpinned 2: the daemon stops them now."},
		{"one of two is", [2]time.Duration{time.Minute, time.Second}, "Unpinned 2: the daemon stops 1 of them now."},
	} {
		w := newWorld()
		w.Verdicts = make([]policy.Verdict, 0, 2)
		for i, held := range row.held {
			kept(orphaned(w.server("git", 21800+10*i, gone("codex", 21655)), 0), held)
		}
		r := reads(t, w)
		r.sends(Said{Effect: Effect{Do: Unpin, Targets: []string{"21800:1", "21810:1"}}, Lines: []string{"Unpinned 2."}})
		wantOn(t, r.screen(), []string{row.wants}, nil)
	}
}

// TestTheEndOfAPinPromisesNothingOfWhatStays: the container may be that of another runner, which
// is pinned.
func TestTheEndOfAPinPromisesNothingOfWhatStays(t *testing.T) {
	const pinned = ": gitlab 603 is pinned."
	for _, row := range []struct {
		world string
		stays []string
		keeps string
		wants string
	}{
		{"one of two stays", []string{"21810:1"}, " 1 of them stays" + pinned, "Unpinned 2: the daemon stops 1 of them now. 1 of them stays" + pinned},
		{"both stay", []string{"21800:1", "21810:1"}, " 2 of them stay" + pinned, "Unpinned 2. 2 of them stay" + pinned},
		{"nobody knows", []string{"21800:1", "21810:1"}, "", "Unpinned 2."},
	} {
		w := newWorld()
		w.Verdicts = make([]policy.Verdict, 0, 2)
		for i := range 2 {
			kept(orphaned(w.server("git", 21800+10*i, gone("codex", 21655)), 0), time.Minute)
		}
		r := reads(t, w)
		r.sends(Resized{120, 24}, Said{Effect: Effect{Do: Unpin, Targets: []string{"21800:1", "21810:1"}}, Lines: []string{"Unpinned 2."}, Stays: row.stays, Keeps: row.keeps})
		if screen := strings.TrimSpace(r.screen()); !strings.Contains(screen+"    ", "\n"+row.wants+"    ") {
			t.Errorf("%s: want %q at the foot:\n%s", row.world, row.wants, screen)
		}
	}
}
