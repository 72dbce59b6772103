package daemon

import (
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/reap"
	"github.com/reaperd/reaperd/internal/scan"
	"github.com/reaperd/reaperd/internal/sweep"
)

// opened is a record with a journal of its own, and what it woke for.
func opened(t *testing.T) (r *record, woken *[]sweep.Trigger) {
	t.Helper()
	woken = new([]sweep.Trigger)
	wake := func(trigger sweep.Trigger) { *woken = append(*woken, trigger) }
	r = newRecord(filepath.Join(t.TempDir(), "journal.jsonl"), slog.New(slog.DiscardHandler), wake)
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
		if ready, why := r.ready(); ready != step.ready || (why == "") != ready {
			t.Errorf("%s: ready %v (%s)", step.says, ready, why)
		}
		if len(*woken) != step.woken {
			t.Errorf("%s: woke %v", step.says, *woken)
		}
	}
}

func TestWhatWasReapedToday(t *testing.T) {
	r, _ := opened(t)
	for _, entry := range []journal.Entry{
		{ID: "1", Result: string(reap.ResultExited), FreedBytes: 10},
		{ID: "2", Result: string(reap.ResultKilled), FreedBytes: 5},
		{ID: "3", Result: string(reap.ResultAlreadyGone), FreedBytes: 100},
		{ID: "4", Result: string(reap.ResultFailed), FreedBytes: 100},
	} {
		if err := r.journal.Intend(entry); err != nil {
			t.Fatal(err)
		}
		if err := r.journal.Done(entry); err != nil {
			t.Fatal(err)
		}
	}
	if reaped, freed := r.today(time.Now()); reaped != 2 || freed != 15 {
		t.Errorf("%d reaped, %d bytes freed", reaped, freed)
	}
	if reaped, _ := r.today(time.Now().AddDate(0, 0, 1)); reaped != 0 {
		t.Errorf("%d reaped tomorrow", reaped)
	}
}

func TestWhatADeadDaemonBeganIsClosedAndItsProcessesContinued(t *testing.T) {
	r, _ := opened(t)
	boot := scan.BootID()
	for _, entry := range []journal.Entry{
		{ID: "this-boot", BootID: boot, Tree: []journal.Process{{PID: 7, Start: 1}, {PID: 8, Start: 2}}},
		{ID: "boot-before", BootID: boot + "x", Tree: []journal.Process{{PID: 9, Start: 3}}},
		{ID: "ended", BootID: boot, Tree: []journal.Process{{PID: 10, Start: 4}}},
	} {
		if err := r.journal.Intend(entry); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.journal.Done(journal.Entry{ID: "ended", BootID: boot, Result: string(reap.ResultExited)}); err != nil {
		t.Fatal(err)
	}
	var asked []inventory.ID
	continued := func(ids []inventory.ID) ([]inventory.ID, error) {
		asked = append(asked, ids...)
		return ids, nil
	}
	r.closeBegun(continued)
	if want := []inventory.ID{{PID: 7, Start: 1}, {PID: 8, Start: 2}}; !slices.Equal(asked, want) {
		t.Errorf("continued %v, want %v: a PID of an earlier boot is another process", asked, want)
	}
	r.closeBegun(continued)
	if len(asked) != 2 {
		t.Errorf("continued %v: what was closed is closed again", asked)
	}
}
