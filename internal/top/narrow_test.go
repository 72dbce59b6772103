package top

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

// TestANarrowScreenTellsStatesApart: without the state all rows look alike.
func TestANarrowScreenTellsStatesApart(t *testing.T) {
	r := reads(t, ordinary())
	for _, size := range []Resized{{60, 20}, {50, 20}, {40, 20}} {
		r.sends(size)
		wantOn(t, r.screen(), []string{"STATE", "stops in 43s", "in use", "idle 5h"}, nil)
	}
	r.sends(Resized{34, 20})
	wantOn(t, r.screen(), []string{"MEMORY", "40 MB"}, []string{"STATE"})
}

// TestANarrowScreenHasCountdownsAndTheMemoryOfSessions: its one column has to tell both.
func TestANarrowScreenHasCountdownsAndTheMemoryOfSessions(t *testing.T) {
	tree := exited()
	idle := tree.Find("session:5100:1")
	idle.State, idle.IdleSince = overview.StateIdle, at.Add(-5*time.Hour)
	tree.Find("server:5110:1").State = overview.StateKept
	r := reads(t, ordinary())
	r.sends(Resized{40, 20}, Seen{Tree: tree, From: Daemon})
	wantOn(t, r.screen(), []string{"removed in 43s", "live 480 MB", "idle 5h 340 MB", "idle with it"}, []string{"is removed in…", "MEMORY"})
	tree.Pause.On = true
	for width, want := range map[int]string{40: "would go 43s", 80: "would go in 43s", 100: "would be removed in 43s"} {
		r.sends(Resized{width, 20}, Seen{Tree: tree, From: Daemon})
		wantOn(t, r.screen(), []string{want}, nil)
	}
}

// TestANarrowScreenAnswersInWholeSentences: 40 columns hold no sentence in one line.
func TestANarrowScreenAnswersInWholeSentences(t *testing.T) {
	for _, c := range []struct {
		world, keys string
		says        []string
	}{
		{"its head", "", []string{
			"reaperd top devbox 2 sessions, 4 servers, 1 container, 860 MB 1 leaked, 40 MB: stops in 43s The daemon",
			"The daemon stops what its rules say. Looked 14:02:11, again by 14:02:41. NAME",
			"▾ LEAKED 1 server └",
		}},
		{"x on a heading", "n down x", []string{"go to a session, a server or a container first"}},
		{"x on a leaked server", "n x", []string{"looking twice, 10s apart, before the question is asked… 10s esc gives up"}},
		{"another key while it looks", "n x p", []string{"first the question; esc gives it up"}},
		{"a filter that finds nothing", "/ x y z enter", []string{`Nothing here has "xyz" in it. Esc ends the filter.`}},
		{"a page of events", "e", []string{"What ended, what was refused, what could not be seen"}},
		{"a key of the rows on a page", "e s", []string{"esc first goes back to the rows"}},
		{"the foot of details", "n enter", []string{"esc back p pin x stop ↓"}},
	} {
		r := reads(t, ordinary())
		r.sends(Resized{40, 15})
		r.types(c.keys)
		whole := strings.Join(strings.Fields(r.screen()), " ")
		for _, says := range c.says {
			if !strings.Contains(whole, says) {
				t.Errorf("%s: no %q in\n%s", c.world, says, r.screen())
			}
		}
		checkFrame(t, c.world, r.model.Frame(), Resized{40, 15}, true)
	}
}

// TestAFoldedSessionIsToldFromOthers: two of one client differ by folder and terminal.
func TestAFoldedSessionIsToldFromOthers(t *testing.T) {
	w := ordinary()
	w.Verdicts[0].Target.Finding, w.Verdicts[0].Reason = graph.FindingDuplicate, "an older copy"
	r := reads(t, w)
	for width, want := range map[int]string{
		160: "claude-code 4711  ~/src  2 servers and 1 container, 1 an older copy  pts/3",
		100: "claude-code 4711  ~/src  2 servers and",
		80:  "claude-code 4711  ~/src  ",
	} {
		r.sends(Resized{width, 24})
		r.types("-")
		wantOn(t, r.screen(), []string{want}, nil)
	}
}

// TestTheNameGivesWayToACountdown: of a cut row the time is what matters.
func TestTheNameGivesWayToACountdown(t *testing.T) {
	for _, row := range []struct {
		world  string
		change func(*overview.Tree)
		shows  []string
	}{
		{"a container is removed", func(t *overview.Tree) { t.Find("server:21700:1").Next.DueAt = at.Add(9*time.Minute + 59*time.Second) }, []string{"removed 9m 59s"}},
		{"it would be, under a pause", func(t *overview.Tree) {
			t.Pause.On = true
			t.Find("server:21700:1").Next.DueAt = at.Add(9*time.Minute + 59*time.Second)
		}, []string{"would go 9m 59s"}},
		{"a session that was never seen in use", func(t *overview.Tree) {
			n := t.Find("session:5100:1")
			n.State, n.IdleAtLeast, n.IdleSince = overview.StateIdle, true, at.Add(-17*time.Minute-37*time.Second)
		}, []string{"idle 17m 37s+ 340 MB"}},
	} {
		tree := exited()
		row.change(&tree)
		r := reads(t, ordinary())
		r.sends(Resized{40, 20}, Seen{Tree: tree, From: Daemon})
		wantOn(t, r.screen(), append(row.shows, "codex 5", "lark-mcp 2"), nil)
		checkFrame(t, row.world, r.model.Frame(), Resized{40, 20}, true)
	}
}

// TestWithoutUTF8NamesStandApartFromTheTree: a fold is no branch.
func TestWithoutUTF8NamesStandApartFromTheTree(t *testing.T) {
	r := reads(t, ordinary())
	r.model.options.UTF8 = false
	r.sends(Resized{80, 24})
	wantOn(t, r.screen(), []string{"v LEAKED", "`- v codex 21655", "  `- > lark-mcp 21700", "|- v claude-code 4711", "| |- ~ docker 4730", "| | `- fetch fetch-1"}, []string{"`-f", "|--"})
}

// TestAnItemOfTheHeadStaysInOnePiece where it fits on a line.
func TestAnItemOfTheHeadStaysInOnePiece(t *testing.T) {
	w := ordinary()
	tree := w.tree()
	tree.Totals.Reported = 12
	r := reads(t, w)
	for width := 40; width <= 64; width++ {
		r.sends(Resized{width, 40}, Seen{Tree: tree, From: Daemon})
		found := false
		for line := range strings.Lines(r.screen()) {
			found = found || strings.Contains(line, "12 only reported")
		}
		if !found {
			t.Errorf("%d columns:\n%s", width, r.screen())
		}
	}
}

// TestARowSaysThatItsRuleOnlyReportsIt, in as many words as there is room for.
func TestARowSaysThatItsRuleOnlyReportsIt(t *testing.T) {
	onlyReported := func(n *overview.Node) { n.Next = overview.Next{Rule: "some", Action: policy.ActionReport} }
	kept := func(n *overview.Node) {
		n.Next = overview.Next{Rule: "some", Action: policy.ActionTerminate}
		n.Guards = []graph.Veto{{Guard: graph.GuardInUse, Text: "it has 2 clients"}}
	}
	for _, row := range []struct {
		world   string
		finding graph.Finding
		change  func(*overview.Node)
		width   int
		want    string
	}{
		{"a wide screen", graph.FindingOrphaned, onlyReported, 120, "orphaned, only reported"},
		{"a usual one", graph.FindingOrphaned, onlyReported, 80, "orphaned, reported"},
		{"a narrow one", graph.FindingOrphaned, onlyReported, 44, "only reported"},
		{"an older copy on a usual one", graph.FindingDuplicate, onlyReported, 80, "older copy, reported"},
		{"a finding of a long name on a usual one", graph.FindingDisconnected, onlyReported, 80, "only reported"},
		{"what a guard keeps on a wide one", graph.FindingOrphaned, kept, 120, "orphaned, kept: in-use"},
		{"what a guard keeps on a narrow one", graph.FindingOrphaned, kept, 44, "orphaned, kept"},
	} {
		tree := ordinary().tree()
		n := tree.Find("server:21700:1")
		n.State, n.Finding, n.Totals = overview.StateReported, row.finding, overview.Totals{}
		row.change(n)
		r := reads(t, ordinary())
		r.sends(Resized{row.width, 24}, Seen{Tree: tree, From: Daemon})
		r.types("n")
		if got := r.here(); !strings.Contains(got, "  "+row.want+" ") && !strings.HasSuffix(strings.TrimRight(got, " "), "  "+row.want) {
			t.Errorf("%s: %q, want %q in it", row.world, got, row.want)
		}
	}
}
