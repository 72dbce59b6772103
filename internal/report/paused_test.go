package report

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/policy"
)

// While it is paused every command that stops something refuses, so no screen names one.
func TestWhileItIsPausedNoScreenNamesACommandThatRefuses(t *testing.T) {
	waits := func(left time.Duration) Input {
		in := waitingForTheDaemon(policy.ActionTerminate)
		in.Paused, in.Notes = true, []string{"nothing is reaped: paused; reaperd resume ends it"}
		for i := range in.Verdicts {
			in.Verdicts[i].AtOnce = true
			if left > 0 {
				in.Daemon = true
				in.Due = map[string]time.Time{in.Verdicts[0].Target.ID: noon.Add(left), in.Verdicts[1].Target.ID: noon.Add(left)}
			}
		}
		return in
	}
	due := func(in Input) Input {
		for i := range in.Verdicts {
			in.Verdicts[i].Decision = policy.Reap
		}
		return in
	}
	for _, row := range []struct {
		world string
		in    Input
		want  []string
	}{
		{"no daemon runs", waits(0), []string{"Paused, so nothing is stopped: 2 servers are pending.", "reaperd resume    sweeps stop what is due again"}},
		{"a daemon counts on", waits(12 * time.Second), []string{"Paused, so nothing is stopped: 2 servers are due in 12s.", "· held 18s of 30s", "   they are due in 12s, but it is paused\n"}},
		{"they are due", due(waits(12 * time.Second)), []string{"Would stop 2 and free 20 MB. Paused: nothing touched.", "   they are due in 12s, but it is paused\n", "reaperd resume    what is due is stopped again"}},
	} {
		var table, explained strings.Builder
		if err := Table(&table, row.in, Options{Width: 120, UTF8: true}); err != nil {
			t.Fatal(err)
		}
		if err := Explain(&explained, row.in, row.in.Verdicts[0].Target.ID, Options{Width: 120}); err != nil {
			t.Fatal(err)
		}
		for _, want := range row.want {
			if !strings.Contains(table.String(), want) {
				t.Errorf("%s: no %q in\n%s", row.world, want, table.String())
			}
		}
		if want := "stop it    reaperd resume first: it is paused, and nothing is stopped\n"; !strings.Contains(explained.String(), want) {
			t.Errorf("%s: no %q in\n%s", row.world, want, explained.String())
		}
		for _, screen := range []string{table.String(), explained.String()} {
			for _, not := range []string{"reaperd sweep", "need not wait", "the daemon stops"} {
				if strings.Contains(screen, not) {
					t.Errorf("%s: %q in\n%s", row.world, not, screen)
				}
			}
		}
	}
}

func TestAPauseWithAnEndIsToldWithIt(t *testing.T) {
	in := waitingForTheDaemon(policy.ActionTerminate)
	in.Paused, in.PausedUntil, in.Daemon = true, noon.Add(time.Hour), true
	in.Due = map[string]time.Time{in.Verdicts[0].Target.ID: noon.Add(12 * time.Second), in.Verdicts[1].Target.ID: noon.Add(12 * time.Second)}
	var out strings.Builder
	if err := Table(&out, in, Options{Width: 120}); err != nil {
		t.Fatal(err)
	}
	if want := "   they are due in 12s, but it is paused until " + noon.Add(time.Hour).Format(time.DateTime) + "\n"; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in\n%s", want, out.String())
	}
}

// Nothing is stopped during a pause, also not what is due, and the first sentence of an explanation says so.
func TestTheFirstSentenceOfAnExplanationTellsOfAPause(t *testing.T) {
	for _, decision := range []policy.Decision{policy.Reap, policy.Pending} {
		in := waitingForTheDaemon(policy.ActionTerminate)
		in.Paused = true
		in.Verdicts[0].Decision = decision
		if got := explained(t, in, in.Verdicts[0].Target.ID); !strings.Contains(strings.SplitN(got, "\n", 2)[0], ", but it is paused.") {
			t.Errorf("%s: %s", decision, got)
		}
	}
}

func TestExplainSaysThatAPolicyOnlyReports(t *testing.T) {
	in := waitingForTheDaemon(policy.ActionTerminate)
	in.Policy.Mode = policy.ModeReport
	var out strings.Builder
	if err := Explain(&out, in, in.Verdicts[0].Target.ID, Options{Width: 120}); err != nil {
		t.Fatal(err)
	}
	if want := "stop it    the policy says mode: report, so nothing stops it but a sweep by hand\nprove it   reaperd sweep --mode enforce --settle 30s\n"; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in\n%s", want, out.String())
	}
}

// TestOnAFullDiskExplainNamesTheWayThatIsLeft: as the note beside it does.
func TestOnAFullDiskExplainNamesTheWayThatIsLeft(t *testing.T) {
	in := waitingForTheDaemon(policy.ActionTerminate)
	in.Unrecorded, in.NoSpace, in.Daemon, in.DaemonRests = true, true, true, "is not well"
	var out strings.Builder
	if err := Explain(&out, in, in.Verdicts[0].Target.ID, Options{Width: 160}); err != nil {
		t.Fatal(err)
	}
	want := "stop it    nothing stops it now: the disk is full, and an act could not be recorded there; a sweep with --journal FILE, on another disk, can\n"
	if !strings.Contains(out.String(), want) || strings.Contains(out.String(), "reaperd status") {
		t.Errorf("no %q in\n%s", want, out.String())
	}
}

// While the journal takes no record every sweep is refused, so no screen names one.
func TestWhileTheJournalTakesNoRecordNoScreenNamesASweep(t *testing.T) {
	for world, decision := range map[string]policy.Decision{"pending": policy.Pending, "due": policy.Reap} {
		in := waitingForTheDaemon(policy.ActionTerminate)
		in.Unrecorded, in.Daemon, in.DaemonRests = true, true, "is not well"
		for i := range in.Verdicts {
			in.Verdicts[i].AtOnce, in.Verdicts[i].Decision = true, decision
		}
		var table, explained strings.Builder
		if err := Table(&table, in, Options{Width: 120, UTF8: true}); err != nil {
			t.Fatal(err)
		}
		if err := Explain(&explained, in, in.Verdicts[0].Target.ID, Options{Width: 120}); err != nil {
			t.Fatal(err)
		}
		if want := "reaperd status    why nothing can be stopped now"; !strings.Contains(table.String(), want) {
			t.Errorf("%s: no %q in\n%s", world, want, table.String())
		}
		if want := "stop it    nothing can be stopped now: the journal takes no record; reaperd status says why\n"; !strings.Contains(explained.String(), want) {
			t.Errorf("%s: no %q in\n%s", world, want, explained.String())
		}
		if want := ", and nothing stops it now: the journal takes no record.\n"; !strings.Contains(explained.String(), want) {
			t.Errorf("%s: no %q in\n%s", world, want, explained.String())
		}
		if want := map[string]string{"pending": "The journal takes no record, so nothing is stopped: ", "due": " The journal takes no record: nothing touched."}[world]; !strings.Contains(table.String(), want) {
			t.Errorf("%s: no %q in\n%s", world, want, table.String())
		}
		for _, screen := range []string{table.String(), explained.String()} {
			if strings.Contains(screen, "reaperd sweep") {
				t.Errorf("%s: a sweep in\n%s", world, screen)
			}
		}
	}
}

// TestAFullDiskOffersNoSweep: the daemon acts, with the space that it set aside, and a sweep by
// hand is refused.
func TestAFullDiskOffersNoSweep(t *testing.T) {
	in := waitingForTheDaemon(policy.ActionTerminate)
	in.Daemon, in.NoRoom, in.NoSpace, in.Due = true, true, true, map[string]time.Time{}
	for i := range in.Verdicts {
		in.Verdicts[i].AtOnce = true
		in.Due[in.Verdicts[i].Target.ID] = noon.Add(12 * time.Second)
	}
	var table, explained strings.Builder
	if err := errors.Join(Table(&table, in, Options{Width: 120}), Explain(&explained, in, in.Verdicts[0].Target.ID, Options{Width: 120})); err != nil {
		t.Fatal(err)
	}
	if want := "the daemon stops them in 12s"; !strings.Contains(table.String(), want) {
		t.Errorf("no %q in\n%s", want, table.String())
	}
	if want := "stop it    no sweep by hand stops it now: the disk is full"; !strings.Contains(explained.String(), want) {
		t.Errorf("no %q in\n%s", want, explained.String())
	}
	for _, screen := range []string{table.String(), explained.String()} {
		if strings.Contains(screen, "reaperd sweep") || strings.Contains(screen, "need not wait") || strings.Contains(screen, "reaperd pin") {
			t.Errorf("what is refused is offered in\n%s", screen)
		}
	}
}
