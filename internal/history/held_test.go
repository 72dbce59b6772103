package history

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/journal"
)

// TestWhatWentWithAGatewayIsToldOfItsSession, whose servers they were: the journal has the gateway for their owner.
func TestWhatWentWithAGatewayIsToldOfItsSession(t *testing.T) {
	path := filepath.Join(t.TempDir(), journal.FileName)
	record, err := journal.Open(path, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, entry := range []journal.Entry{
		{TargetID: "51:510", Name: "fetch", Owner: "mcp-hub 50:500", With: "mcp-hub 50:500"},
		{TargetID: "61:610", Name: "git", Owner: "mcp-hub 60:600", With: "mcp-hub 60:600"}, // another session's
		{TargetID: "50:500", Name: "mcp-hub", Owner: "claude-code 44:440"},
	} {
		entry.ID, entry.Time, entry.Result = entry.TargetID, time.Date(2026, 11, 26, 12, 0, i, 0, time.UTC), "exited"
		if err := errors.Join(record.Intend(entry), record.Done(entry)); err != nil {
			t.Fatal(err)
		}
	}
	if err := record.Close(); err != nil {
		t.Fatal(err)
	}
	fate, err := ReadFate(path, "44")
	if err != nil {
		t.Fatal(err)
	}
	if len(fate.Held) != 2 || fate.Held[0].Name != "fetch" || fate.Held[1].Name != "mcp-hub" {
		t.Errorf("%+v", fate.Held)
	}
}
