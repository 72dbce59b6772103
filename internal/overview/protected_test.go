package overview

import (
	"testing"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// TestWhereRootsDaemonDecidesAUsersOwnProtectKeepsNothingFromIt: that goes by root's policy. What is in use stays, and
// so does what a guard keeps.
func TestWhereRootsDaemonDecidesAUsersOwnProtectKeepsNothingFromIt(t *testing.T) {
	const up = "up to root's daemon"
	left, unknown := gone("codex", 3), graph.Owner{Liveness: graph.LivenessUnknown}
	none := func(*policy.Verdict) {}
	for _, row := range []struct {
		world  string
		owner  graph.Owner
		change func(*policy.Verdict)
		own    bool
		upTo   string
		want   string
	}{
		{"root's daemon decides", left, none, true, RootsDaemon, up},
		{"this user's alone runs", left, none, true, "", "kept"},
		{"the policy is the host's", left, none, false, RootsDaemon, "kept"},
		{"it would take something along that is protected", left, func(v *policy.Verdict) {
			v.Protected, v.Vetoes = nil, []graph.Veto{{Guard: graph.GuardProtected, Text: "git 7 is protected"}}
		}, true, RootsDaemon, up},
		{"a service runs it", left, func(v *policy.Verdict) { v.Target.Vetoes = []graph.Veto{{Guard: graph.GuardService}} }, true, RootsDaemon, "kept"},
		{"it is pinned too", left, func(v *policy.Verdict) { v.Target.Vetoes = []graph.Veto{{Guard: graph.GuardPinned}} }, true, RootsDaemon, "pinned"},
		{"a live session owns it", graph.Owner{Name: "codex", ID: idOf(3), Liveness: graph.LivenessLive}, none, true, RootsDaemon, "kept"},
		{"nothing proves whose it is", unknown, func(v *policy.Verdict) { v.Target.Finding = graph.FindingNone }, true, RootsDaemon, up},
		{"another user's", unknown, func(v *policy.Verdict) {
			v.Target.Finding, v.Target.Vetoes = graph.FindingNone, []graph.Veto{{Guard: graph.GuardForeign}}
		}, true, RootsDaemon, up},
		{"a container of which root sees no more", unknown, func(v *policy.Verdict) {
			v.Target.Finding, v.Target.Container = graph.FindingNone, &inventory.Container{OpenStdin: inventory.Known(false)}
		}, true, RootsDaemon, "kept"},
		{"it ends with its container", left, func(v *policy.Verdict) { v.EndsWith = "c" }, true, RootsDaemon, "kept"},
	} {
		w := newWorld()
		v := w.server("memory", 40, row.owner)
		v.Target.Finding, v.Protected = graph.FindingOrphaned, &policy.Protect{Name: "mine"}
		row.change(v)
		w.OwnPolicy = row.own
		tree := Make(w.Input)
		n := tree.first(func(n *Node) bool { return n.Target == v.Target.ID })
		teller := Teller{UpTo: row.upTo, OwnPolicy: tree.OwnPolicy}
		if got := teller.Words(n, Place{Branch: BranchLeaked}).Text; got != row.want {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
}
