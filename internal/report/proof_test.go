package report

import (
	"strings"
	"testing"
	"time"
)

func TestTheSameProofIsWordedAlikeInEveryRow(t *testing.T) {
	w := newWorld("linux", 4)
	session := w.session("claude-code", 29, time.Hour, "/home/dev/src", 0)
	w.keep(owned(w.server("git", 31, time.Hour, 0, "git-mcp"), session, "claude-code 29 holds its stdin"))
	w.keep(owned(w.server("a-longer-name-for-files", 33, time.Hour, 0, "fs-mcp"), session, "claude-code 29 holds its stdin"))
	for width, want := range map[int]string{80: "its stdin is held", 120: "claude-code 29 holds its stdin"} {
		var out strings.Builder
		if err := Table(&out, w.input(), Options{Width: width}); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(out.String(), want); n != 2 {
			t.Errorf("%d columns: %d times %q in\n%s", width, n, want, out.String())
		}
	}
}
