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
	const watched, alone = "this once  reaperd sweep --duplicates 119, once it has an idle time of 30m\n", "this once  reaperd sweep --duplicates 119, once a daemon has seen it idle for 30m: reaperd install\n"
	for _, row := range []struct {
		action policy.Action
		daemon bool
		pinned bool
		want   string
	}{
		{policy.ActionReport, true, false, watched}, {policy.ActionReport, false, false, alone},
		{policy.ActionTerminate, true, false, ""}, // that rule stops it by itself
		{policy.ActionReport, true, true, ""},     // nothing stops it
	} {
		w := newWorld("linux", 6)
		copied := owned(w.server("dollhouse", 119, time.Hour, 0), w.session("codex", 111, time.Hour, "/home/dev", 0), "")
		copied.Finding, copied.Idle = graph.FindingDuplicate, inventory.Known(time.Minute)
		if row.pinned {
			copied.Vetoes = []graph.Veto{{Guard: graph.GuardPinned, Text: "it has the label reaperd.keep", Marked: true}}
		}
		w.keep(copied).Threshold = &policy.Threshold{Rule: "duplicates", Action: row.action, Key: keyIdleFor, Wants: "an idle time of 30m", Has: "1m", IdleFor: 30 * time.Minute}
		var out strings.Builder
		in := w.input()
		in.Daemon = row.daemon
		if err := Explain(&out, in, copied.ID, Options{Width: 160}); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); !strings.Contains(got, row.want) || row.want == "" && strings.Contains(got, "this once") {
			t.Errorf("a rule whose action is %s, a daemon %v, pinned %v: no %q in\n%s", row.action, row.daemon, row.pinned, row.want, got)
		}
	}
}
