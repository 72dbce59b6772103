package top

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// besidePinned is a world with a pinned orphan, gitlab 603, and another one, gitlab 613, that
// is kept because it may belong to the first. It is in the same state as gitlab 603's own.
func besidePinned() *world {
	w := newWorld()
	w.Verdicts = make([]policy.Verdict, 0, 2)
	pinned := kept(orphaned(w.server("gitlab", 603, gone("codex", 5)), 0), time.Minute)
	other := kept(orphaned(w.server("gitlab", 613, gone("codex", 5)), 0), time.Minute)
	other.Vetoes = []graph.Veto{{Guard: graph.GuardPinned, Text: "it may be that of gitlab 603, which is kept: reaperd pin keeps it", For: pinned.Target.ID}}
	other.Target.Vetoes = other.Vetoes
	return w
}

// TestWhatIsKeptWithSomethingPinnedSaysWithWhat: `reaperd pins` does not list it.
func TestWhatIsKeptWithSomethingPinnedSaysWithWhat(t *testing.T) {
	const text, ends = "it may be that of gitlab 603, which is kept: reaperd pin keeps it", "(reaperd unpin 603 ends that)"
	for _, row := range []struct {
		page, keys string
		shows      []string
		hides      []string
	}{
		{"the tree", "G", []string{"1 pinned", "kept with gitlab 603"}, []string{"2 pinned"}},
		{"its details", "G enter", []string{"gitlab 613: kept with gitlab 603", "kept       it may be that", text + " " + ends}, []string{"pinned     "}},
		{"why x does not stop it", "G x", []string{"gitlab 613 is kept, so x does not stop it: " + text + " " + ends}, []string{"gitlab 613 is pinned"}},
		{"x on all of it", "g down x", []string{"Nothing is stopped", "gitlab 603: pinned", "gitlab 613: kept with gitlab 603", "x stops none of it. p on a pinned row ends its pin."}, nil},
		{"the foot of all of it", "g down", []string{"p pin all  / filter"}, []string{"x stop"}},
		{"the details of all of it", "g down enter", []string{"x stops none of it: all that it left stays", "esc back  p pin all"}, []string{"x asks", "x stop all"}},
		{"what stays", "e", []string{"kept       2026-11-22", "gitlab 613: " + text, ends}, []string{"pinned     gitlab 613"}},
	} {
		t.Run(row.page, func(t *testing.T) {
			r := reads(t, besidePinned())
			tree := besidePinned().tree()
			r.sends(Seen{Tree: tree, From: Daemon, Pins: []string{"603:1"}})
			r.types(row.keys)
			if len(r.did) != 0 {
				t.Errorf("it does %v", r.did)
			}
			screen := r.screen()
			wantOn(t, screen+strings.Join(strings.Fields(screen), " "), row.shows, row.hides)
		})
	}
}

// TestWhatThePolicyProtectsIdlesAndStays: it is told as idle and kept, as everywhere else, no pin is to be ended, and x
// is not offered. n goes to what leaks, whatever keeps that.
func TestWhatThePolicyProtectsIdlesAndStays(t *testing.T) {
	w := newWorld()
	w.Verdicts = make([]policy.Verdict, 0, 8)
	w.IdleFor = 40 * time.Second
	idle := func(name string, pid int) (*policy.Verdict, graph.Owner) {
		owner := w.session(name, pid)
		s := &w.Graph.Sessions[len(w.Graph.Sessions)-1]
		s.Target = &graph.Target{ID: s.Process.ID().String(), Kind: graph.KindSession, Name: name, Root: s.Process, Members: s.Members, Finding: graph.FindingIdle, Idle: inventory.Known(3 * time.Minute)}
		return w.add(s.Target), owner
	}
	const why = `github 5110 would end with it and is protected by "shared"`
	bound := graph.Veto{Guard: graph.GuardProtected, Text: why}
	session, owner := idle("codex", 5100)
	session.Rule, session.Action, session.Vetoes, session.Bound = "idle-sessions", policy.ActionTerminate, []graph.Veto{bound}, &bound
	session.Reason = `rule "idle-sessions" would stop it, but ` + why
	shared := w.server("github", 5110, owner)
	shared.Protected, shared.Reason = &policy.Protect{Name: "shared"}, `protected by "shared"`
	named, _ := idle("gemini", 5200)
	named.Protected, named.Reason = &policy.Protect{Name: "ours"}, `protected by "ours": bob works there`
	left := w.server("lark-mcp", 603, gone("codex", 5))
	left.Target.Finding, left.Protected, left.Reason = graph.FindingOrphaned, &policy.Protect{Name: "shared"}, `protected by "shared"`
	for _, row := range []struct {
		page, keys string
		shows      []string
		hides      []string
	}{
		{"the tree", "+", []string{"codex 5100", "gemini 5200", "idle 3m, kept", "idle with session"}, []string{"  live", "in use", "pinned"}},
		{"the session's details", "G k k enter", []string{"codex 5100: idle 3m, kept", "but " + why}, []string{"pinned", "counts as idle", "reaperd sweep", "x stop", "keep it"}},
		{"why x does not stop it", "G k k x", []string{"codex 5100 stays: " + why + ". x stops nothing that the policy protects."}, nil},
		{"the protected session", "G enter", []string{"gemini 5200: idle 3m, kept", `why        protected by "ours": bob works there`}, []string{"counts as idle", "reaperd sweep"}},
		{"events", "e", []string{"kept       ", "codex 5100: " + why + " (rule idle-sessions)"}, []string{"pinned", "refused  ", "unpin"}},
		{"n", "n", []string{"lark-mcp 603", "p pin  /"}, []string{"nothing here leaks", "x stop"}},
	} {
		t.Run(row.page, func(t *testing.T) {
			r := reads(t, w)
			r.types(row.keys)
			screen := r.screen()
			wantOn(t, screen+strings.Join(strings.Fields(screen), " "), row.shows, row.hides)
			if t.Failed() {
				t.Log(screen)
			}
		})
	}
}
