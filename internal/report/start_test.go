package report

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/policy"
)

// Two groups of one name differ by their number: the lines below them name it too.
func TestEachGroupOfANameHasItsOwnStart(t *testing.T) {
	w := newWorld("linux", 4)
	for i := range 12 {
		session := 1797
		if i >= 4 {
			session = 1790
		}
		v := w.decide(orphaned(w.server("lark-mcp", 0, time.Hour, megabyte, "lark-mcp"), gone("claude-code", session, time.Minute)), policy.Pending, "orphaned-servers", policy.ActionTerminate)
		v.Needs = 30 * time.Second
	}
	var out strings.Builder
	if err := Table(&out, w.input(), screenOf(100)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"   4 × lark-mcp: started Thu 26 08:40, left by claude-code 1797\n", "   8 × lark-mcp: started Thu 26 08:40, left by claude-code 1790\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
