package daemon

import (
	"maps"

	"github.com/reaperd/reaperd/internal/host"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
)

// handActs are the acts of sweeps by hand that have begun and not ended, by the act's id: their intentions.
type handActs map[string]journal.Entry

// hear takes what sweeps by hand have recorded.
func (h *handActs) hear(entries []journal.Entry) {
	for _, entry := range entries {
		switch {
		case entry.Phase != journal.PhaseIntend:
			delete(*h, entry.ID)
		case entry.Reaper == "": // of an earlier version: nobody can tell whether it goes on
		case *h == nil:
			*h = handActs{entry.ID: entry}
		default:
			(*h)[entry.ID] = entry
		}
	}
}

// targets are the ids of the targets that these acts are ending. It forgets the acts of every sweep that has ended.
func (h handActs) targets(runs func(inventory.ID) bool) map[string]bool {
	maps.DeleteFunc(h, func(_ string, entry journal.Entry) bool { return !host.SweepRuns(&entry, runs) })
	targets := map[string]bool{}
	for _, entry := range h {
		targets[entry.TargetID] = true
		for _, part := range entry.Ending() {
			targets[part] = true
		}
	}
	return targets
}
