package world

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/oneshot"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/sweep"
	"github.com/reaperd/reaperd/internal/top"
)

func TestWhatIsPendingNamesTheWaysToStopIt(t *testing.T) {
	noon := time.Date(2026, time.November, 26, 12, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		name   string
		age    time.Duration // counted as held
		daemon time.Time
		mode   policy.Mode
		says   []string
		hides  []string
	}{
		{"the age proves it before the daemon", 20 * time.Minute, noon.Add(25 * time.Minute), "",
			[]string{"lark-mcp 47 stays for now", "wants 30m of proof", "The daemon stops it in 25m.", "In 10m x asks.", "  reaperd sweep --settle 10m 47", "shorter \"for\""}, nil},
		{"the daemon is sooner than any sweep", 0, noon.Add(5 * time.Minute), "",
			[]string{"The daemon stops it in 5m.", "shorter \"for\""}, []string{"--settle", "x asks. So"}},
		{"no daemon stops it", 0, time.Time{}, policy.ModeEnforce,
			[]string{"In 30m x asks.", "  reaperd sweep --mode enforce --settle 30m 47"}, []string{"The daemon"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := &World{Options: Options{Mode: row.mode, Width: func() int { return 80 }}}
			v := &policy.Verdict{
				Target:   &graph.Target{ID: "47:1", Name: "lark-mcp", Finding: graph.FindingOrphaned, Age: row.age},
				Decision: policy.Pending, Rule: "orphaned-servers", Needs: 30 * time.Minute, Held: row.age, DueAt: noon.Add(30*time.Minute - row.age),
			}
			said := strings.Join(w.ways(v, "lark-mcp 47", noon, noon, row.daemon), "\n")
			for _, text := range row.says {
				if !strings.Contains(said, text) {
					t.Errorf("%q is not in\n%s", text, said)
				}
			}
			for _, text := range row.hides {
				if strings.Contains(said, text) {
					t.Errorf("%q is in\n%s", text, said)
				}
			}
		})
	}
}

func TestOnlyWhatASecondLookIsTooEarlyForIsEarly(t *testing.T) {
	noon := time.Date(2026, time.November, 26, 12, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		name     string
		decision policy.Decision
		left     time.Duration
		early    bool
	}{
		{"pending for longer than the second look takes", policy.Pending, 11 * time.Second, true},
		{"proven by the second look", policy.Pending, 10 * time.Second, false},
		{"kept", policy.Keep, time.Hour, false},
		{"due", policy.Reap, 0, false},
	} {
		w := &World{Options: Options{Settle: 10 * time.Second, Width: func() int { return 80 }, State: state.Dir(t.TempDir())}}
		sight := &oneshot.Sight{Policy: &policy.Policy{Sources: []policy.Source{{Name: "builtin"}}}}
		sight.View.Graph = lookAt(noon)
		sight.View.Verdicts = []policy.Verdict{{
			Target: &graph.Target{ID: "47:1", Kind: graph.KindServer, Name: "lark-mcp", Finding: graph.FindingOrphaned}, Decision: row.decision, Needs: time.Minute, DueAt: noon.Add(row.left),
		}}
		w.sight = sight
		if got := w.early(sight, top.Effect{Do: top.Stop, Targets: []string{"47:1"}}, w.Settle); (got != nil) != row.early {
			t.Errorf("%s: it says %q", row.name, got)
		}
		if got := w.early(sight, top.Effect{Do: top.Stop, Targets: []string{"48:1"}}, w.Settle); got != nil {
			t.Errorf("%s: of another target it says %q", row.name, got)
		}
	}
}

func TestWhatStaysIsNamed(t *testing.T) {
	title := func(string) string { return "lark-mcp 47" }
	got := named([]string{"47:2961515 stays.", "", "as 47:2961515 wants"}, []string{"47:2961515"}, title)
	if want := []string{"lark-mcp 47 stays.", "", "as 47:2961515 wants"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestWhatHasEndedMeanwhileIsNotLookedFor(t *testing.T) {
	w := &World{Options: Options{Width: func() int { return 80 }}}
	g := lookAt(time.Now())
	g.Targets = []*graph.Target{{ID: "48:1", Kind: graph.KindServer, Name: "lark-mcp", Root: &inventory.Process{PID: 48, Start: 1}}}
	still, said := w.ended(g, []string{"47:1", "48:1"})
	if !slices.Equal(still, []string{"48:1"}) || !slices.Equal(said, []string{"47 has ended meanwhile."}) {
		t.Errorf("still there are %q; it says %q", still, said)
	}
	g.Snapshot.Sources = []inventory.Source{{Name: inventory.SourceDocker, Status: inventory.StatusError}}
	if still, said := w.ended(g, []string{"47:1"}); len(still) != 1 || said != nil {
		t.Errorf("what could not be read is said to have ended: %q, %q", still, said)
	}
}

func lookAt(at time.Time) *graph.Graph {
	return &graph.Graph{Snapshot: &inventory.Snapshot{TakenAt: at}}
}

// TestWhatLeakedSinceTheLastLookIsLookedAtTwice: a look for an earlier key is no first look at
// what has leaked since.
func TestWhatLeakedSinceTheLastLookIsLookedAtTwice(t *testing.T) {
	g := &graph.Graph{Snapshot: &inventory.Snapshot{TakenAt: time.Now()}, Targets: []*graph.Target{
		{ID: "50:1", Kind: graph.KindServer, Finding: graph.FindingOrphaned}, {ID: "51:1", Kind: graph.KindServer},
	}}
	w := &World{Options: Options{Every: 5 * time.Second, Settle: 10 * time.Second}, sight: &oneshot.Sight{View: sweep.View{Graph: g}}}
	for _, row := range []struct {
		world   string
		targets []string
		found   bool
	}{
		{"it was an orphan then", []string{"50:1"}, true},
		{"it was in use then", []string{"51:1"}, false},
		{"one of two was", []string{"50:1", "51:1"}, false},
		{"it was not there", []string{"52:1"}, false},
	} {
		if got := w.hasFound(row.targets); got != row.found {
			t.Errorf("%s: %v", row.world, got)
		}
	}
	g.Snapshot.TakenAt = time.Now().Add(-time.Minute)
	if w.hasFound([]string{"50:1"}) {
		t.Error("that look is too old")
	}
	if (&World{}).hasFound([]string{"50:1"}) {
		t.Error("nobody has looked yet")
	}
}

func TestOnlyWhatNoLookCanChangeIsKeptAtOnce(t *testing.T) {
	live, unknown := graph.Owner{Liveness: graph.LivenessLive}, graph.Owner{}
	for _, row := range []struct {
		name    string
		verdict policy.Verdict
		target  graph.Target
		ends    policy.Switches
		kept    bool
	}{
		{"in use", policy.Verdict{}, graph.Target{Finding: graph.FindingNone, Owner: live}, policy.Switches{}, true},
		{"only reported by its rule, or overruled by a guard", policy.Verdict{Rule: "listening-orphans"}, graph.Target{Finding: graph.FindingOrphaned}, policy.Switches{}, true},
		{"with a switch", policy.Verdict{Rule: "duplicates"}, graph.Target{Finding: graph.FindingDuplicate, Owner: live}, policy.Switches{Duplicates: true}, false},
		{"a finding that no rule names yet", policy.Verdict{}, graph.Target{Finding: graph.FindingDisconnected, Owner: live}, policy.Switches{}, false},
		{"nobody knows whose", policy.Verdict{}, graph.Target{Finding: graph.FindingNone, Owner: unknown}, policy.Switches{}, false},
		{"pending", policy.Verdict{Rule: "orphaned-servers", Decision: policy.Pending}, graph.Target{Finding: graph.FindingOrphaned}, policy.Switches{}, false},
	} {
		row.target.ID, row.verdict.Target = "47:1", &row.target
		w := &World{sight: &oneshot.Sight{}}
		w.sight.View.Verdicts = []policy.Verdict{row.verdict}
		if got := w.isKept(top.Effect{Do: top.Stop, Targets: []string{"47:1"}, Ends: row.ends}); got != row.kept {
			t.Errorf("%s: %v, want %v", row.name, got, row.kept)
		}
	}
}

func TestNotesAreBrokenAtWordsAndHintsAreLeftOut(t *testing.T) {
	w := &World{Options: Options{Width: func() int { return 40 }}}
	got := w.worthSaying([]string{
		"note: codex 47 is a live session and in use: a sweep stops sessions only with --idle-over",
		"hint: reaperd pins",
		"warning: short",
	})
	want := []string{
		"note: codex 47 is a live session and in",
		"      use: a sweep stops sessions only",
		"      with --idle-over",
		"warning: short",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
