package report

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/policy"
)

// TestModeReportIsSaidToStopNothing: what the rules would stop stays, unless a daemon goes by
// another mode.
func TestModeReportIsSaidToStopNothing(t *testing.T) {
	for _, row := range []struct {
		world     string
		decision  policy.Decision
		mode      policy.Mode
		due       bool
		table, of string // what the first lines say of all, and of one
	}{
		{"a rule is due", policy.Reap, policy.ModeReport, false, "Would stop 2 and free 20 MB. Mode report: nothing is stopped.\n",
			"is orphaned. reaperd would stop it (rule orphaned-servers), but mode report stops nothing.\n"},
		{"a rule waits", policy.Pending, policy.ModeReport, false, "Would stop nothing yet: ",
			"is orphaned. reaperd would stop it once that has held 30s; so far 1s (rule orphaned-servers), but mode report stops nothing.\n"},
		{"a daemon that enforces", policy.Reap, policy.ModeReport, true, "Would stop 2 and free 20 MB; the daemon does that in 12s. Nothing touched.\n",
			"is orphaned. The daemon stops it in 12s (rule orphaned-servers).\n"},
		{"mode enforce", policy.Reap, policy.ModeEnforce, false, "Would stop 2 and free 20 MB. Nothing touched.\n",
			"is orphaned. reaperd would stop it (rule orphaned-servers).\n"},
	} {
		in := waitingForTheDaemon(policy.ActionTerminate)
		in.Policy.Mode, in.Due = row.mode, map[string]time.Time{}
		for i := range in.Verdicts {
			in.Verdicts[i].Decision = row.decision
			if row.due {
				in.Due[in.Verdicts[i].Target.ID] = noon.Add(12 * time.Second)
			}
		}
		var table, one strings.Builder
		if err := Table(&table, in, Options{Width: 140}); err != nil {
			t.Fatal(err)
		}
		if err := Explain(&one, in, in.Verdicts[0].Target.ID, Options{Width: 140}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(table.String(), row.table) || !strings.Contains(one.String(), row.of) {
			t.Errorf("%s: no %q or no %q in\n%s\n%s", row.world, row.table, row.of, table.String(), one.String())
		}
	}
}

// TestWhereNoDaemonRunsItIsSaidThatNothingStopsALeakByItself.
func TestWhereNoDaemonRunsItIsSaidThatNothingStopsALeakByItself(t *testing.T) {
	const one, all = "           no daemon runs, so nothing stops it by itself: reaperd install\n", "have a daemon do it"
	for _, daemon := range []bool{false, true} {
		in := waitingForTheDaemon(policy.ActionTerminate)
		in.Command, in.Daemon = "scan", daemon
		for i := range in.Verdicts {
			in.Verdicts[i].Decision = policy.Reap
		}
		var table, explained strings.Builder
		if err := Table(&table, in, Options{Width: 100}); err != nil {
			t.Fatal(err)
		}
		if err := Explain(&explained, in, in.Verdicts[0].Target.ID, Options{Width: 100}); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(table.String(), all) == daemon || strings.Contains(explained.String(), one) == daemon {
			t.Errorf("a daemon runs: %v\n%s\n%s", daemon, table.String(), explained.String())
		}
	}
}

// TestAUsersModeReportIsNotSaidToStopRootsDaemon, which goes by a policy of its own.
func TestAUsersModeReportIsNotSaidToStopRootsDaemon(t *testing.T) {
	in := waitingForTheDaemon(policy.ActionTerminate)
	in.Policy.Mode, in.ForeignDaemon, in.Daemon, in.Command = policy.ModeReport, true, true, "scan"
	for i := range in.Verdicts {
		in.Verdicts[i].Decision = policy.Reap
	}
	var table, explained strings.Builder
	if err := Table(&table, in, Options{Width: 200}); err != nil {
		t.Fatal(err)
	}
	if err := Explain(&explained, in, in.Verdicts[0].Target.ID, Options{Width: 200}); err != nil {
		t.Fatal(err)
	}
	for out, want := range map[string]string{
		table.String():           "Your mode report stops nothing; root's daemon goes by root's policy.\n",
		explained.String():       "(rule orphaned-servers), but your mode report stops nothing, and root's daemon goes by root's policy.\n",
		explained.String() + " ": "stop it    your policy says mode: report, so of yours only reaperd sweep --mode enforce ",
	} {
		if !strings.Contains(out, want) || strings.Contains(out, "so nothing stops it but") {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// TestAModeReportThatRootsDaemonHasTooStopsAll: nothing tells then whose it is.
func TestAModeReportThatRootsDaemonHasTooStopsAll(t *testing.T) {
	in := waitingForTheDaemon(policy.ActionTerminate)
	in.Policy.Mode, in.ForeignDaemon, in.Daemon, in.RootsRests = policy.ModeReport, true, true, "only reports (mode report): it stops nothing"
	for i := range in.Verdicts {
		in.Verdicts[i].Decision = policy.Reap
	}
	var out strings.Builder
	if err := Table(&out, in, Options{Width: 200}); err != nil {
		t.Fatal(err)
	}
	if want := "Mode report: nothing is stopped.\n"; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in\n%s", want, out.String())
	}
}

// TestNobodyIsToldToLeaveALeakToRootsDaemonThatStopsNothing.
func TestNobodyIsToldToLeaveALeakToRootsDaemonThatStopsNothing(t *testing.T) {
	for rest, want := range map[string]string{"": "; or leave it to root's daemon: sudo reaperd status\n", "is paused: it reaps nothing": "; root's daemon is paused: it reaps nothing\n"} {
		in := waitingForTheDaemon(policy.ActionTerminate)
		in.ForeignDaemon, in.Daemon, in.RootsRests = true, true, rest
		var out strings.Builder
		if err := Table(&out, in, Options{Width: 200}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// TestWhatThePolicyProtectsIsDecided: the entry is the guard, and nothing is left to be decided.
func TestWhatThePolicyProtectsIsDecided(t *testing.T) {
	w := newWorld("linux", 4)
	server := orphaned(w.server("memory", 50, time.Hour, megabyte, ""), gone("claude-code", 44, time.Hour))
	v := w.keep(server)
	v.Protected, v.Reason = &policy.Protect{Name: "mine", Reason: "a demo"}, `protected by "mine": a demo`
	out := explained(t, w.input(), server.ID)
	for _, want := range []string{"guards     protected by \"mine\": a demo\n", "rule       none is asked: what the policy protects stays\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(out, "decide it") {
		t.Errorf("it is decided:\n%s", out)
	}
}
