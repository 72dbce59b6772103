package report

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

func TestTheCommandThatStopsAnOlderCopyOnceIsNamed(t *testing.T) {
	for action, want := range map[policy.Action]bool{policy.ActionReport: true, policy.ActionTerminate: false} { // that rule stops it by itself
		w := newWorld("linux", 6)
		copied := owned(w.server("dollhouse", 119, time.Hour, 0), w.session("codex", 111, time.Hour, "/home/dev", 0), "")
		copied.Finding, copied.Idle = graph.FindingDuplicate, inventory.Known(time.Minute)
		w.keep(copied).Threshold = &policy.Threshold{Rule: "duplicates", Action: action, Key: keyIdleFor, Wants: "an idle time of 30m", Has: "1m"}
		var out strings.Builder
		if err := Explain(&out, w.input(), copied.ID, Options{Width: 160}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(out.String(), "this once  reaperd sweep --duplicates 119, once it has an idle time of 30m\n"); got != want {
			t.Errorf("a rule whose action is %s, said %t:\n%s", action, got, out.String())
		}
	}
}
