package oneshot

import (
	"os"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/state"
)

// TestWhatWasStoppedALittleAgoIsRecorded: also without a daemon a scan that finds nothing points to it.
func TestWhatWasStoppedALittleAgoIsRecorded(t *testing.T) {
	sight := &Sight{state: state.Dir(t.TempDir())}
	if sight.hasRecorded(time.Now()) {
		t.Error("there is no journal")
	}
	record, err := journal.Open(sight.journal(), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := record.Done(journal.Entry{ID: "a", TargetID: "22:7", Name: "fetch", Result: "exited", Time: time.Now()}); err != nil {
		t.Fatal(err)
	}
	record.Close()
	if !sight.hasRecorded(time.Now()) || sight.hasRecorded(time.Now().Add(2*time.Hour)) {
		t.Error("an act of the last hour")
	}
	if err := os.Truncate(sight.journal(), 0); err != nil || sight.hasRecorded(time.Now()) {
		t.Errorf("an empty journal: %v", err)
	}
}
