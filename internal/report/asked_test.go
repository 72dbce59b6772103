package report

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/asked"
	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/policy"
)

// TestTheCommandsOfAReportKeepWhatWasAsked: whoever copies one acts on no more than is shown.
func TestTheCommandsOfAReportKeepWhatWasAsked(t *testing.T) {
	due := waitingForTheDaemon(policy.ActionTerminate)
	for i := range due.Verdicts {
		due.Verdicts[i].Decision = policy.Reap
	}
	for _, row := range []struct {
		name    string
		in      Input
		command string
		mode    policy.Mode
		settle  time.Duration
		asked   asked.Look
		want    []string
	}{
		{"a scan of some things by a policy", due, "scan", policy.ModeEnforce, time.Second, asked.Look{Policies: "p.yaml", Output: "wide", Names: []string{"doll*"}},
			[]string{"reaperd sweep --policies p.yaml 'doll*' ", "reaperd explain --policies p.yaml "}},
		{"a scan that looked for less than a sweep does", due, "scan", policy.ModeEnforce, time.Second, asked.Look{Settle: "1s"}, []string{"reaperd sweep "}},
		{"and one that looked for longer", due, "scan", policy.ModeEnforce, time.Minute, asked.Look{Settle: "1m"}, []string{"reaperd sweep --settle 1m "}},
		{"the plan of a sweep", due, "sweep", policy.ModeEnforce, time.Second, asked.Look{Duplicates: true, Settle: "1s", DryRun: true, Yes: true, Names: []string{"57"}},
			[]string{"reaperd sweep --duplicates --settle 1s 57 "}},
		{"in mode report", due, "sweep", policy.ModeReport, time.Second, asked.Look{Mode: "report", Rules: []string{"r"}}, []string{"reaperd sweep --mode enforce --rule r "}},
		{"a proof that takes longer", waitingForTheDaemon(policy.ActionTerminate), "sweep", policy.ModeEnforce, time.Second, asked.Look{Rules: []string{"r"}, Settle: "1s", Names: []string{"57"}},
			[]string{"hint: reaperd sweep --rule r --settle 30s 57 ", "prove it: reaperd sweep --rule r --settle 30s 57\n"}},
	} {
		row.in.Command, row.in.Policy.Mode, row.in.Settle, row.in.Asked = row.command, row.mode, row.settle, row.asked
		var out strings.Builder
		if err := Table(&out, row.in, Options{Width: 160}); err != nil {
			t.Fatal(err)
		}
		for _, want := range row.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: no %q in\n%s", row.name, want, out.String())
			}
		}
		if got := out.String(); strings.Contains(got, "--dry-run") || strings.Contains(got, "--yes") {
			t.Errorf("%s: a command that does not ask, or does not act, in\n%s", row.name, got)
		}
	}
}

// TestASweepThatStopsNothingNamesOneThatWould: whoever typed it wants to act now.
func TestASweepThatStopsNothingNamesOneThatWould(t *testing.T) {
	pending := func(change func(*Input)) Input {
		in := waitingForTheDaemon(policy.ActionTerminate)
		in.Daemon, in.Due, in.Asked = true, map[string]time.Time{}, asked.Look{Names: []string{"fetch"}}
		for i := range in.Verdicts {
			in.Verdicts[i].AtOnce = true
			in.Due[in.Verdicts[i].Target.ID] = noon.Add(12 * time.Second)
		}
		change(&in)
		return in
	}
	both := newWorld("linux", 4)
	owner := both.session("codex", 12, time.Hour, "/srv", 0)
	both.keep(owned(both.server("time", 40, time.Hour, megabyte, "time"), owner, "codex 12 holds its stdin"))
	both.keep(both.server("time", 41, time.Hour, megabyte, "time"))
	mixed := both.input()
	mixed.Command, mixed.Asked = "sweep", asked.Look{Names: []string{"time"}}
	waits := newWorld("linux", 4)
	waits.keep(owned(waits.server("time", 40, time.Hour, megabyte, "time"), waits.session("codex", 12, time.Hour, "/srv", 0), "codex 12 holds its stdin"))
	young := waits.decide(orphaned(waits.server("time", 41, time.Second, megabyte, "time"), gone("codex", 9, time.Second)), policy.Pending, "orphaned-servers", policy.ActionTerminate)
	young.Needs, young.AtOnce = 30*time.Second, true
	proving := waits.input()
	proving.Command, proving.Asked = "sweep", asked.Look{Names: []string{"time"}}
	for _, row := range []struct {
		world      string
		in         Input
		want, none string
	}{
		{"the daemon waits for two orphans", pending(func(*Input) {}), "\nreaperd sweep --now fetch   stop these 2 now, asks first\n", "reaperd explain"},
		{"it is paused", pending(func(in *Input) { in.Paused = true }), "\nreaperd resume   what is due is stopped again\n", "--now"},
		{"one of them is stopped", pending(func(in *Input) { in.Verdicts[0].Decision = policy.Reap }), "About to stop 1", "--now"},
		{"saved snapshots", pending(func(in *Input) { in.Replay = true }), "PENDING", "--now"},
		{"an older copy that its rule only reports", copies(1, false).input(), "\nreaperd sweep --duplicates   stop the older copies this once, asks first\n", "--now"},
		{"an older copy that counts as in use", copies(1, true).input(), "Nothing to do.", "--duplicates"},
		{"a sweep that acts has ended with its plan", pending(func(*Input) {}), "Stopped nothing yet: ", "Would"},
		{"a dry run would not have acted", pending(func(in *Input) { in.DryRun = true }), "Would stop nothing yet: ", "Stopped"},
		{"what is named is in use, but for one that is left alone", mixed, "\nreaperd explain 41   why it is left alone\n", "how it is used"},
		{"what is named is in use, but for one that waits", proving, "\nreaperd explain 41   every line of evidence\n", "how it is used"},
	} {
		var out strings.Builder
		if err := Plan(&out, row.in, Options{Width: 120}); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); !strings.Contains(got, row.want) || strings.Contains(got, row.none) {
			t.Errorf("%s: want %q and no %q in\n%s", row.world, row.want, row.none, got)
		}
	}
}

func TestACommandWithoutRoomForItsPurposeHasItBelow(t *testing.T) {
	in := waitingForTheDaemon(policy.ActionTerminate)
	for i := range in.Verdicts {
		in.Verdicts[i].Decision = policy.Reap
	}
	in.Asked = asked.Look{Policies: "/home/dev/src/dollhouse/policies.yaml"}
	var out strings.Builder
	if err := Table(&out, in, Options{Width: 80}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\nreaperd sweep --policies /home/dev/src/dollhouse/policies.yaml\n   stop these 2, asks first\n", "\nreaperd pin 100   keep it\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// TestWhatADaemonRemembersNeedNotBeProvenAgain: the next sweep asks it too.
func TestWhatADaemonRemembersNeedNotBeProvenAgain(t *testing.T) {
	for _, row := range []struct {
		world  string
		daemon bool
		held   time.Duration
		want   []string
	}{
		{"a daemon has seen most of it", true, 26400 * time.Millisecond, []string{"the rule wants 30s of proof, the daemon has seen 26s", "held 26s of 30s", "4s still to go; prove it: reaperd sweep --settle 4s\n"}},
		{"nobody has looked before", false, time.Second, []string{"two looks gave 1s", "29s still to go; prove it: reaperd sweep --settle 30s\n"}},
		{"a daemon has not looked yet", true, time.Second, []string{"two looks gave 1s", "29s still to go; prove it: reaperd sweep --settle 30s\n"}},
	} {
		in := waitingForTheDaemon(policy.ActionTerminate)
		in.Daemon = row.daemon
		for i := range in.Verdicts {
			v := &in.Verdicts[i]
			v.Target.Held, v.Held, v.DueAt = row.held, row.held, noon.Add(30*time.Second-row.held)
		}
		var out strings.Builder
		if err := Table(&out, in, Options{Width: 160, UTF8: true}); err != nil {
			t.Fatal(err)
		}
		for _, want := range row.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: no %q in\n%s", row.world, want, out.String())
			}
		}
	}
}

func TestASweepOfWhatIsInUseSaysWhoseItIs(t *testing.T) {
	w := newWorld("linux", 6)
	owner := w.session("claude-code", 44, time.Hour, "/srv", 0)
	w.keep(owned(w.server("fetch", 100, time.Hour, 10*megabyte, ""), owner, "claude-code 44 holds its stdin"))
	one := w.input()
	w.keep(owned(w.server("fetch", 101, time.Hour, 10*megabyte, ""), owner, "claude-code 44 holds its stdin"))
	two := w.input()
	for _, row := range []struct {
		world     string
		in        Input
		names     []string
		want, not string
	}{
		{"one was named", one, []string{"100"}, "fetch 100 of claude-code 44, in use. Nothing to do.\n", "1 MCP"},
		{"two were", two, []string{"fetch"}, "2 MCP servers, all in use. Nothing to do.\n", "claude-code 44,"},
		{"nothing was", one, nil, "1 MCP server, in use. Nothing to do.\n", "reaperd explain"},
	} {
		row.in.Command, row.in.Asked.Names = "sweep", row.names
		var out strings.Builder
		if err := Plan(&out, row.in, Options{Width: 120}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), row.want) || strings.Contains(out.String(), row.not) {
			t.Errorf("%s:\n%s", row.world, out.String())
		}
		if hint := "reaperd explain 100   how it is used\n"; strings.Contains(out.String(), hint) != (row.names != nil) {
			t.Errorf("%s:\n%s", row.world, out.String())
		}
	}
}

// TestTheRecordIsLookedUpWhereItWasWritten: in another journal nothing would be found.
func TestTheRecordIsLookedUpWhereItWasWritten(t *testing.T) {
	for journal, want := range map[string]string{
		"":          "reaperd history --since 1h ",
		"/my j/log": "reaperd history --since 1h --journal '/my j/log' ",
	} {
		in := waitingForTheDaemon(policy.ActionTerminate)
		in.Command, in.Asked = "sweep", asked.Look{Journal: journal}
		in.Outcomes = []policy.Outcome{{Target: in.Verdicts[0].Target.ID, Result: done.Killed}}
		var out strings.Builder
		if err := Table(&out, in, Options{Width: 200}); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%q: %v, no %q in\n%s", journal, err, want, out.String())
		}
	}
}
