package offer

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/discover"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

func TestEachNameIsOfferedOnce(t *testing.T) {
	targets := []*graph.Target{
		{Name: "github-mcp", Root: &inventory.Process{PID: 4711}},
		{Name: "github-mcp", Root: &inventory.Process{PID: 4712}},
		{Name: "postgres\x1b[31m", Container: &inventory.Container{ID: strings.Repeat("ab", 32)}},
	}
	names := namesOf(targets)
	if len(names) != 2 || names[0] != "github-mcp\t2 of that name" || strings.Contains(names[1], "\x1b") {
		t.Errorf("names are offered as %q", names)
	}
}

func TestSessionsAreOfferedUnlessATargetStandsForThem(t *testing.T) {
	t.Setenv("HOME", "/home/dev")
	live := &inventory.Process{PID: 46, Start: 1, Cwd: "/home/dev/src/shop", User: "dev"}
	hoard := &inventory.Process{PID: 47, Start: 2}
	anns := &inventory.Process{PID: 48, Start: 3, User: "ann"}
	g := &graph.Graph{
		Sessions: []graph.Session{{Process: live, Name: "codex"}, {Process: hoard, Name: "claude-code"}, {Process: anns, Name: "goose"}},
		Targets:  []*graph.Target{{ID: live.ID().String(), Name: "codex", Kind: graph.KindSession, Root: live, Incidental: true}, {ID: hoard.ID().String(), Name: "claude-code", Kind: graph.KindSession, Root: hoard}},
	}
	got := Targets(g)
	if !slices.Equal(got, []string{"47\tclaude-code", "46\tsession of codex in ~/src/shop", "48\tsession of goose of user ann", "claude-code\t1 of that name", "codex\t1 live session", "goose\t1 live session"}) {
		t.Errorf("sessions are offered as %q", got)
	}
}

func TestConfiguredNamesAreOfferedOnce(t *testing.T) {
	set := discover.NewSet([]discover.Server{
		{Name: "memory", Client: "codex", File: "/a", Command: "x"}, {Name: "memory", Client: "codex", File: "/b", Command: "x"},
		{Name: "time\x1b[31m", Client: "codex", File: "/a", Command: "y"}, {Client: "codex", File: "/a", Command: "z"},
	}, nil)
	if got := Servers(set); len(got) != 2 || got[0] != "memory\tof codex" || strings.Contains(got[1], "\x1b") {
		t.Errorf("names are offered as %q", got)
	}
}

func TestSweepIsOfferedWhatItCouldStop(t *testing.T) {
	root := func(pid int) *inventory.Process { return &inventory.Process{PID: pid, Start: 1} }
	target := func(pid int, name string, finding graph.Finding) *graph.Target {
		return &graph.Target{ID: root(pid).ID().String(), Name: name, Kind: graph.KindServer, Root: root(pid), Finding: finding}
	}
	used, left, soon := target(11, "used", graph.FindingNone), target(12, "left", graph.FindingOrphaned), target(13, "soon", graph.FindingOrphaned)
	listens, older := target(14, "listens", graph.FindingOrphaned), target(15, "older", graph.FindingDuplicate)
	g := &graph.Graph{
		Sessions: []graph.Session{{Process: root(46), Name: "codex"}},
		Targets:  []*graph.Target{used, left, soon, listens, older},
	}
	verdicts := []policy.Verdict{{Target: used}, {Target: left, Decision: policy.Reap}, {Target: soon, Decision: policy.Pending}, {Target: listens}, {Target: older}}
	for _, c := range []struct {
		name string
		ends policy.Switches
		want string
	}{
		{"what is due, now or later, and nothing that is in use or that the policy keeps", policy.Switches{}, "12 13 left soon"},
		{"copies are stopped with --duplicates only", policy.Switches{Duplicates: true}, "12 13 15 left soon older"},
		{"sessions are stopped with --idle-over only", policy.Switches{IdleOver: time.Hour}, "12 13 46 left soon"},
	} {
		if got := wordsOf(Stoppable(g, verdicts, c.ends)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

// wordsOf are the words without their descriptions.
func wordsOf(words Words) string {
	var all []string
	for _, word := range words {
		text, _, _ := strings.Cut(word, "\t")
		all = append(all, text)
	}
	return strings.Join(all, " ")
}

func TestNothingIsOfferedWhereNobodyLooked(t *testing.T) {
	if got := append(Targets(nil), Stoppable(nil, nil, policy.Switches{})...); len(got) != 0 {
		t.Errorf("got %q", got)
	}
}
