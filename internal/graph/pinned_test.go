package graph

import (
	"slices"
	"strings"
	"testing"
)

// TestAKeptTargetNamesForWhoseSakeItIsKept: whoever ends that pin wants to know.
func TestAKeptTargetNamesForWhoseSakeItIsKept(t *testing.T) {
	const world = `
		1  0  1  0 null null init
		44 1  44 1 tty  tty  claude
		50 44 44 2 sa@44 sb@44 docker-mcp gateway run
		60 50 44 3 pc@50 pd@50 docker run -i --rm x-mcp
		61 44 44 3 pe@44 pf@44 node /x/y-mcp
		70 1  70 1 tty  tty  codex
		80 70 70 3 pg@70 ph@70 node /x/z-mcp
		container c1 x-mcp 3`
	for _, row := range []struct {
		world  string
		pinned []string // what has a pin of its own, by its first word
		want   string   // for whom each target is kept
	}{
		{"nothing is pinned", nil, ""},
		{"the session", []string{"44"}, "50 for 44; 60 for 44; 61 for 44; c1 for 44"},
		{"the gateway", []string{"50"}, "60 for 50; c1 for 50"},
		{"session and gateway", []string{"44", "50"}, "60 for 50; 61 for 44; c1 for 50"},
		{"session, gateway and docker run", []string{"44", "50", "60"}, "61 for 44; c1 for 50"},
		{"a server by itself", []string{"61"}, ""},
	} {
		g := Correlate(nil, look(t, world), Options{Catalogue: simple{}, Pinned: func(t *Target) (Pin, bool) {
			return Pin{Why: "keeps it"}, slices.Contains(row.pinned, firstWord(t.ID))
		}})
		var kept []string
		for _, target := range g.Targets {
			if by := target.pin().For; by != "" {
				kept = append(kept, firstWord(target.ID)+" for "+firstWord(by))
			}
		}
		slices.Sort(kept)
		if got := strings.Join(kept, "; "); got != row.want {
			t.Errorf("%s: %s, want %s", row.world, got, row.want)
		}
	}
}

// firstWord is the PID in an id, or the whole id of a container.
func firstWord(id string) string {
	pid, _, _ := strings.Cut(id, ":")
	return pid
}
