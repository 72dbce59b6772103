package page

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

// TestTheSheetOfAnOlderCopyInUseTellsWhatItsRuleWillDo, and says once that it is one.
func TestTheSheetOfAnOlderCopyInUseTellsWhatItsRuleWillDo(t *testing.T) {
	n := session(44, 3000, server(45))
	it := &n.Children[0]
	it.Owner = overview.Owner{Name: "claude-code", PID: 44, Liveness: graph.LivenessLive}
	it.Rests, it.Reason = true, `an older copy: rule "duplicates" asks for an idle time of 30m, and it has 2m`
	it.Next.Awaits = overview.Awaits{Rule: "duplicates", Origin: "built-in:90", Action: policy.ActionReport, Wants: "an idle time of 30m"}
	a, found := newAbout(Input{Now: noon, Tree: tree(sessions(n))}, it.Key)
	if want := `rule "duplicates" asks for an idle time of 30m, and it has 2m`; !found || a.Reason != want {
		t.Errorf("%q, want %q", a.Reason, want)
	}
	if next := (fact{Name: "next", Text: "rule duplicates only reports it once it has an idle time of 30m (built-in:90)"}); !slices.Contains(a.Facts, next) {
		t.Errorf("no %v in %v", next, a.Facts)
	}
	if owner := (fact{Name: "whose", Text: "claude-code 44", Key: "session:44:1"}); !slices.Contains(a.Facts, owner) {
		t.Errorf("no way up to its session in %v", a.Facts)
	}
}

// TestTheSheetOfWhatGoesWithItsSessionTellsWhen, and by which rule.
func TestTheSheetOfWhatGoesWithItsSessionTellsWhen(t *testing.T) {
	for _, row := range []struct {
		world string
		state overview.State
		due   time.Time
		want  string
	}{
		{"its session waits", overview.StatePending, noon.Add(90 * time.Second), "claude-code 44, with which it goes, stops at 2026-11-26 12:01:30 (rule idle-end)"},
		{"its session is due", overview.StateDue, noon, "claude-code 44, with which it goes, stops (rule idle-end)"},
		{"its session lives", overview.StateKept, time.Time{}, ""},
	} {
		n := session(44, 3000, server(45))
		n.State, n.Next.Rule, n.Next.DueAt = row.state, "idle-end", row.due
		a, _ := newAbout(Input{Now: noon, Tree: tree(sessions(n))}, n.Children[0].Key)
		next := ""
		for _, f := range a.Facts {
			if f.Name == "next" {
				next = f.Text
			}
		}
		if next != row.want {
			t.Errorf("%s: %q, want %q", row.world, next, row.want)
		}
	}
}

// TestTheSheetOfAPinnedOlderCopyPromisesNothing that its pin keeps from coming.
func TestTheSheetOfAPinnedOlderCopyPromisesNothing(t *testing.T) {
	n := session(44, 3000, server(45))
	it := &n.Children[0]
	it.State, it.Rests, it.Reason = overview.StatePinned, true, `an older copy: rule "dups" asks for an idle time of 3m, and it has 2m`
	it.Next.Awaits = overview.Awaits{Rule: "dups", Origin: "policies.yaml:6", Action: policy.ActionTerminate, Wants: "an idle time of 3m"}
	a, _ := newAbout(Input{Now: noon, Tree: tree(sessions(n))}, it.Key)
	if isNext := slices.ContainsFunc(a.Facts, func(f fact) bool { return f.Name == "next" }); isNext || a.Reason != "" || a.State.Word != "pinned" {
		t.Errorf("%s: %q, %v", a.State.Word, a.Reason, a.Facts)
	}
}

// TestTheListNamesAKindOfMemoryOnlyWhereAllIsOfIt.
func TestTheListNamesAKindOfMemoryOnlyWhereAllIsOfIt(t *testing.T) {
	resident := server(46)
	resident.MemoryKind = "rss"
	for want, servers := range map[string][]overview.Node{"memory, PSS": {server(45)}, "memory": {server(45), resident}} {
		n := session(44, 3000, servers...)
		n.MemoryBytes, n.MemoryKind = 3000, "pss"
		in := Input{Now: noon, Tree: tree(sessions(n))}
		in.Tree.Totals.MemoryKind = "pss"
		if len(servers) > 1 {
			in.Tree.Totals.MemoryKind = "rss"
		}
		if got := newView(in).Memory; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestWhatARuleOnlyReportsTellsHowToMakeItAct(t *testing.T) {
	only := server(51)
	only.State, only.Finding = overview.StateReported, graph.FindingOrphaned
	only.Next = overview.Next{Rule: "listening-orphans", Origin: "built-in:73", Action: policy.ActionReport}
	own, guarded := only, only
	own.Next.Origin = "/home/dev/p.yaml:8"
	guarded.Guards = []graph.Veto{{Guard: graph.GuardInUse, Text: "it has 2 clients"}}
	const shipped = "to act add to policies.yaml (extends: builtin): rules: [{name: listening-orphans, action: terminate}]"
	hasRules := policy.Identity{Source: "/home/dev/p.yaml", Rules: policy.List{At: policy.Origin{File: "/home/dev/p.yaml", Line: 3}}}
	for _, row := range []struct {
		world string
		node  overview.Node
		under policy.Identity
		says  string
		not   string
	}{
		{"by a shipped rule", only, policy.Identity{}, shipped + " keep it reaperd pin 51", "write into"},
		{"by a shipped rule, and the reader's file has rules", only, hasRules, "to act add to the rules at ~/p.yaml:3: - {name: listening-orphans, action: terminate}", "write into"},
		{"by a rule of the reader's", own, hasRules, "to act write into the rule at ~/p.yaml:8: action: terminate", "add to"},
		{"kept by a guard, whatever its rule does", guarded, policy.Identity{}, "keep it reaperd pin 51", "to act"},
	} {
		in := Input{Now: noon, Tree: tree(leaked(gone(50, row.node))), Home: "/home/dev"}
		in.Tree.Policy = row.under
		got := text(t, thing(t, in, row.node.Key))
		if !strings.Contains(got, row.says) || strings.Contains(got, row.not) {
			t.Errorf("%s: want %q and not %q in\n%s", row.world, row.says, row.not, got)
		}
	}
}

func TestASumNamesWhatItCounts(t *testing.T) {
	held := session(44, 1_200_000_000, server(45), server(46))
	held.MemoryBytes, held.MemoryKind, held.Totals.MemoryKind = 1_100_000_000, "pss", "pss"
	left := gone(50, pending(51, time.Minute))
	left.Totals.MemoryKind = "pss"
	for want, n := range map[string]*overview.Node{"1.1 GB PSS, 1.2 GB with its 2 servers": &held, "49 MB PSS in 1 server": &left} {
		if got := memoryLine(n); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestTheTimesOfAnIdleSessionAreThoseOfTheLook(t *testing.T) {
	idle := session(44, 1)
	idle.State, idle.Finding, idle.IdleSince, idle.FindingSince = overview.StateIdle, graph.FindingIdle, ago(2*time.Minute), ago(2*time.Minute)
	in := Input{Now: noon.Add(16 * time.Second), Tree: tree(sessions(idle))}
	got := text(t, thing(t, in, idle.Key))
	for _, want := range []string{"do nothing, for 1m 59s (since 2026-11-26 11:58:00)", "idle for 1m 59s, since"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// TestAContainerThatDoesNotRunIsNotUp: it is told when it was started, below its name only.
func TestAContainerThatDoesNotRunIsNotUp(t *testing.T) {
	n := server(51)
	n.Kind, n.Down = overview.KindContainer, true
	if got := (builder{clock: clock{now: noon}}).row(&n).Age; got != unknown {
		t.Errorf("up %q", got)
	}
	n.Down = false
	if got := (builder{clock: clock{now: noon}}).row(&n).Age; got != "1h" {
		t.Errorf("up %q", got)
	}
}

// TestAContainerThatNeverStartedIsToldWhenItWasCreated: it has not run since then.
func TestAContainerThatNeverStartedIsToldWhenItWasCreated(t *testing.T) {
	n := server(51)
	n.StartedAt, n.NeverStarted = ago(2*time.Minute), true
	if got := text(t, thing(t, Input{Now: noon, Tree: tree(sessions(session(60, 1, n)))}, n.Key)); !strings.Contains(got, "created 2026-11-26 11:58:00, 2m ago") {
		t.Error(got)
	}
}
