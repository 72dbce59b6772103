//go:build linux

package hostile_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"golang.org/x/sys/unix"
)

// actingFill fills a disk up to the last left bytes. empty frees the space again.
func actingFill(t *testing.T, folder string, left int64) (empty func()) {
	t.Helper()
	name := filepath.Join(folder, "filler")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for err == nil {
		_, err = file.Write(make([]byte, 4096))
	}
	info, statErr := file.Stat()
	if !errors.Is(err, unix.ENOSPC) || statErr != nil {
		t.Fatal(err, statErr)
	}
	if err := file.Truncate(max(0, info.Size()-left)); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
}

// actingRecorded counts the beings with an intention and an outcome. Each that has ended must be among them: an act that
// the kernel was slow to carry out is recorded as failed, and has ended it all the same.
func actingRecorded(t *testing.T, book actingBook, beings []farm.Being) (recorded int) {
	t.Helper()
	intended, other := map[string]bool{}, map[string][]string{}
	for id, entry := range book.ended {
		if _, is := book.intended[id]; is {
			intended[entry.TargetID] = true
		} else {
			other[entry.TargetID] = append(other[entry.TargetID], entry.Result+" "+entry.Detail)
		}
	}
	for _, being := range beings {
		if intended[being.String()] {
			recorded++
		} else if !being.Alive() {
			t.Errorf("%v has ended without a record; outcomes without an intention: %q", being, other[being.String()])
		}
	}
	return recorded
}

// If a disk is full, or fills up during a sweep, reaperd stops acting and still keeps its
// record: the journal has an intention and an outcome for each process that was ended.
func TestOnAFullDiskNothingIsActedOnWithoutItsRecord(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		const number = 300
		folder := live.Folder.Path("home", "small")
		if err := errors.Join(os.Mkdir(folder, 0o700), unix.Mount("tmpfs", folder, "tmpfs", 0, "size=2m,mode=700")); err != nil {
			t.Fatal(err)
		}
		empty := actingFill(t, folder, 300<<10)
		path := filepath.Join(folder, journal.FileName)
		crowd := actingOrphans(t, live, actingCrowdOf{"crowd", actingCrowd, number, "/bin/sleep", actingSleeps})
		d := daemon.Launch(t, live, daemon.Options{Policy: actingPolicy("1s"), Args: []string{"--journal", path}})
		farm.Eventually(t, "it is said that the journal takes nothing", func() bool {
			told, _ := d.Status(t)
			says := told.Decider.Daemon
			return says.NotReady != "" && says.JournalWriteErrors > 0 && d.Metric(t, "reaperd_journal_write_errors_total") > 0
		})
		if code, why := d.Get(t, "/readyz"); code != http.StatusServiceUnavailable {
			t.Errorf("readyz: got %d %s", code, why)
		}
		if code, why := d.Get(t, "/healthz"); code != http.StatusOK {
			t.Errorf("healthz: got %d %s", code, why)
		}
		d.AwaitMore(t, 2)
		d.AwaitNoAct(t)
		left := actingAlive(crowd)
		recorded := actingRecorded(t, actingJournal(t, d, path), crowd)
		farm.Figure(t, "%d orphans, a journal with 300 KiB of disk left: %d were ended and %d are on record, %d live", number, number-left, recorded, left)
		if number-left != recorded || left == 0 {
			t.Errorf("%d were ended and %d are on record; %d live", number-left, recorded, left)
		}

		empty()
		farm.Eventually(t, "with room on the disk all are gone", func() bool { return actingAlive(crowd) == 0 })
		farm.Eventually(t, "it is ready again", func() bool { code, _ := d.Get(t, "/readyz"); return code == http.StatusOK })
		d.AwaitMore(t, 1)
		d.AwaitNoAct(t)
		if recorded := actingRecorded(t, actingJournal(t, d, path), crowd); recorded != number {
			t.Errorf("%d of %d are on record", recorded, number)
		}
	})
}
