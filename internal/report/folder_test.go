package report

import (
	"strings"
	"testing"
)

// Paths are written from the reader's home. In a replay they are another host's.
func TestAReportHasTheReadersHome(t *testing.T) {
	for _, row := range []struct {
		world  string
		replay bool
		want   string
	}{
		{"a look at this host", false, "~/mcp-server/dist/index.js"},
		{"a replay", true, "/srv/work/mcp-server/dist/index.js"},
	} {
		w := newWorld("linux", 4)
		orphan := orphaned(w.server("dollhousemcp", 31877, 0, 0, "node", "/srv/work/mcp-server/dist/index.js"), gone("claude-code", 21655, 0))
		w.keep(orphan)
		in := w.input()
		in.Replay = row.replay
		var out strings.Builder
		if err := Explain(&out, in, orphan.ID, Options{Width: 100, Home: "/srv/work"}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), "what       node "+row.want) {
			t.Errorf("%s: no %q in\n%s", row.world, row.want, out.String())
		}
	}
}
