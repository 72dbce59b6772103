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
		{Name: "github-mcp", Kind: graph.KindServer, Root: &inventory.Process{PID: 4711}},
		{Name: "github-mcp", Kind: graph.KindServer, Root: &inventory.Process{PID: 4712}},
		{Name: "postgres\x1b[31m", Kind: graph.KindContainer, Container: &inventory.Container{ID: strings.Repeat("ab", 32)}},
		{Name: "github-mcp", Kind: graph.KindContainer, Container: &inventory.Container{ID: strings.Repeat("cd", 32)}},
		{Name: "codex", Kind: graph.KindSession, Root: &inventory.Process{PID: 46}},
		{Name: "codex", Kind: graph.KindSession, Root: &inventory.Process{PID: 47}},
	}
	if got, want := namesOf(targets), (Words{"github-mcp\t2 servers and 1 container", "postgres?[31m\t1 container", "codex\t2 sessions"}); !slices.Equal(got, want) {
		t.Errorf("names are offered as %q, want %q", got, want)
	}
}

// Sessions of one name are told from each other by where they run, whatever is found of them.
func TestSessionsAreOfferedAlikeWhateverTheirState(t *testing.T) {
	t.Setenv("HOME", "/home/dev")
	session := func(pid int, name, folder, user string) *graph.Target {
		p := &inventory.Process{PID: pid, Start: 1, Cwd: folder, User: user}
		return &graph.Target{ID: p.ID().String(), Kind: graph.KindSession, Name: name, Root: p, Incidental: true}
	}
	live, idle, failing, anns := session(46, "codex", "/home/dev/src/shop", "dev"), session(47, "codex", "/srv", "dev"), session(48, "codex", "/home/dev", "dev"), session(49, "goose", "", "ann")
	live.Age = 3 * time.Hour
	idle.Incidental, idle.Finding, idle.Idle, idle.Age = false, graph.FindingIdle, inventory.Known(5*time.Minute), 2*time.Hour
	failing.Incidental, failing.Finding = false, graph.FindingZombies
	g := &graph.Graph{Targets: []*graph.Target{live, idle, failing, anns}}
	for _, t := range g.Targets {
		g.Sessions = append(g.Sessions, graph.Session{Process: t.Root, Name: t.Name, Target: t})
	}
	want := Words{
		"47\tsession of codex in /srv, up 2h, idle 5m", "48\tsession of codex in ~", "46\tsession of codex in ~/src/shop, up 3h", "49\tsession of goose",
		"codex\t3 sessions", "goose\t1 session",
	}
	if got := Targets(g); !slices.Equal(got, want) {
		t.Errorf("sessions are offered as %q, want %q", got, want)
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
		Sessions: []graph.Session{{Process: root(46), Name: "codex", Target: &graph.Target{ID: "46:1", Kind: graph.KindSession, Name: "codex", Root: root(46), Incidental: true}}},
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
