package report

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// waitingForTheDaemon has two orphans with 29s left by the looks alone, and 12s by the
// daemon.
func waitingForTheDaemon(action policy.Action) Input {
	w := newWorld("linux", 6)
	for pid := 100; pid < 102; pid++ {
		server := orphaned(w.server("fetch", pid, time.Hour, 10*megabyte, ""), gone("claude-code", 44, time.Hour))
		v := w.decide(server, policy.Pending, "orphaned-servers", action)
		v.Needs, v.Held, v.DueAt = 30*time.Second, time.Second, noon.Add(29*time.Second)
		v.Reason = `rule "orphaned-servers" wants it to hold for 30s, and it has for 1s`
	}
	return w.input()
}

func TestAReportTellsTheCountdownOfTheDaemonThatRuns(t *testing.T) {
	for _, row := range []struct {
		world  string
		action policy.Action
		daemon time.Duration // zero: the daemon does not reap them
		want   []string
		not    []string
	}{
		{"no daemon ends them", policy.ActionTerminate, 0,
			[]string{"two looks gave 1s", "· held 1s of 30s", "29s still to go; prove it: reaperd sweep --settle 30s"}, []string{"the daemon stops"}},
		{"the daemon has seen them for longer than the two looks", policy.ActionTerminate, 12 * time.Second,
			[]string{"Would stop nothing yet: the daemon stops 2 servers in 12s.", "· held 18s of 30s", "   the daemon stops them in 12s\n"}, []string{"prove it", "still to go", "hint:"}},
		{"a time to go is over by then", policy.ActionTerminate, 11*time.Second + 200*time.Millisecond, []string{"the daemon stops 2 servers in 12s.", "   the daemon stops them in 12s\n"}, nil},
		{"it is due in less than a second", policy.ActionTerminate, 300 * time.Millisecond, []string{"the daemon stops them in 1s\n"}, nil},
		{"the daemon removes", policy.ActionRemove, 12 * time.Second, []string{"the daemon removes them in 12s"}, []string{"prove it"}},
		{"it is due", policy.ActionTerminate, -time.Second, []string{"the daemon stops them now", "· held 30s of 30s"}, []string{"still to go"}},
	} {
		in := waitingForTheDaemon(row.action)
		if in.Daemon = row.daemon != 0; in.Daemon {
			in.Due = map[string]time.Time{}
			for i := range in.Verdicts {
				in.Due[in.Verdicts[i].Target.ID] = noon.Add(row.daemon)
			}
		}
		var out strings.Builder
		if err := Table(&out, in, Options{Width: 120, UTF8: true}); err != nil {
			t.Fatal(err)
		}
		for _, want := range row.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: no %q in\n%s", row.world, want, out.String())
			}
		}
		for _, not := range row.not {
			if strings.Contains(out.String(), not) {
				t.Errorf("%s: %q in\n%s", row.world, not, out.String())
			}
		}
	}
}

func TestWhatNobodyOwnsNeedNotWaitForWhatSomebodyOwns(t *testing.T) {
	in := waitingForTheDaemon(policy.ActionTerminate)
	in.Verdicts[0].AtOnce = true
	var out strings.Builder
	if err := Table(&out, in, Options{Width: 120}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"hint: reaperd sweep --settle 30s ", "reaperd sweep --now   stop 100 now, asks first "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestWhatIsPendingIsCountedByKind(t *testing.T) {
	in := waitingForTheDaemon(policy.ActionTerminate)
	in.Verdicts[1].Target.Kind = graph.KindContainer
	in.Daemon, in.Due = true, map[string]time.Time{in.Verdicts[0].Target.ID: noon.Add(12 * time.Second), in.Verdicts[1].Target.ID: noon.Add(12 * time.Second)}
	var out strings.Builder
	if err := Table(&out, in, Options{Width: 120}); err != nil {
		t.Fatal(err)
	}
	if want := "the daemon stops 1 server and 1 container in 12s.\n"; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in\n%s", want, out.String())
	}
}

func TestADaemonThatDoesNotKnowOfItYetIsToldWithItsNextLook(t *testing.T) {
	for next, want := range map[time.Duration]string{
		17 * time.Second: "hint: reaperd sweep --settle 30s   looks for that long, then asks to stop these 2; or leave it to the daemon, which looks in 17s: reaperd status\n",
		-time.Second:     "hint: reaperd sweep --settle 30s   looks for that long, then asks to stop these 2; or leave it to the daemon: reaperd status\n",
		0:                "hint: reaperd sweep --settle 30s   looks for that long, then asks to stop these 2; or leave it to root's daemon: sudo reaperd status\n",
	} {
		in := waitingForTheDaemon(policy.ActionTerminate)
		in.Daemon, in.NextLook, in.ForeignDaemon = true, noon.Add(next), next == 0
		var out strings.Builder
		if err := Table(&out, in, Options{Width: 160}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// TestADaemonOfAnotherPolicyIsNotLeftWhatOnlyThisOneStops: what it does is told by its own policy.
func TestADaemonOfAnotherPolicyIsNotLeftWhatOnlyThisOneStops(t *testing.T) {
	const scans = "the daemon goes by another policy (/etc/p.yaml): reaperd scan --policies /etc/p.yaml\n"
	for decision, want := range map[policy.Decision]string{policy.Pending: "stop these 2; " + scans, policy.Reap: "   " + scans} {
		in := waitingForTheDaemon(policy.ActionTerminate)
		in.Daemon, in.DaemonDiffers, in.DaemonPolicy, in.NextLook = true, true, "/etc/p.yaml", noon.Add(17*time.Second)
		for i := range in.Verdicts {
			in.Verdicts[i].Decision = decision
		}
		var table, one strings.Builder
		if err := Table(&table, in, Options{Width: 200}); err != nil {
			t.Fatal(err)
		}
		if err := Explain(&one, in, in.Verdicts[0].Target.ID, Options{Width: 200}); err != nil {
			t.Fatal(err)
		}
		if got := table.String(); !strings.Contains(got, want) || strings.Contains(got, "leave it to") || !strings.Contains(one.String(), "           "+scans) {
			t.Errorf("no %q in\n%s\n%s", want, got, one.String())
		}
	}
}

func TestADaemonThatOnlyReportsIsNotSaidToAct(t *testing.T) {
	in := waitingForTheDaemon(policy.ActionTerminate)
	in.Daemon, in.DaemonRests, in.NextLook = true, "is in mode report", noon.Add(17*time.Second)
	var out strings.Builder
	if err := Table(&out, in, Options{Width: 160}); err != nil {
		t.Fatal(err)
	}
	if want := "hint: reaperd sweep --settle 30s   looks for that long, then asks to stop these 2; the daemon is in mode report, and stops nothing: reaperd status\n"; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in\n%s", want, out.String())
	}
	in.Beside = beside.Daemons{{User: "root", PID: 7}}
	out.Reset()
	if err := Table(&out, in, Options{Width: 200}); err != nil {
		t.Fatal(err)
	}
	if want := "your daemon is in mode report, and root's daemon (process 7) decides by its own policy: sudo reaperd status\n"; !strings.Contains(out.String(), want) {
		t.Errorf("root's daemon acts: no %q in\n%s", want, out.String())
	}
	in.RootsRests = "is paused: it reaps nothing"
	if got, want := table(t, in), "your daemon is in mode report, and root's daemon (process 7) is paused: it reaps nothing: sudo reaperd status\n"; !strings.Contains(got, want) {
		t.Errorf("root's daemon is paused: no %q in\n%s", want, got)
	}
}

func TestOfSeveralTheFirstAndTheLastAreTold(t *testing.T) {
	in := waitingForTheDaemon(policy.ActionTerminate)
	in.Daemon, in.Due = true, map[string]time.Time{in.Verdicts[0].Target.ID: noon.Add(24 * time.Second), in.Verdicts[1].Target.ID: noon.Add(29 * time.Minute)}
	var out strings.Builder
	if err := Table(&out, in, Options{Width: 120}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Would stop nothing yet: the daemon stops 2 servers in 29m, the first in 24s.\n", "the daemon stops them in 29m, the first in 24s\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestWhatNobodyOwnsNeedNotWait(t *testing.T) {
	for _, row := range []struct {
		world  string
		daemon bool
		first  policy.Decision // of one of the two; the other is pending
		want   string
	}{
		{"both are pending", false, policy.Pending, "hint: reaperd sweep --now   asks to stop these 2, without waiting; or leave it to a daemon: reaperd install\n"},
		{"the daemon waits for both", true, policy.Pending, "reaperd sweep --now   stop these 2 now, asks first    reaperd explain 100"},
		{"one of them is due", false, policy.Reap, "reaperd sweep         stop it, asks first       reaperd sweep --now   the pending too\n"},
	} {
		in := waitingForTheDaemon(policy.ActionTerminate)
		in.Verdicts[0].Decision = row.first
		in.Daemon, in.Due = row.daemon, map[string]time.Time{}
		for i := range in.Verdicts {
			in.Verdicts[i].AtOnce = true
			if row.daemon {
				in.Due[in.Verdicts[i].Target.ID] = noon.Add(12 * time.Second)
			}
		}
		var table, explained strings.Builder
		if err := Table(&table, in, Options{Width: 120, UTF8: true}); err != nil {
			t.Fatal(err)
		}
		if err := Explain(&explained, in, in.Verdicts[1].Target.ID, Options{Width: 120}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(table.String(), row.want) || strings.Contains(table.String(), "--settle") || strings.Count(table.String(), "--now") != 1 {
			t.Errorf("%s: no %q, or another way, in\n%s", row.world, row.want, table.String())
		}
		if want := "stop now   reaperd sweep --now 101\n"; !strings.Contains(explained.String(), want) {
			t.Errorf("%s: no %q in\n%s", row.world, want, explained.String())
		}
	}
}

func TestADeadlineOfAnotherPolicyIsNoMeasureOfTheProof(t *testing.T) {
	in := waitingForTheDaemon(policy.ActionTerminate)
	in.Daemon, in.DaemonDiffers, in.Due = true, true, map[string]time.Time{}
	for i := range in.Verdicts {
		in.Verdicts[i].For = 30 * time.Minute
		in.Due[in.Verdicts[i].Target.ID] = noon.Add(3 * time.Second)
	}
	var table, explained strings.Builder
	if err := Table(&table, in, Options{Width: 160, UTF8: true}); err != nil {
		t.Fatal(err)
	}
	if err := Explain(&explained, in, in.Verdicts[0].Target.ID, Options{Width: 120}); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]string{
		table.String():     {"two looks gave 1s", "· held 1s of 30s", "; by its own policy the daemon stops them in 3s\n"},
		explained.String(): {"so far 1s (rule orphaned-servers)", "for: 30m, held 1s", "by its own policy the daemon stops it in 3s\n"},
	} {
		for _, want := range want {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
		if strings.Contains(text, "29m") {
			t.Errorf("the time held is computed from the deadline of another policy:\n%s", text)
		}
	}
}

func TestWhatCountsByItsAgeIsNotSaidToCountByTheLooks(t *testing.T) {
	in := waitingForTheDaemon(policy.ActionTerminate)
	for held, want := range map[time.Duration]string{time.Second: "two looks gave 1s.", 8 * time.Second: "the age gives 8s."} {
		for i := range in.Verdicts {
			in.Verdicts[i].Held = held
		}
		var out strings.Builder
		if err := Table(&out, in, Options{Width: 120}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), "the rule wants 30s of proof, "+want) {
			t.Errorf("held %s: no %q in\n%s", held, want, out.String())
		}
	}
}

func TestWhatASweepWouldEndTheDaemonMayStillWaitFor(t *testing.T) {
	in := waitingForTheDaemon(policy.ActionTerminate)
	in.Daemon, in.Due = true, map[string]time.Time{}
	for i := range in.Verdicts {
		in.Verdicts[i].Decision = policy.Reap
		in.Due[in.Verdicts[i].Target.ID] = noon.Add(12 * time.Second)
	}
	var out strings.Builder
	if err := Table(&out, in, Options{Width: 120}); err != nil {
		t.Fatal(err)
	}
	if err := Explain(&out, in, in.Verdicts[0].Target.ID, Options{Width: 120}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Would stop 2 and free 20 MB; the daemon does that in 12s. Nothing touched.\n", "fetch 100 is orphaned. The daemon stops it in 12s (rule orphaned-servers).\n", "   the daemon stops them in 12s; a sweep need not wait\n", "reaperd sweep ", "agreed by 2 looks\n           the daemon has counted 18s of 30s\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestWhereTheDaemonEndsOneOfTwoBothAreNotPromised(t *testing.T) {
	in := waitingForTheDaemon(policy.ActionTerminate)
	one := in.Verdicts[0].Target.ID
	in.Daemon, in.Due = true, map[string]time.Time{one: noon.Add(12 * time.Second)}
	var out strings.Builder
	if err := Table(&out, in, Options{Width: 120}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "the daemon stops them") {
		t.Errorf("both are promised:\n%s", out.String())
	}
	out.Reset()
	if err := Explain(&out, in, one, Options{Width: 120}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"The daemon stops it in 12s (rule orphaned-servers).", "held 18s in the daemon's looks\nwould do"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	data, err := ExplainJSON(in, one)
	if err != nil {
		t.Fatal(err)
	}
	var explained struct {
		Target struct {
			DueAt time.Time `json:"due_at"`
		} `json:"target"`
	}
	if err := json.Unmarshal(data, &explained); err != nil || !explained.Target.DueAt.Equal(noon.Add(12*time.Second)) {
		t.Errorf("due at %s, %v", explained.Target.DueAt, err)
	}
}

// TestWhatTheDaemonHasNotSeenHasNoTime: it counts from its own first look, and these looks do not know when that is over.
func TestWhatTheDaemonHasNotSeenHasNoTime(t *testing.T) {
	for _, row := range []struct {
		world    string
		of       func(*Input)
		due, why string
	}{
		{"no daemon runs: by a sweep", func(*Input) {}, "2026-11-26T09:40:29Z", `rule "orphaned-servers" wants it to hold for 30s, and it has for 1s`},
		{"the daemon that runs", func(in *Input) { in.Daemon = true }, "", `rule "orphaned-servers" wants it to hold for 30s, and the daemon has not seen it yet`},
		{"the daemon goes by another policy", func(in *Input) { in.Daemon, in.DaemonDiffers = true, true }, "2026-11-26T09:40:29Z", `rule "orphaned-servers" wants it to hold for 30s, and it has for 1s`},
		{"the report of a sweep", func(in *Input) { in.Daemon, in.Command = true, "sweep" }, "2026-11-26T09:40:29Z", `rule "orphaned-servers" wants it to hold for 30s, and it has for 1s`},
	} {
		in := waitingForTheDaemon(policy.ActionTerminate)
		for i := range in.Verdicts {
			in.Verdicts[i].For = 30 * time.Second
		}
		row.of(&in)
		data, err := ExplainJSON(in, in.Verdicts[0].Target.ID)
		if err != nil {
			t.Fatal(err)
		}
		var explained struct {
			Target struct {
				Due    string `json:"due_at"`
				Reason string
			}
		}
		if err := json.Unmarshal(data, &explained); err != nil || explained.Target.Due != row.due || explained.Target.Reason != row.why {
			t.Errorf("%s: due at %q, since %q, want %q and %q (%v)", row.world, explained.Target.Due, explained.Target.Reason, row.due, row.why, err)
		}
	}
}

// Of things that need different proofs, the headline tells both times, and the hint what a
// plain sweep is enough for.
func TestTheHeadlineTellsTheShortestProofToo(t *testing.T) {
	in := waitingForTheDaemon(policy.ActionTerminate)
	first, last := &in.Verdicts[0], &in.Verdicts[1]
	first.Held, first.DueAt, first.Target.Held = 27*time.Second, noon.Add(3*time.Second), time.Second
	last.Needs, last.DueAt = 2*time.Minute, noon.Add(119*time.Second)
	var out strings.Builder
	if err := Table(&out, in, Options{Width: 120}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"the rule wants 30s to 2m of proof", "hint: reaperd sweep is enough for 1 of these, and for all reaperd sweep --settle 2m\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// TestExplainTellsWhatTheDaemonHasCounted: its count began again with the end of a pin.
func TestExplainTellsWhatTheDaemonHasCounted(t *testing.T) {
	for _, row := range []struct {
		world       string
		left, rule  time.Duration
		first, want string
	}{
		{"it counts from the end of a pin", 8 * time.Second, 30 * time.Second, "The daemon stops it in 8s (", "agreed by 2 looks\n           the daemon has counted 22s of 30s\nstop now"},
		{"it has counted all the time", 8 * time.Second, 2 * time.Hour, "The daemon stops it in 8s (", "agreed by 2 looks\nstop now"},
		{"it is due", 0, 30 * time.Second, "The daemon stops it now (", "agreed by 2 looks\nstop now"},
	} {
		in := waitingForTheDaemon(policy.ActionTerminate)
		in.Daemon, in.Due = true, map[string]time.Time{in.Verdicts[0].Target.ID: noon.Add(row.left)}
		in.Verdicts[0].Decision, in.Verdicts[0].For, in.Verdicts[0].Held = policy.Reap, row.rule, time.Hour
		in.Verdicts[0].Target.Owner.Since = noon.Add(-time.Hour)
		if row.rule > time.Hour {
			in.Verdicts[0].Target.Owner.Since = noon.Add(row.left - row.rule)
		}
		var out strings.Builder
		if err := Explain(&out, in, in.Verdicts[0].Target.ID, Options{Width: 120}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), row.first) || !strings.Contains(out.String(), row.want) {
			t.Errorf("%s: no %q or %q in\n%s", row.world, row.first, row.want, out.String())
		}
	}
}

// TestADockerRunThatWaitsForItsContainerPromisesNoTimeOfItsOwn: its rule's time is over long
// before.
func TestADockerRunThatWaitsForItsContainerPromisesNoTimeOfItsOwn(t *testing.T) {
	w := newWorld("linux", 6)
	owner := gone("claude-code", 44, time.Hour)
	box := orphaned(w.container("gitlab", "keen_bell", "mcp/gitlab", time.Hour, megabyte), owner)
	late := w.decide(box, policy.Pending, "orphaned-containers", policy.ActionRemove)
	late.For, late.Needs, late.Held, late.DueAt = 3*time.Minute, 3*time.Minute, 10*time.Second, noon.Add(170*time.Second)
	server := orphaned(w.server("gitlab", 100, time.Hour, 10*megabyte, ""), owner)
	v := w.decide(server, policy.Pending, "orphaned-servers", policy.ActionTerminate)
	v.For, v.Needs, v.Held, v.DueAt, v.WaitsFor = 15*time.Second, 3*time.Minute, 10*time.Second, late.DueAt, box.ID
	v.Reason = `rule "orphaned-servers" waits for its container gitlab`
	for _, daemon := range []bool{false, true} {
		in := w.input()
		first := "gitlab 100 is orphaned. reaperd would stop it with its container keen_bell (rule orphaned-servers)."
		if in.Daemon = daemon; daemon {
			in.Due = map[string]time.Time{box.ID: late.DueAt, server.ID: late.DueAt}
			first = "gitlab 100 is orphaned. The daemon stops it in 2m 50s (rule orphaned-servers)."
		}
		var table, explained strings.Builder
		if err := errors.Join(Table(&table, in, Options{Width: 120, UTF8: true}), Explain(&explained, in, server.ID, Options{Width: 120, UTF8: true})); err != nil {
			t.Fatal(err)
		}
		if want := "PENDING · rule orphaned-servers · waits for its container keen_bell\n"; !strings.Contains(table.String(), want) {
			t.Errorf("daemon %v: no %q in\n%s", daemon, want, table.String())
		}
		for _, want := range []string{first, "for: 15s, held 10s", `rule "orphaned-servers" waits for its container gitlab`} {
			if !strings.Contains(explained.String(), want) {
				t.Errorf("daemon %v: no %q in\n%s", daemon, want, explained.String())
			}
		}
	}
}

// TestWhatTheDaemonHasNotSeenYetIsNotCountedForIt: its count begins with its next look, whatever
// the age.
func TestWhatTheDaemonHasNotSeenYetIsNotCountedForIt(t *testing.T) {
	alone := "fetch 100 is orphaned. reaperd would stop it once that has held 30s; so far 1s (rule orphaned-servers)."
	due := func(in *Input) {
		for i := range in.Verdicts {
			in.Verdicts[i].Decision = policy.Reap
		}
	}
	for _, row := range []struct {
		world string
		set   func(*Input)
		want  string
	}{
		{"it looks soon", func(*Input) {}, "fetch 100 is orphaned. The daemon has not seen that yet, and looks in 17s (rule orphaned-servers)."},
		{"it looks now", func(in *Input) { in.NextLook = noon.Add(-time.Second) }, "fetch 100 is orphaned. The daemon has not seen that yet, and looks now (rule orphaned-servers)."},
		{"a sweep would stop it now, and it looks soon", due, "fetch 100 is orphaned. The daemon has not seen that yet, and looks in 17s (rule orphaned-servers)."},
		{"a sweep would stop it now, and there is none", func(in *Input) { due(in); in.Daemon = false }, "fetch 100 is orphaned. reaperd would stop it (rule orphaned-servers)."},
		{"only a switch of a sweep stops it", func(in *Input) {
			due(in)
			in.Verdicts[0].Switch = "--duplicates"
		}, "fetch 100 is orphaned. reaperd would stop it (rule orphaned-servers)."},
		{"--now alone lets it not wait", func(in *Input) {
			due(in)
			in.Verdicts[0].Switch = "--now"
		}, "fetch 100 is orphaned. The daemon has not seen that yet, and looks in 17s (rule orphaned-servers)."},
		{"there is none", func(in *Input) { in.Daemon = false }, alone},
		{"it goes by another policy", func(in *Input) { in.DaemonDiffers = true }, alone},
		{"it only reports", func(in *Input) { in.DaemonRests = "is in mode report" }, alone},
		{"it is paused", func(in *Input) { in.Paused = true }, strings.TrimSuffix(alone, ".") + ", but it is paused."},
		{"it is root's", func(in *Input) { in.ForeignDaemon = true }, alone},
	} {
		in := waitingForTheDaemon(policy.ActionTerminate)
		in.Daemon, in.NextLook = true, noon.Add(17*time.Second)
		row.set(&in)
		var out strings.Builder
		if err := Explain(&out, in, in.Verdicts[0].Target.ID, Options{Width: 160}); err != nil || !strings.HasPrefix(out.String(), row.want+"\n") {
			t.Errorf("%s: %v\n%s", row.world, err, out.String())
		}
	}
}

// TestADaemonOfAnotherPolicyThatStopsWhatIsKeptHereIsTold by scan and by explain: "left alone" is
// not all of it then.
func TestADaemonOfAnotherPolicyThatStopsWhatIsKeptHereIsTold(t *testing.T) {
	w, owner := holder()
	session := &w.sessions[0]
	session.Target = &graph.Target{ID: owner.ID.String(), Kind: graph.KindSession, Name: "codex", Root: session.Process, Finding: graph.FindingIdle, Idle: inventory.Known(time.Hour)}
	w.keep(session.Target)
	in := w.input()
	in.Due, in.DaemonDiffers, in.DaemonPolicy = map[string]time.Time{session.Target.ID: noon.Add(72 * time.Second)}, true, "/etc/p.yaml"
	const other = "But the daemon goes by another policy (/etc/p.yaml), and stops "
	screens := map[string]string{}
	for _, id := range []string{session.Target.ID, w.verdicts[0].Target.ID} {
		var out strings.Builder
		if err := Explain(&out, in, id, Options{Width: 400}); err != nil {
			t.Fatal(err)
		}
		screens[id] = out.String()
	}
	var table strings.Builder
	if err := Table(&table, in, Options{Width: 400}); err != nil {
		t.Fatal(err)
	}
	for want, screen := range map[string]string{
		other + "it in 1m 12s if it goes on doing nothing.":                                              screens[session.Target.ID],
		other + "codex 12 with all that it holds in 1m 12s if it goes on doing nothing.":                 screens[w.verdicts[0].Target.ID],
		other + "1 session in 1m 12s if it goes on doing nothing: reaperd scan --policies /etc/p.yaml\n": table.String(),
	} {
		if !strings.Contains(screen, want) {
			t.Errorf("no %q in\n%s", want, screen)
		}
	}
	for _, row := range []struct {
		name   string
		isTold bool
	}{{"codex", true}, {"12", true}, {"other", false}} {
		quiet := in // a session that is not idle by the policy here has no row
		quiet.Verdicts = in.Verdicts[:len(in.Verdicts)-1]
		table.Reset()
		if err := Table(&table, quiet, Options{Width: 400, Names: []string{row.name}}); err != nil || strings.Contains(table.String(), other+"1 session") != row.isTold {
			t.Errorf("%s: %v\n%s", row.name, err, table.String())
		}
	}
	in.DaemonDiffers = false
	table.Reset()
	if err := Table(&table, in, Options{Width: 400}); err != nil || strings.Contains(table.String(), "But the daemon") {
		t.Errorf("%v\n%s", err, table.String())
	}
}

// TestForProgramsWhatIsPendingHasHeldByTheDaemonsCount, as for people: its date is the daemon's.
func TestForProgramsWhatIsPendingHasHeldByTheDaemonsCount(t *testing.T) {
	for _, row := range []struct {
		world  string
		daemon time.Duration // until it acts; zero: none does
		held   float64
		reason string
	}{
		{"a daemon counts", 12 * time.Second, 18, `rule "orphaned-servers" wants it to hold for 30s, and by the daemon's count it has for 18s`},
		{"none does", 0, 1, `rule "orphaned-servers" wants it to hold for 30s, and it has for 1s`},
	} {
		in := waitingForTheDaemon(policy.ActionTerminate)
		id := in.Verdicts[0].Target.ID
		if row.daemon > 0 {
			in.Daemon, in.Due = true, map[string]time.Time{id: noon.Add(row.daemon)}
		}
		text, err := ExplainJSON(in, id)
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Held   float64 `json:"held_seconds"`
			Target struct{ Reason string }
		}
		if err := json.Unmarshal(text, &got); err != nil || got.Held != row.held || got.Target.Reason != row.reason {
			t.Errorf("%s: %+v, %v", row.world, got, err)
		}
	}
}

// TestWhatOnlyASecondLookIsMissingOfHasRunForLongEnough: one snapshot of an old orphan is one look.
func TestWhatOnlyASecondLookIsMissingOfHasRunForLongEnough(t *testing.T) {
	in := waitingForTheDaemon(policy.ActionTerminate)
	v := &in.Verdicts[0]
	v.Held, v.For, v.Needs, v.NeedsLook, v.Reason = 35*time.Second, 30*time.Second, 0, true, `rule "orphaned-servers" waits for a second look at it`
	if got, want := explained(t, in, v.Target.ID), "fetch 100 is orphaned. reaperd would stop it once a second look has seen that too (rule orphaned-servers).\n"; !strings.HasPrefix(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
}

// TestTheDaemonsRuleStandsBesideItsTime, where a sweep by hand would go by another rule: the sweep counts how long a
// server has run, the daemon only from when it first saw the leak.
func TestTheDaemonsRuleStandsBesideItsTime(t *testing.T) {
	w := newWorld("linux", 6)
	left := gone("claude-code", 44, time.Hour)
	runner := orphaned(w.server("github", 100, time.Hour, 10*megabyte, ""), left)
	fetch := orphaned(w.server("fetch", 101, time.Hour, 10*megabyte, ""), left)
	container := orphaned(w.container("github", "gh1", "mcp/github", time.Hour, megabyte), left)
	for _, target := range []*graph.Target{runner, fetch} {
		w.decide(target, policy.Reap, "orphaned-servers", policy.ActionTerminate)
	}
	w.decide(container, policy.Reap, "orphaned-containers", policy.ActionRemove)
	in := w.input()
	in.Daemon = true
	in.Due = map[string]time.Time{runner.ID: noon.Add(6 * time.Second), container.ID: noon.Add(6 * time.Second), fetch.ID: noon.Add(56 * time.Second)}
	in.DueBy = map[string]DueBy{runner.ID: {Rule: "orphaned-containers", With: container.ID}, container.ID: {Rule: "orphaned-containers"}, fetch.ID: {Rule: "orphaned-servers"}}
	var table strings.Builder
	if err := Table(&table, in, Options{Width: 160, UTF8: true}); err != nil {
		t.Fatal(err)
	}
	if want := "; the daemon does that in 56s, the first in 6s. Nothing touched.\n"; !strings.Contains(table.String(), want) {
		t.Errorf("no %q in\n%s", want, table.String())
	}
	if want := "   the daemon stops them in 56s, the first in 6s, with github gh1 (rule orphaned-containers); a sweep need not wait\n"; !strings.Contains(table.String(), want) {
		t.Errorf("no %q in\n%s", want, table.String())
	}
	for id, want := range map[string]string{
		runner.ID: "github 100 is orphaned. The daemon stops it in 6s, with github gh1 (rule orphaned-containers).\n",
		fetch.ID:  "fetch 101 is orphaned. The daemon stops it in 56s (rule orphaned-servers).\n",
	} {
		var out strings.Builder
		if err := Explain(&out, in, id, Options{Width: 160, UTF8: true}); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(out.String(), want) || id == runner.ID && strings.Contains(out.String(), "has counted") {
			t.Errorf("%s: no %q in\n%s", id, want, out.String())
		}
	}
	data, err := JSON(in)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(data), `"due_rule": "orphaned-containers"`); n != 1 {
		t.Errorf("%d targets have a rule of the daemon's own:\n%s", n, data)
	}
}

// TestWhatTheDaemonHasNotSeenStandsApartFromWhatItCounts, though nothing else tells them apart.
func TestWhatTheDaemonHasNotSeenStandsApartFromWhatItCounts(t *testing.T) {
	in := waitingForTheDaemon(policy.ActionTerminate)
	in.Daemon, in.NextLook = true, noon.Add(16*time.Second)
	in.Due = map[string]time.Time{in.Verdicts[0].Target.ID: noon.Add(27 * time.Second)}
	var out strings.Builder
	if err := Table(&out, in, Options{Width: 120, UTF8: true}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Would stop nothing yet: the daemon stops 1 server in 27s, and has not seen 1 server yet.",
		"\nfetch 100 ", "   the daemon stops it in 27s\n", "\nfetch 101 ", "   the daemon has not seen that yet, and looks in 16s\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// TestADockerRunBelowALeakedGatewayIsToldByTheDaemonsRule, where its container goes before the gateway by the daemon's
// count, and a sweep by hand would stop it with the gateway.
func TestADockerRunBelowALeakedGatewayIsToldByTheDaemonsRule(t *testing.T) {
	w := newWorld("linux", 6)
	left := gone("claude-code", 44, time.Hour)
	gateway := orphaned(w.server("docker-mcp", 90, time.Hour, megabyte, ""), left)
	gateway.Kind = graph.KindGateway
	runner := orphaned(w.server("postgres", 100, time.Hour, 10*megabyte, ""), left)
	container := orphaned(w.container("postgres", "hc2", "mcp/postgres", time.Hour, megabyte), left)
	gateway.Below = []string{runner.ID}
	w.decide(gateway, policy.Reap, "orphaned-gateways", policy.ActionTerminate)
	w.decide(runner, policy.Reap, "orphaned-gateways", policy.ActionTerminate).With = gateway.ID
	w.decide(container, policy.Reap, "orphaned-containers", policy.ActionRemove)
	in := w.input()
	in.Daemon = true
	in.Due = map[string]time.Time{gateway.ID: noon.Add(24 * time.Second), runner.ID: noon.Add(9 * time.Second), container.ID: noon.Add(9 * time.Second)}
	in.DueBy = map[string]DueBy{gateway.ID: {Rule: "orphaned-gateways"}, runner.ID: {Rule: "orphaned-containers", With: container.ID}, container.ID: {Rule: "orphaned-containers"}}
	var table, explained strings.Builder
	if err := errors.Join(Table(&table, in, Options{Width: 160, UTF8: true}), Explain(&explained, in, runner.ID, Options{Width: 160, UTF8: true})); err != nil {
		t.Fatal(err)
	}
	if want := "   the daemon stops it in 24s; before it postgres 100 in 9s, with postgres hc2 (rule orphaned-containers); a sweep need not wait\n"; !strings.Contains(table.String(), want) {
		t.Errorf("no %q in\n%s", want, table.String())
	}
	for _, want := range []string{
		"postgres 100 is orphaned. The daemon stops it in 9s, with postgres hc2 (rule orphaned-containers).\n",
		"rule       orphaned-containers, built-in:31, by way of postgres (container hc2)\n", "see also   reaperd explain hc2\n", "keep it    reaperd pin hc2\n",
	} {
		if !strings.Contains(explained.String(), want) {
			t.Errorf("no %q in\n%s", want, explained.String())
		}
	}
	data, err := JSON(in)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Targets []struct {
			ID      string
			With    string    `json:"reaped_with"`
			DueAt   time.Time `json:"due_at"`
			DueRule string    `json:"due_rule"`
		}
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	for _, one := range got.Targets {
		if one.ID == runner.ID && (one.With != container.ID || !one.DueAt.Equal(noon.Add(9*time.Second)) || one.DueRule != "orphaned-containers") {
			t.Errorf("%+v", one)
		}
	}
}

// TestWhatIsDueAfterAPauseGoesInTime, and is not said to be held back by it.
func TestWhatIsDueAfterAPauseGoesInTime(t *testing.T) {
	for _, row := range []struct {
		world string
		until time.Time
		table string
		row   string
	}{
		{"it ends before", noon.Add(9 * time.Second), "Paused, so nothing is stopped: 2 servers are due in 12s, after the pause.", "   the daemon stops them in 12s, after the pause\n"},
		{"it ends later", noon.Add(time.Minute), "Paused, so nothing is stopped: 2 servers are due in 12s.", "   they are due in 12s, but it is paused until "},
		{"it has no end", time.Time{}, "Paused, so nothing is stopped: 2 servers are due in 12s.", "   they are due in 12s, but it is paused\n"},
	} {
		in := waitingForTheDaemon(policy.ActionTerminate)
		in.Daemon, in.Paused, in.PausedUntil, in.Due = true, true, row.until, map[string]time.Time{}
		for i := range in.Verdicts {
			in.Due[in.Verdicts[i].Target.ID] = noon.Add(12 * time.Second)
		}
		var out strings.Builder
		if err := Table(&out, in, Options{Width: 120, UTF8: true}); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{row.table, row.row} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: no %q in\n%s", row.world, want, out.String())
			}
		}
	}
}

// TestWhatWasLeftAtDifferentTimesIsToldWithTheFirstAndTheLast, where no daemon counts.
func TestWhatWasLeftAtDifferentTimesIsToldWithTheFirstAndTheLast(t *testing.T) {
	for _, row := range []struct {
		first time.Duration
		wants []string
	}{
		{4 * time.Second, []string{"held 1s to 26s of 30s", "   4s to 29s still to go"}},
		{28 * time.Second, []string{"held 1s of 30s", "   29s still to go"}},
	} {
		in := waitingForTheDaemon(policy.ActionTerminate)
		first := &in.Verdicts[0]
		first.DueAt, first.Held = noon.Add(row.first), 30*time.Second-row.first
		var out strings.Builder
		if err := Table(&out, in, Options{Width: 120, UTF8: true}); err != nil {
			t.Fatal(err)
		}
		for _, want := range row.wants {
			if !strings.Contains(out.String(), want) {
				t.Errorf("no %q in\n%s", want, out.String())
			}
		}
	}
}
