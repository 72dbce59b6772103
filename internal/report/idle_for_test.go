package report

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/usage"
)

func TestAServerIsIdleForAtLeastAsLongAsItsSession(t *testing.T) {
	for name, row := range map[string]struct {
		own, session time.Duration
		finding      graph.Finding
		atLeast      bool
		want         string
	}{
		"two looks saw the server, a daemon the session":      {time.Second, 52 * time.Second, graph.FindingNone, false, ", idle for 52s at least"},
		"the server does nothing for longer":                  {time.Hour, 52 * time.Second, graph.FindingNone, false, ", idle for 1h"},
		"the server is busy":                                  {0, 52 * time.Second, graph.FindingNone, false, ""},
		"an older copy, whose evidence has its own idle time": {52 * time.Second, 58 * time.Second, graph.FindingDuplicate, false, ", idle for 52s"},
		"the server ran before the first look":                {50 * time.Minute, time.Second, graph.FindingNone, true, ", idle for 50m at least"},
		"the server has run since about the first look":       {time.Hour - time.Second, time.Second, graph.FindingNone, true, ", idle for 59m 59s"},
	} {
		w := newWorld("linux", 6)
		codex := w.session("codex", 46, time.Hour, "/home/dev", 0)
		p := w.sessions[0].Process
		p.CPUSeconds, p.IOChars = inventory.Known(10.0), inventory.Known[uint64](5)
		w.sessions[0].Activity = usage.Watched{
			LookedAt: inventory.Moment{At: noon}, IdleSince: inventory.Moment{At: noon.Add(-row.session)}, Looks: 2, Window: inventory.Moment{At: noon},
			Used: []usage.Reading{{PID: p.PID, Start: p.Start, CPUSeconds: 10, IOChars: 5}},
		}.Recall(usage.Tree{Processes: []*inventory.Process{p}}, inventory.Moment{At: noon})
		server := owned(w.server("github-mcp-server", 48, time.Hour, 0), codex, "")
		server.Idle, server.Finding, server.IdleAtLeast = inventory.Known(row.own), row.finding, row.atLeast
		w.keep(server)
		var out strings.Builder
		if err := Explain(&out, w.input(), server.ID, Options{Width: 160}); err != nil {
			t.Fatal(err)
		}
		what, _, _ := strings.Cut(out.String(), "started ")
		if row.want == "" && strings.Contains(what, "idle") || !strings.Contains(what, row.want+"\n") {
			t.Errorf("%s: want %q in\n%s", name, row.want, what)
		}
	}
}

// TestAContainerThatNeverStartedIsToldWhenItWasCreated: it has not run since then, and how it is started decides
// nothing.
func TestAContainerThatNeverStartedIsToldWhenItWasCreated(t *testing.T) {
	w := newWorld("linux", 6)
	box := w.container("fetch", "cry", "mcp/fetch", 2*time.Minute, 0)
	box.Container.State = "created"
	w.keep(box)
	box.Owner.Liveness = graph.LivenessUnknown
	if got := explained(t, w.input(), box.ID); strings.Contains(got, "docker run -i") || !strings.Contains(got, "decide it  a rule with its label, image or name decides, or docker rm\n") {
		t.Error(got)
	}
	if got := explained(t, w.input(), box.ID); !strings.Contains(got, "created 2026-") || !strings.Contains(got, "(2m ago)") || strings.Contains(got, "started") {
		t.Error(got)
	}
}
