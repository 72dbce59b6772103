package daemon

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/reap"
	"github.com/reaperd/reaperd/internal/scan"
	"github.com/reaperd/reaperd/internal/sweep"
)

// opened is a record with a journal of its own, and what it woke for.
func opened(t *testing.T) (r *record, woken *[]human.Trigger) {
	t.Helper()
	woken = new([]human.Trigger)
	wake := func(by human.Trigger) { *woken = append(*woken, by) }
	r = newRecord(filepath.Join(t.TempDir(), "journal.jsonl"), slog.New(slog.DiscardHandler), wake, func() bool { return false })
	r.open()
	t.Cleanup(r.close)
	return r, woken
}

// unrecorded is the file of a journal that takes nothing; empty if it does.
func unrecorded(r *record) string {
	var of account.Daemon
	r.tell(&of)
	return of.Unrecorded
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
		if ready, why := r.ready(); ready != step.ready || (why == "") != ready || (unrecorded(r) == "") != ready {
			t.Errorf("%s: ready %v (%s), refuses %q", step.says, ready, why, unrecorded(r))
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
	if r.learn(sweep.Round{}); unrecorded(r) != "" {
		t.Error("nothing waits, and the journal was asked")
	}
	if r.learn(waits); unrecorded(r) == "" {
		t.Error("it is not noticed that the journal takes nothing")
	}
}

func TestWhatTheJournalHasOfTheLastDay(t *testing.T) {
	r, _ := opened(t)
	since := time.Now().Truncate(time.Second).Add(-time.Hour)
	for _, entry := range []journal.Entry{
		{ID: "1", TargetID: "7:70", Kind: "server", Name: "fetch", Cwd: "/src/infra", Owner: "codex 50:500", Finding: "orphaned", FindingSince: since, Rule: "r", Action: "terminate", Result: string(human.Exited), FreedBytes: 10},
		{ID: "2", TargetID: "8:80", Owner: "nobody", Result: string(human.ResultFailed), Detail: "it is stuck in the kernel"},
		{ID: "3", TargetID: "9:90", Result: journal.ResultUnfinished},
	} {
		if err := r.journal.Intend(entry); err != nil {
			t.Fatal(err)
		}
		if err := r.journal.Done(entry); err != nil {
			t.Fatal(err)
		}
	}
	got := outcomesOf(r.since(since))
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
	if later := r.since(time.Now().AddDate(0, 0, 1)); len(later) != 0 {
		t.Errorf("%+v tomorrow", later)
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
	if err := r.journal.Done(journal.Entry{ID: "ended", BootID: boot, Result: string(human.Exited)}); err != nil {
		t.Fatal(err)
	}
	var asked []inventory.ID
	continued := func(ids []inventory.ID) ([]inventory.ID, error) {
		asked = append(asked, ids...)
		return ids, nil
	}
	runs := func(id inventory.ID) bool { return id.PID == 50 }
	r.closeBegun(continued, runs)
	if want := []inventory.ID{{PID: 7, Start: 1}, {PID: 8, Start: 2}, {PID: 12, Start: 6}}; !slices.Equal(asked, want) {
		t.Errorf("continued %v, want %v: a PID of an earlier boot is another process", asked, want)
	}
	r.closeBegun(continued, runs)
	if len(asked) != 3 {
		t.Errorf("continued %v: what was closed is closed again", asked)
	}
}
