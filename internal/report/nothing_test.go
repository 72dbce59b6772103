package report

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

// TestAGapDeniesNothingThatWasSeen: one container of an engine that root runs is enough for a gap, and a
// user with four servers was told that there were none.
func TestAGapDeniesNothingThatWasSeen(t *testing.T) {
	stays, older := Nothing{Text: "claude-code 44 stays.", Seen: true}, Nothing{Text: "No older copies here."}
	for _, row := range []struct {
		world   string
		status  inventory.Status
		reason  string
		nothing Nothing
		names   []string
		want    string
	}{
		{"what is named stays", "partial", "", stays, nil, "claude-code 44 stays. Nothing to do."},
		{"what is looked for may be in the gap", "partial", "", older, nil, "No older copies here; not everything could be read. Nothing to do."},
		{"without a gap", "ok", "", older, nil, "No older copies here. Nothing to do."},
		{"a source without an answer", "error", "denied", older, nil, "No older copies here, but not everything could be looked at.\nDocker could not be read (denied)"},
		{"what is named stays, and a source has no answer", "error", "denied", stays, nil, "claude-code 44 stays.\nDocker could not be read (denied)"},
		{"names that mean nothing", "partial", "", Nothing{}, []string{"nosuch", "other"}, "No MCP server, container or session here is called nosuch or other, or belongs to it; not everything could be read. Nothing to do."},
		{"a name, and a source without an answer", "error", "denied", Nothing{}, []string{"nosuch"}, "No MCP server, container or session here is called nosuch, or belongs to it, but not everything could be looked at.\nDocker"},
		{"a live session without servers", "partial", "", Nothing{}, []string{"goose"}, "goose 50 is a live session with no MCP servers. Nothing to do."},
		{"two of them", "ok", "", Nothing{}, []string{"goose", "codex"}, "goose 50 and codex 60 are live sessions with no MCP servers. Nothing to do."},
		{"a container that is no MCP server", "ok", "", Nothing{}, []string{"web"}, "nginx (container web) is no MCP server, and no rule names it. Nothing to do."},
	} {
		w := newWorld("linux", 6)
		for _, name := range []string{"goose", "codex"} {
			owner := w.session(name, 40+10*(len(w.sessions)+1), time.Hour, "/srv", 0)
			session := &w.sessions[len(w.sessions)-1]
			session.Target = &graph.Target{ID: owner.ID.String(), Kind: graph.KindSession, Name: name, Root: session.Process, Incidental: true}
			w.keep(session.Target)
		}
		fetch := w.server("fetch", 100, time.Hour, 0, "")
		if row.nothing.Text == "" {
			w.keep(fetch)
		}
		web := w.container("nginx", "/web", "nginx", time.Hour, 0)
		web.Incidental = true
		w.keep(web)
		in := w.input()
		in.Nothing, in.Graph.Targets = row.nothing, []*graph.Target{fetch}
		in.Graph.Snapshot.Sources[1].Status, in.Graph.Snapshot.Sources[1].Reason = row.status, row.reason
		var out strings.Builder
		if err := Table(&out, in, Options{Width: 160, Names: row.names}); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(out.String(), row.want) {
			t.Errorf("%s: want %q, got\n%s", row.world, row.want, out.String())
		}
	}
}
