package offer

import (
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/discover"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

func TestEachNameIsOfferedOnce(t *testing.T) {
	targets := []*graph.Target{
		{Name: "github-mcp", Root: &inventory.Process{PID: 4711}},
		{Name: "github-mcp", Root: &inventory.Process{PID: 4712}},
		{Name: "postgres\x1b[31m", Container: &inventory.Container{ID: strings.Repeat("ab", 32)}},
	}
	names := Names(&graph.Graph{Targets: targets})
	if len(names) != 2 || names[0] != "github-mcp\t2 of that name" || strings.Contains(names[1], "\x1b") {
		t.Errorf("names are offered as %q", names)
	}
}

func TestSessionsAreOfferedUnlessATargetStandsForThem(t *testing.T) {
	t.Setenv("HOME", "/home/dev")
	live := &inventory.Process{PID: 46, Start: 1, Cwd: "/home/dev/src/shop", User: "dev"}
	hoard := &inventory.Process{PID: 47, Start: 2}
	g := &graph.Graph{
		Sessions: []graph.Session{{Process: live, Name: "codex"}, {Process: hoard, Name: "claude-code"}},
		Targets:  []*graph.Target{{ID: live.ID().String(), Name: "codex", Kind: graph.KindSession, Root: live, Incidental: true}, {ID: hoard.ID().String(), Name: "claude-code", Kind: graph.KindSession, Root: hoard}},
	}
	got := Targets(g)
	if len(got) != 3 || got[0] != "47\tclaude-code" || got[1] != "46\tsession of codex in ~/src/shop" || got[2] != "claude-code\t1 of that name" {
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

func TestNothingIsOfferedWhereNobodyLooked(t *testing.T) {
	if got := append(Targets(nil), Names(nil)...); len(got) != 0 {
		t.Errorf("got %q", got)
	}
}
