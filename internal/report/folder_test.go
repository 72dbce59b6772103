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

// Of what another user runs a reader may not read the folder, and is told whose it is.
func TestWhatAnotherUserRunsIsToldByFolderOrUser(t *testing.T) {
	for _, row := range []struct{ world, path, user, want string }{
		{"the reader's own", "/home/dev/src", "dev", "~/src"},
		{"the reader's own, in an unknown folder", "", "dev", ""},
		{"another user's", "/home/ann/src", "ann", "~ann/src"},
		{"another user's, in an unknown folder", "", "ann", "of user ann"},
		{"nobody knows whose", "", "", ""},
	} {
		if got := PlaceOf(row.path, row.user, "/home/dev"); got != row.want {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
	w := newWorld("linux", 4)
	w.keep(owned(w.server("memory", 216, 0, 0, "memory"), w.session("goose", 215, 0, "", 0), ""))
	w.sessions[0].Process.User = "ann"
	if got := rowsOf(t, w.input()); !strings.Contains(got, "goose 215  of user ann") {
		t.Errorf("ann's session is told as\n%s", got)
	}
}

func rowsOf(t *testing.T, in Input) string {
	t.Helper()
	var out strings.Builder
	if err := Table(&out, in, Options{Width: 120, Home: "/home/dev"}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
