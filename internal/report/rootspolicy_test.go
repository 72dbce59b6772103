package report

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// byOwnPolicy are servers that a user's own policy decides about, beside root's daemon.
func byOwnPolicy(decide func(*policy.Verdict)) Input {
	in := waitingForTheDaemon(policy.ActionTerminate)
	in.Command, in.Daemon, in.ForeignDaemon, in.OwnPolicy = "scan", true, true, true
	in.Policy.Mode, in.Beside = policy.ModeEnforce, beside.Daemons{{User: "root", PID: 77}}
	for i := range in.Verdicts {
		decide(&in.Verdicts[i])
	}
	return in
}

func protects(v *policy.Verdict) {
	*v = policy.Verdict{Target: v.Target, Decision: policy.Keep, Protected: &policy.Protect{Name: "mine"}, Reason: `protected by "mine": I want them`}
}

// TestAUsersOwnPolicyIsNotSaidToBindRootsDaemon: what it protects, and how long it waits, holds for the user's own
// sweeps only.
func TestAUsersOwnPolicyIsNotSaidToBindRootsDaemon(t *testing.T) {
	const roots = "; root's daemon goes by root's policy: sudo reaperd explain 100.\n"
	const ofAll = "That is by your policy; root's daemon goes by root's policy: sudo reaperd scan.\n"
	for _, row := range []struct {
		world  string
		decide func(*policy.Verdict)
		of     []string // what is said of one
	}{
		{"it is protected", protects, []string{
			`fetch 100 is orphaned. Your own sweeps leave it alone (protected by "mine": I want them)` + roots,
			"guards     protected by \"mine\": I want them (for your own sweeps only)\n",
			"rule       none is asked: what your policy protects stays in your own sweeps\n",
		}},
		{"it would take something along that is protected", func(v *policy.Verdict) {
			v.Decision, v.Vetoes = policy.Keep, []graph.Veto{{Guard: graph.GuardProtected, Text: "git 7 is protected"}}
		}, []string{
			"fetch 100 is orphaned. Your own sweeps leave it alone (git 7 is protected)" + roots,
			"guards     git 7 is protected (for your own sweeps only)\n",
		}},
		{"it waits longer", func(*policy.Verdict) {}, []string{"Your own sweeps would stop it once that has held 30s; so far 1s (rule orphaned-servers)" + roots}},
		{"it is due", func(v *policy.Verdict) { v.Decision = policy.Reap }, []string{"Your own sweeps would stop it (rule orphaned-servers)" + roots}},
		{"its rule only reports", func(v *policy.Verdict) { v.Decision, v.Action, v.Reason = policy.Keep, policy.ActionReport, "" }, []string{
			"Your own sweeps leave it alone (rule orphaned-servers only reports it)" + roots}},
	} {
		in := byOwnPolicy(row.decide)
		var table, one strings.Builder
		if err := Table(&table, in, Options{Width: 240}); err != nil {
			t.Fatal(err)
		}
		if err := Explain(&one, in, in.Verdicts[0].Target.ID, Options{Width: 240}); err != nil {
			t.Fatal(err)
		}
		for _, want := range row.of {
			if !strings.Contains(one.String(), want) {
				t.Errorf("%s: no %q in\n%s", row.world, want, one.String())
			}
		}
		if !strings.Contains(table.String(), ofAll) {
			t.Errorf("%s: no %q in\n%s", row.world, ofAll, table.String())
		}
	}
	var table strings.Builder
	if err := Table(&table, byOwnPolicy(protects), Options{Width: 240}); err != nil {
		t.Fatal(err)
	}
	if want := `orphaned, but protected by "mine": I want them (for your own sweeps only)`; !strings.Contains(table.String(), want) {
		t.Errorf("no %q in\n%s", want, table.String())
	}
}

// TestWhatHoldsForRootsDaemonTooIsToldApart: a pin of the user's own process does, and what that user's policy protects
// does not.
func TestWhatHoldsForRootsDaemonTooIsToldApart(t *testing.T) {
	const mine = ` It is kept: protected by "mine": I want them (for your own sweeps only).`
	pin := graph.Veto{Guard: graph.GuardPinned, Text: "reaperd pin keeps it"}
	for _, row := range []struct {
		world  string
		vetoes []graph.Veto
		owned  bool
		owner  int
		want   string
	}{
		{"in use, and protected", nil, true, 1000, mine},
		{"orphaned, protected and pinned", []graph.Veto{pin}, false, 1000, " It is pinned, and root's daemon goes by that."},
		{"in use, protected and pinned", []graph.Veto{pin}, true, 1000, " It is pinned, and root's daemon goes by that."},
		{"another user's", []graph.Veto{pin}, false, 1001, " It is pinned (for your own sweeps only)."},
	} {
		in := byOwnPolicy(protects)
		target := in.Verdicts[0].Target
		in.Graph.Snapshot.Host.UID, target.UID, target.Vetoes = inventory.Known(1000), inventory.Known(row.owner), row.vetoes
		if row.owned {
			target.Finding, target.Owner = graph.FindingNone, graph.Owner{Name: "codex", ID: inventory.ID{PID: 12, Start: 120}, Liveness: graph.LivenessLive}
		}
		if got := explained(t, in, target.ID); !strings.Contains(got, row.want) || strings.Contains(got, "in any case") {
			t.Errorf("%s: no %q in\n%s", row.world, row.want, got)
		}
	}
}

// TestAPolicyThatRootsDaemonMayHaveTooIsJustReaperds: nor is it a user's alone where root's daemon stops nothing, or
// none runs.
func TestAPolicyThatRootsDaemonMayHaveTooIsJustReaperds(t *testing.T) {
	for world, change := range map[string]func(*Input){
		"the host's policy":           func(in *Input) { in.OwnPolicy = false },
		"root's daemon stops nothing": func(in *Input) { in.RootsRests = "is paused: it reaps nothing" },
		"no daemon of root's runs":    func(in *Input) { in.ForeignDaemon, in.Daemon, in.Beside = false, false, nil },
	} {
		in := byOwnPolicy(protects)
		change(&in)
		out := explained(t, in, in.Verdicts[0].Target.ID)
		var table strings.Builder
		if err := Table(&table, in, Options{Width: 240}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out, `. reaperd leaves it alone (protected by "mine"`) || strings.Contains(out+table.String(), "own sweeps") || strings.Contains(table.String(), "by your policy") {
			t.Errorf("%s:\n%s\n%s", world, out, table.String())
		}
	}
}

// TestAGuardThatRootsDaemonHasTooIsNotAUsersAlone.
func TestAGuardThatRootsDaemonHasTooIsNotAUsersAlone(t *testing.T) {
	w := newWorld("linux", 4)
	server := orphaned(w.server("fetch", 50, time.Hour, megabyte, ""), gone("claude-code", 44, time.Hour))
	w.keep(server).Vetoes = []graph.Veto{{Guard: graph.GuardService, Text: "a service runs it"}}
	in := w.input()
	in.Command, in.Daemon, in.ForeignDaemon, in.OwnPolicy = "scan", true, true, true
	out := explained(t, in, server.ID)
	if !strings.Contains(out, "reaperd leaves it alone (") || strings.Contains(out, "root's policy") {
		t.Error(out)
	}
}

// TestWhenAUsersOwnPolicyWouldStopSomethingIsNotToldBesideRootsDaemon: that may stop it sooner, and only root is told.
func TestWhenAUsersOwnPolicyWouldStopSomethingIsNotToldBesideRootsDaemon(t *testing.T) {
	for world, row := range map[string]struct {
		change func(*Input)
		times  int
	}{
		"root's daemon decides":                 {func(*Input) {}, 0},
		"the host's policy":                     {func(in *Input) { in.OwnPolicy = false }, 2},
		"root's daemon stops nothing":           {func(in *Input) { in.RootsRests = "is paused: it reaps nothing" }, 2},
		"no daemon of root's runs":              {func(in *Input) { in.ForeignDaemon, in.Daemon, in.Beside = false, false, nil }, 2},
		"the user's own only reports beside it": {func(in *Input) { in.ForeignDaemon, in.DaemonRests = false, "is in mode report" }, 0},
		"the user's own stops things beside it": {func(in *Input) {
			in.ForeignDaemon = false
			in.Due = map[string]time.Time{in.Verdicts[0].Target.ID: noon.Add(29 * time.Second), in.Verdicts[1].Target.ID: noon.Add(29 * time.Second)}
		}, 2},
	} {
		in := byOwnPolicy(func(*policy.Verdict) {})
		row.change(&in)
		data, err := JSON(in)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(data), `"due_at"`); n != row.times {
			t.Errorf("%s: %d times in\n%s", world, n, data)
		}
	}
}
