package report

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
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

// Sessions of one name are told apart by what each has: none is put into a group.
func TestEachIdleSessionHasItsOwnRow(t *testing.T) {
	w := newWorld("linux", 4)
	for _, pid := range []int{130, 644} {
		target := w.server("gemini", pid, time.Hour, megabyte, "gemini")
		target.Kind, target.Finding = graph.KindSession, graph.FindingIdle
		w.sessions = append(w.sessions, graph.Session{Process: target.Root, Name: "gemini", Target: target, Liveness: graph.LivenessLive})
		w.decide(target, policy.Reap, "idle-over", policy.ActionTerminate)
	}
	var out strings.Builder
	if err := Table(&out, w.input(), screenOf(100)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\ngemini 130  idle ", "\ngemini 644  idle "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// A rule that the reader has written himself cannot be added a second time, and neither can the list of rules.
func TestARuleActsWhereItIsWritten(t *testing.T) {
	const own = "/home/dev/.config/reaperd/policies.yaml"
	for _, row := range []struct {
		at    string
		under policy.Identity
		want  string
	}{
		{policy.Builtin, policy.Identity{Source: policy.Builtin}, "to act, add to policies.yaml (extends: builtin):\n      rules: [{name: listening-orphans, action: terminate}]\n"},
		{policy.Builtin, policy.Identity{Source: own}, "to act, add to ~/.config/reaperd/policies.yaml:\n      rules: [{name: listening-orphans, action: terminate}]\n"},
		{policy.Builtin, policy.Identity{Source: own, Rules: policy.List{At: policy.Origin{File: own, Line: 3}}}, "to act, add to the rules at ~/.config/reaperd/policies.yaml:3:\n      - {name: listening-orphans, action: terminate}\n"},
		{own, policy.Identity{Source: own, Rules: policy.List{At: policy.Origin{File: own, Line: 3}}}, "to act, write into the rule at ~/.config/reaperd/policies.yaml:8:\n      action: terminate\n"},
	} {
		w := newWorld("linux", 4)
		v := w.decide(orphaned(w.server("web", 31, time.Hour, megabyte, "web"), gone("codex", 7, time.Minute)), policy.Keep, "listening-orphans", policy.ActionReport)
		v.RuleOrigin = policy.Origin{File: row.at, Line: 8}
		in := w.input()
		in.Policy = row.under
		options := screenOf(120)
		options.Home = "/home/dev"
		var out strings.Builder
		if err := Table(&out, in, options); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), row.want) {
			t.Errorf("no %q in\n%s", row.want, out.String())
		}
	}
}

// TestEachSessionThatLeftAFewThingsIsNamed: one of them alone would be taken for the only one.
func TestEachSessionThatLeftAFewThingsIsNamed(t *testing.T) {
	w := newWorld("linux", 4)
	for i, owner := range []graph.Owner{gone("pi", 9, time.Hour), gone("codex", 8, time.Hour)} {
		w.decide(orphaned(w.server("git", 41+i, time.Hour, megabyte, "git"), owner), policy.Reap, "orphaned-servers", policy.ActionTerminate)
	}
	var out strings.Builder
	if err := Table(&out, w.input(), Options{Width: 160}); err != nil {
		t.Fatal(err)
	}
	if want := "left by pi 9 and codex 8\n"; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in\n%s", want, out.String())
	}
}
