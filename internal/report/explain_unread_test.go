package report

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// TestADockerRunWhoseEngineCannotBeAskedNamesTheCure as scan does.
func TestADockerRunWhoseEngineCannotBeAskedNamesTheCure(t *testing.T) {
	const dead = "nothing listens on /run/docker.sock; start the engine"
	for _, row := range []struct {
		world, reason string
		status        inventory.Status
		guard         graph.Guard
		want          string // "" is none
		rests         bool
	}{
		{"the engine does not answer", dead, inventory.StatusError, graph.GuardEngine, "decide it  docker could not be read: " + dead + "\n", true},
		{"there is no engine, which is no fault", "no engine socket found", inventory.StatusAbsent, graph.GuardEngine, "decide it  docker is absent: no engine socket found; start the engine, or name it in DOCKER_HOST\n", false},
		{"the engine answers now, and did not in the look before", "", inventory.StatusOK, graph.GuardEngine, "", false},
		{"what is pinned does not rest on the engine", dead, inventory.StatusError, graph.GuardPinned, "", false},
	} {
		w := newWorld("linux", 4)
		run := orphaned(w.server("github", 233, time.Hour, 0, "docker", "run"), gone("codex", 0, 0))
		run.Vetoes = []graph.Veto{{Guard: row.guard, Text: "a guard keeps it"}}
		w.decide(run, policy.Keep, "orphaned-servers", policy.ActionTerminate)
		w.last.Sources[1].Status, w.last.Sources[1].Reason = row.status, row.reason
		in := w.input()
		var out strings.Builder
		if err := Explain(&out, in, run.ID, Options{Width: 200}); err != nil {
			t.Fatal(err)
		}
		if has := strings.Contains(out.String(), "decide it"); !strings.Contains(out.String(), row.want) || has != (row.want != "") {
			t.Errorf("%s: want %q in\n%s", row.world, row.want, out.String())
		}
		if got := in.RestsOnUnread(run.ID); got != row.rests {
			t.Errorf("%s: it rests on what was not read: %v", row.world, got)
		}
	}
}

// TestWhatNoRightWouldShowIsNotLeftToRoot: nobody can tell more of a container that no docker run owns.
func TestWhatNoRightWouldShowIsNotLeftToRoot(t *testing.T) {
	const plainly, roots = "Nothing proves whose github (container box) is, so reaperd leaves it alone.", "Nothing that this user may read proves whose github (container box) is."
	for _, row := range []struct {
		world   string
		change  func(*graph.Target)
		want    string
		decides bool
	}{
		{"started without -i", func(box *graph.Target) { box.Container.OpenStdin = inventory.Known(false) }, plainly, true},
		{"its docker run may be one that only root can read", func(box *graph.Target) { box.Container.OpenStdin = inventory.Known(true) }, roots, true},
		{"it is no MCP server", func(box *graph.Target) { box.Incidental = true }, "github (container box) is no MCP server, and no rule names it. reaperd leaves it alone.", false},
	} {
		w := newWorld("linux", 4)
		box := w.container("github", "/box", "mcp/github", time.Hour, 0)
		row.change(box)
		w.keep(box)
		in := w.input()
		in.Daemon, in.ForeignDaemon = true, true
		var out strings.Builder
		if err := Explain(&out, in, box.ID, Options{Width: 200}); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(out.String(), row.want) || strings.Contains(out.String(), "decide it") != row.decides {
			t.Errorf("%s: want %q, how to decide it: %v; got\n%s", row.world, row.want, row.decides, out.String())
		}
	}
}
