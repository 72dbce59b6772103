package offer

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/redact"
)

// mostPIDs is how many processes of a journal are offered: those of the last acts.
const mostPIDs = 50

// ActedOn are the distinct names in a journal, each with the number of its acts.
func ActedOn(entries iter.Seq2[journal.Entry, error]) Words {
	acts := map[string]map[string]bool{} // their ids, by name
	for entry, err := range entries {
		name := human.Safe(redact.Name(entry.Name))
		if err != nil || name == "" {
			continue
		}
		if acts[name] == nil {
			acts[name] = map[string]bool{}
		}
		acts[name][entry.ID] = true
	}
	var all Words
	for _, name := range slices.Sorted(maps.Keys(acts)) {
		all = append(all, cobra.CompletionWithDesc(name, human.Count(len(acts[name]), "act")))
	}
	return all
}

// PIDsActedOn are the processes in a journal that the last acts were on, the last one first, each
// with its name and the time of the act.
func PIDsActedOn(entries iter.Seq2[journal.Entry, error]) Words {
	var all Words
	offered := map[string]bool{}
	var acts []journal.Entry
	for entry, err := range entries {
		if err == nil && pidOf(&entry) != "" {
			acts = append(acts, entry)
		}
	}
	for _, entry := range slices.Backward(acts) {
		if pid := pidOf(&entry); !offered[pid] && len(all) < mostPIDs {
			offered[pid] = true
			all = append(all, cobra.CompletionWithDesc(pid, human.Safe(redact.Name(entry.Name))+", "+human.Moment(entry.Time.Local())))
		}
	}
	return all
}

// pidOf returns the PID of the root of an entry's target, or of a container's first process; "" if
// the entry has none.
func pidOf(entry *journal.Entry) string {
	switch {
	case entry.Container == nil:
		return human.Handle(entry.TargetID)
	case entry.Container.PID > 0:
		return fmt.Sprint(entry.Container.PID)
	}
	return ""
}
