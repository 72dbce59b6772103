package daemon

import (
	"maps"
	"testing"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/scan"
)

// TestWhatASweepByHandEndsIsKnownWhileItGoesOn: until its outcome is on record, or that sweep was killed.
func TestWhatASweepByHandEndsIsKnownWhileItGoesOn(t *testing.T) {
	begins := func(id, target, reaper string) journal.Entry {
		return journal.Entry{ID: id, Phase: journal.PhaseIntend, TargetID: target, Reaper: reaper, BootID: scan.BootID()}
	}
	ends := journal.Entry{ID: "a", Phase: journal.PhaseOutcome, TargetID: "10:1"}
	earlier := begins("a", "10:1", "7:1")
	earlier.BootID = "an earlier boot"
	tree := begins("b", "20:1", "7:1")
	tree.Tree = []journal.Process{{PID: 20, Start: 1}, {PID: 21, Start: 1}}
	for _, row := range []struct {
		world   string
		entries []journal.Entry
		want    map[string]bool
	}{
		{"nothing was recorded", nil, map[string]bool{}},
		{"two acts go on", []journal.Entry{begins("a", "10:1", "7:1"), tree}, map[string]bool{"10:1": true, "20:1": true, "21:1": true}},
		{"one has ended", []journal.Entry{begins("a", "10:1", "7:1"), tree, ends}, map[string]bool{"20:1": true, "21:1": true}},
		{"its sweep was killed", []journal.Entry{begins("a", "10:1", "8:1")}, map[string]bool{}},
		{"another process has its number after a boot", []journal.Entry{earlier}, map[string]bool{}},
		{"nobody knows whose it is", []journal.Entry{begins("a", "10:1", "")}, map[string]bool{}},
	} {
		var acts handActs
		acts.hear(row.entries)
		if got := acts.targets(func(id inventory.ID) bool { return id.PID == 7 }); !maps.Equal(got, row.want) {
			t.Errorf("%s: %v, want %v", row.world, got, row.want)
		}
	}
}
