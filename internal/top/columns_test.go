package top

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

// TestNamesGetTheRoomBeforeOwners: the tree tells whose things are too.
func TestNamesGetTheRoomBeforeOwners(t *testing.T) {
	w := ordinary()
	long := w.server("gitlab", 5120, w.Verdicts[3].Target.Owner)
	long.Target.Root.Argv = []string{"docker", "run", "-i", "--rm", "--network", "none", "mcp/gitlab:latest"}
	for _, row := range []struct {
		width        int
		world        *world
		shows, hides []string
	}{
		{120, ordinary(), []string{"OWNER", "npm exec @acme/lark-mcp"}, []string{"…"}},
		{124, w, []string{"docker run -i --rm --network none mcp/gitlab:latest"}, []string{"OWNER", "…"}},
		{150, w, []string{"OWNER", "docker run -i --rm --network none mcp/gitlab:latest"}, []string{"…"}},
		{100, ordinary(), nil, []string{"OWNER"}},
	} {
		r := reads(t, row.world)
		r.sends(Resized{row.width, 24})
		wantOn(t, r.screen(), row.shows, row.hides)
	}
}

// TestTheEndOfASessionIsNotCut: with a countdown its state is too wide for 80 columns.
func TestTheEndOfASessionIsNotCut(t *testing.T) {
	for _, row := range []struct {
		world string
		width int
		mode  policy.Mode
		idle  bool
		in    time.Duration
		want  string
	}{
		{"it is live", 80, policy.ModeEnforce, false, 112 * time.Second, "live, stops 1m 52s "},
		{"it is live, and nobody acts", 80, policy.ModeReport, false, 112 * time.Second, "  would stop 1m 52s "},
		{"it is idle", 80, policy.ModeEnforce, true, 112 * time.Second, "  stops 1m 52s "},
		{"its time has come", 80, policy.ModeReport, false, -time.Second, "  would stop soon "},
		{"on a wide screen", 120, policy.ModeEnforce, false, 112 * time.Second, "live, stops in 1m 52s "},
		{"on a narrow one", 40, policy.ModeReport, true, 599 * time.Second, "  would stop 9m 59s"},
	} {
		w := ordinary()
		w.Mode = row.mode
		tree := w.tree()
		n := tree.Find("session:5100:1")
		n.IdleSince, n.Next.AheadAt = at.Add(-15*time.Minute-33*time.Second), at.Add(row.in)
		if row.idle {
			n.State = overview.StateIdle
		}
		r := reads(t, w)
		r.sends(Resized{row.width, 24}, Seen{Tree: tree, From: Daemon})
		if !strings.Contains(r.screen(), row.want) {
			t.Errorf("%s: no %q in\n%s", row.world, row.want, r.screen())
		}
	}
}
