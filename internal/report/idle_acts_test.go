package report

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/asked"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// TestAnIdleSessionSaysHowItIsStopped: for good where its rule stands, as every rule that only reports,
// and this once by a sweep that looks for as long as the look that saw it.
func TestAnIdleSessionSaysHowItIsStopped(t *testing.T) {
	w := newWorld("linux", 4)
	w.session("codex", 12, 2*time.Hour, "/home/dev/src", 0)
	session := &graph.Target{ID: "12:120", Kind: graph.KindSession, Name: "codex", Root: w.sessions[0].Process, Members: w.sessions[0].Members, Finding: graph.FindingIdle, Idle: inventory.Known(26 * time.Second)}
	w.sessions[0].Target = session
	v := w.keep(session)
	v.Rule, v.Action, v.RuleOrigin = "idle-sessions", policy.ActionReport, policy.Origin{File: "/etc/reaperd/policies.yaml", Line: 4}
	for settle, once := range map[time.Duration]string{
		time.Second:      "this once  reaperd sweep --idle-over 26s 12\n",
		26 * time.Second: "this once  reaperd sweep --idle-over 26s --settle 26s 12\n",
	} {
		in := w.input()
		in.Command, in.Settle, in.Asked = "scan", settle, asked.Look{Settle: settle.String()}
		var table, explained strings.Builder
		if err := Table(&table, in, Options{Width: 200}); err != nil {
			t.Fatal(err)
		}
		if err := Explain(&explained, in, session.ID, Options{Width: 200}); err != nil {
			t.Fatal(err)
		}
		const acts = "   rule idle-sessions only reports; to act, write into the rule at /etc/reaperd/policies.yaml:4:\n      action: terminate\n"
		if !strings.Contains(table.String(), acts) || !strings.Contains(explained.String(), once) {
			t.Errorf("want %q and %q in\n%s\n%s", acts, once, table.String(), explained.String())
		}
	}
}
