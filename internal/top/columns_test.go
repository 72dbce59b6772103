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

// TestTheDetailsOfASessionThatSoonStopsSayWhatComes, and not only from when on it counts as idle.
func TestTheDetailsOfASessionThatSoonStopsSayWhatComes(t *testing.T) {
	w := ordinary()
	w.Mode = policy.ModeEnforce
	tree := w.tree()
	n := tree.Find("session:5100:1")
	n.IdleSince, n.Next.AheadAt, n.Next.AheadRule = at.Add(-33*time.Second), at.Add(7*time.Second), "idle-end"
	r := reads(t, w)
	r.sends(Resized{120, 24}, Seen{Tree: tree, From: Daemon})
	r.types("/ 5 1 0 0 enter")
	wantOn(t, r.screen(), []string{"live, stops in 7s", "stops with session"}, []string{"idle 5h"})
	r.types("enter")
	said := strings.Join(strings.Fields(r.screen()), " ")
	if !strings.Contains(said, "stops in 7s if it goes on doing nothing (rule idle-end), with all that it holds") {
		t.Errorf("%s", r.screen())
	}
}
