package daemon

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/reap"
	"github.com/reaperd/reaperd/internal/scan"
	"github.com/reaperd/reaperd/internal/sweep"
	"github.com/reaperd/reaperd/internal/trigger"
)

// opened is a record with a journal of its own, and what it woke for.
func opened(t *testing.T) (r *record, woken *[]trigger.Trigger) {
	t.Helper()
	woken = new([]trigger.Trigger)
	wake := func(by trigger.Trigger) { *woken = append(*woken, by) }
	r = newRecord(filepath.Join(t.TempDir(), "journal.jsonl"), slog.New(slog.DiscardHandler), wake, func() bool { return false })
	r.open()
	t.Cleanup(r.close)
	return r, woken
}

func TestAJournalThatTakesNothingMakesTheDaemonUnreadyUntilItTakesRecordsAgain(t *testing.T) {
	r, woken := opened(t)
	full := errors.New("no space left on device")
	for _, step := range []struct {
		says  string
		round sweep.Round
		ready bool
		woken int // all in all
	}{
		{"at the start", sweep.Round{}, true, 0},
		{"an act was refused because it could not be recorded", sweep.Round{Refused: &sweep.UnrecordedError{Cause: full}}, false, 0},
		{"the journal takes records again: what is due is swept at once", sweep.Round{}, true, 1},
		{"an outcome was not written, and there is room again by now", sweep.Round{Outcomes: []sweep.Outcome{{Outcome: reap.Outcome{JournalError: full}}}}, true, 1},
		{"another refusal", sweep.Round{Refused: sweep.ErrStale}, true, 1},
	} {
		r.learn(step.round)
		if ready, why := r.ready(); ready != step.ready || (why == "") != ready || (r.refuses() == "") != ready {
			t.Errorf("%s: ready %v (%s), refuses %q", step.says, ready, why, r.refuses())
		}
		if len(*woken) != step.woken {
			t.Errorf("%s: woke %v", step.says, *woken)
		}
	}
}

// TestAJournalThatTakesNothingIsNoticedWhileSomethingWaits: else a countdown ends in a refusal.
func TestAJournalThatTakesNothingIsNoticedWhileSomethingWaits(t *testing.T) {
	r, _ := opened(t)
	folder := filepath.Dir(r.path)
	if err := errors.Join(os.RemoveAll(folder), os.WriteFile(folder, nil, 0o600)); err != nil { // nothing can be below a file
		t.Fatal(err)
	}
	waits := sweep.Round{}
	waits.View.Verdicts = []policy.Verdict{{Decision: policy.Keep}, {Decision: policy.Pending}}
	if r.learn(sweep.Round{}); r.refuses() != "" {
		t.Error("nothing waits, and the journal was asked")
	}
	if r.learn(waits); r.refuses() == "" {
		t.Error("it is not noticed that the journal takes nothing")
	}
}

func TestWhatTheJournalHasOfTheLastDay(t *testing.T) {
	r, _ := opened(t)
	since := time.Now().Truncate(time.Second).Add(-time.Hour)
	for _, entry := range []journal.Entry{
		{ID: "1", TargetID: "7:70", Kind: "server", Name: "fetch", Cwd: "/src/infra", Owner: "codex 50:500", Finding: "orphaned", FindingSince: since, Rule: "r", Action: "terminate", Result: string(done.Exited), FreedBytes: 10},
		{ID: "2", TargetID: "8:80", Owner: "nobody", Result: string(done.Failed), Detail: "it is stuck in the kernel"},
		{ID: "3", TargetID: "9:90", Result: journal.ResultUnfinished},
	} {
		if err := r.journal.Intend(entry); err != nil {
			t.Fatal(err)
		}
		if err := r.journal.Done(entry); err != nil {
			t.Fatal(err)
		}
	}
	got := r.outcomesSince(since)
	if len(got) != 2 || got[1].Owner != "nobody" || got[1].Detail != "it is stuck in the kernel" {
		t.Fatalf("%+v", got)
	}
	first := got[0]
	if first.At.Before(since) || !first.FindingSince.Equal(since) {
		t.Errorf("found %s, ended %s", first.FindingSince, first.At)
	}
	first.At, first.FindingSince = time.Time{}, time.Time{}
	want := policy.Outcome{ID: "1", Target: "7:70", Kind: graph.KindServer, Name: "fetch", Cwd: "/src/infra", Owner: "codex 50", Finding: graph.FindingOrphaned, Rule: "r", Action: policy.ActionTerminate, Result: "exited", FreedBytes: 10}
	if first != want {
		t.Errorf("%+v, want %+v", first, want)
	}
	if later := r.outcomesSince(time.Now().AddDate(0, 0, 1)); len(later) != 0 {
		t.Errorf("%+v tomorrow", later)
	}
}

func TestWhatASweepByHandReapsIsReadAndOnlyOnce(t *testing.T) {
	r, _ := opened(t)
	byHand, err := journal.Open(r.path, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer byHand.Close()
	act := func(to reap.Recorder, id string) {
		t.Helper()
		entry := journal.Entry{ID: id, TargetID: id, Result: string(done.Exited), FreedBytes: 10}
		if err := errors.Join(to.Intend(entry), to.Done(entry)); err != nil {
			t.Fatal(err)
		}
	}
	own := recorder{r.journal, r.own}
	others := func() []policy.Outcome { return outcomesOf(r.byHand()) }
	act(byHand, "before")
	for _, step := range []struct {
		says string
		acts func()
		got  func() []policy.Outcome
		want []string
	}{
		{"before the daemon started", func() {}, func() []policy.Outcome { return r.outcomesSince(time.Now().Add(-time.Hour)) }, []string{"before"}},
		{"nothing since", func() {}, others, nil},
		{"two sweeps, and an act of the daemon's between them", func() { act(byHand, "first"); act(own, "mine"); act(byHand, "second") }, others, []string{"first", "second"}},
		{"they are not read again", func() {}, others, nil},
		{"the daemon's own act alone", func() { act(own, "mine too") }, others, nil},
		{"an outcome of its own without an intention: a runner that ended with its container", func() {
			if err := own.Done(journal.Entry{ID: "runner", TargetID: "runner", Result: string(done.Exited)}); err != nil {
				t.Fatal(err)
			}
		}, others, nil},
	} {
		step.acts()
		var got []string
		for _, outcome := range step.got() {
			got = append(got, outcome.Target)
		}
		if !slices.Equal(got, step.want) {
			t.Errorf("%s: %q, want %q", step.says, got, step.want)
		}
	}
	if len(r.own.ids) != 0 {
		t.Errorf("acts that are read are kept: %v", r.own.ids)
	}
}

func TestWhatADeadDaemonBeganIsClosedAndItsProcessesContinued(t *testing.T) {
	r, _ := opened(t)
	boot := scan.BootID()
	for _, entry := range []journal.Entry{
		{ID: "this-boot", BootID: boot, Tree: []journal.Process{{PID: 7, Start: 1}, {PID: 8, Start: 2}}},
		{ID: "boot-before", BootID: boot + "x", Tree: []journal.Process{{PID: 9, Start: 3}}},
		{ID: "a sweep by hand goes on", BootID: boot, Reaper: "50:5", Tree: []journal.Process{{PID: 11, Start: 5}}},
		{ID: "that sweep was killed", BootID: boot, Reaper: "60:6", Tree: []journal.Process{{PID: 12, Start: 6}}},
		{ID: "ended", BootID: boot, Tree: []journal.Process{{PID: 10, Start: 4}}},
	} {
		if err := r.journal.Intend(entry); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.journal.Done(journal.Entry{ID: "ended", BootID: boot, Result: string(done.Exited)}); err != nil {
		t.Fatal(err)
	}
	var asked []inventory.ID
	continued := func(ids []inventory.ID) ([]inventory.ID, error) {
		asked = append(asked, ids...)
		return ids, nil
	}
	runs := func(id inventory.ID) bool { return id.PID == 50 }
	if goesOn := r.closeBegun(continued, runs); len(goesOn) != 1 || goesOn[0].Reaper != "50:5" {
		t.Errorf("%+v go on", goesOn)
	}
	if want := []inventory.ID{{PID: 7, Start: 1}, {PID: 8, Start: 2}, {PID: 12, Start: 6}}; !slices.Equal(asked, want) {
		t.Errorf("continued %v, want %v: a PID of an earlier boot is another process", asked, want)
	}
	r.closeBegun(continued, runs)
	if len(asked) != 3 {
		t.Errorf("continued %v: what was closed is closed again", asked)
	}
}
