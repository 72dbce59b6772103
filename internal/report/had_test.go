package report

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
)

// TestWhoHadAContainerWhoseDockerRunHasEndedIsTold: its session lives, and has started it.
func TestWhoHadAContainerWhoseDockerRunHasEndedIsTold(t *testing.T) {
	w := newWorld("linux", 4)
	box := orphaned(w.container("gitlab", "gl-a", "mcp/gitlab", time.Minute, megabyte), graph.Owner{Liveness: graph.LivenessGone})
	w.decide(box, policy.Reap, "orphaned-containers", policy.ActionRemove)
	for had, want := range map[string]string{
		"":               "whose      nobody alive owns it\n",
		"claude-code 12": "whose      nobody alive owns it. claude-code 12 had it, as the daemon saw, and lives on; its docker run has ended.\n",
	} {
		in := w.input()
		in.HadBy = map[string]string{box.ID: had}
		var out strings.Builder
		if err := Explain(&out, in, box.ID, Options{Width: 140}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// TestAScanWithoutLeaksPointsToWhatWasReaped, if something was; one with a leak points to that.
func TestAScanWithoutLeaksPointsToWhatWasReaped(t *testing.T) {
	const history = "reaperd history --since 1h   what was stopped, and why"
	used := newWorld("linux", 4)
	used.keep(used.server("memory", 0, time.Hour, 1<<20, "mcp-server-memory"))
	for _, row := range []struct {
		name                 string
		of                   *world
		reaped, points, demo bool
	}{
		{"nothing runs", newWorld("linux", 4), true, true, true},
		{"nothing runs, nothing was reaped", newWorld("linux", 4), false, false, true},
		{"what runs is in use", used, true, true, false},
		{"something leaks", dollhouse(), true, false, false},
	} {
		in := row.of.input()
		in.Command, in.Reaped = "scan", row.reaped
		var out strings.Builder
		if err := Table(&out, in, Options{Width: 140}); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); strings.Contains(got, history) != row.points || strings.Contains(got, "reaperd demo ") != row.demo {
			t.Errorf("%s:\n%s", row.name, got)
		}
	}
}
