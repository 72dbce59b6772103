package sweep

import (
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/reap"
)

func TestWhatEscapedIsNotAskedAgain(t *testing.T) {
	tree := func(pid int, stdin string) *graph.Target {
		p := &inventory.Process{PID: pid, Start: 1, Stdin: pipe(stdin, inventory.PeerClosed)}
		return &graph.Target{ID: p.ID().String(), Root: p, Members: []*inventory.Process{p}}
	}
	escaped := tree(58, "pipe:[1]")
	loop := newLoop()
	for _, outcome := range []Outcome{
		{Outcome: reap.Outcome{TargetID: "58:1", Result: human.Escaped, Survivors: []inventory.ID{{PID: 99, Start: 1}}}, At: time.Now(), lineage: lineageOf(escaped)},
		{Outcome: reap.Outcome{TargetID: "60:1", Result: human.Killed}, At: time.Now(), lineage: lineageOf(tree(60, "pipe:[9]"))},
	} {
		loop.remember(outcome)
	}
	for _, c := range []struct {
		name   string
		target *graph.Target
		grace  time.Duration
	}{
		{"the tree itself", escaped, 0},
		{"what survived it", tree(99, "pipe:[7]"), 0},
		{"what has its stdin", tree(70, "pipe:[1]"), 0},
		{"another process with a survivor's PID", func() *graph.Target { t := tree(99, "pipe:[7]"); t.Root.Start = 2; return t }(), 5 * time.Second},
		{"a tree that was killed and did not escape", tree(60, "pipe:[9]"), 5 * time.Second},
		{"a stranger", tree(80, "pipe:[8]"), 5 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := &graph.Graph{Targets: []*graph.Target{c.target}}
			plan := policy.Plan{Acts: []policy.Act{{TargetID: c.target.ID, Grace: 5 * time.Second}}}
			if got := withoutGrace(plan, g, loop.escapes).Acts[0].Grace; got != c.grace {
				t.Errorf("grace %s, want %s", got, c.grace)
			}
			if plan.Acts[0].Grace != 5*time.Second {
				t.Error("the plan that was shown has changed")
			}
		})
	}
}
