package history

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/serve"
)

// TestWhatWentWithAGatewayIsToldOfItsSession, whose servers they were: the journal has the gateway for their owner.
func TestWhatWentWithAGatewayIsToldOfItsSession(t *testing.T) {
	path := filepath.Join(t.TempDir(), journal.FileName)
	record, err := journal.Open(path, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, entry := range []journal.Entry{
		{TargetID: "51:510", Name: "fetch", Owner: "mcp-hub 50:500", With: "mcp-hub 50:500", Tree: []journal.Process{{PID: 51, Start: 510}, {PID: 52, Start: 520}}},
		{TargetID: "c0ffee", Name: "gh", Kind: "container", Owner: "mcp-hub 50:500"}, // by a rule of its own
		{TargetID: "71:710", Name: "memory", Owner: "inner-hub 70:700"},
		{TargetID: "70:700", Name: "inner-hub", Kind: "gateway", Owner: "mcp-hub 50:500"},
		{TargetID: "61:610", Name: "git", Owner: "mcp-hub 60:600", With: "mcp-hub 60:600"}, // another session's
		{TargetID: "50:500", Name: "mcp-hub", Kind: "gateway", Owner: "claude-code 44:440"},
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
	var names []string
	for _, held := range fate.Held {
		names = append(names, held.Name)
	}
	if want := []string{"fetch", "gh", "memory", "inner-hub", "mcp-hub"}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
	var heads []string
	for _, told := range fate.toldOfHeld() {
		if strings.HasSuffix(told.text, "had:") {
			heads = append(heads, told.text)
		}
	}
	if acted := fate.Acted(); acted["52:520"] != "50:500" || acted["51:510"] != "50:500" {
		t.Errorf("a process of fetch has ended otherwise: %v", acted)
	}
	if len(heads) != 3 || !strings.HasPrefix(heads[0], "claude-code 44 ") {
		t.Errorf("the acts are told in the order %q", heads)
	}
}

// TestWhatWentWithAGatewayIsToldOfTheGatewayToo, whoever had them before.
func TestWhatWentWithAGatewayIsToldOfTheGatewayToo(t *testing.T) {
	path := filepath.Join(t.TempDir(), journal.FileName)
	record, err := journal.Open(path, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, entry := range []journal.Entry{
		{TargetID: "51:510", Name: "fetch", Owner: "codex 44:440", With: "mcp-hub 50:500"},
		{TargetID: "61:610", Name: "git", Owner: "codex 44:440"},
		{TargetID: "81:810", Name: "left", Owner: "mcp-hub 70:700"},
		{TargetID: "50:500", Name: "mcp-hub", Kind: "gateway", Owner: "codex 44:440"},
	} {
		entry.ID, entry.Time, entry.Result = entry.TargetID, time.Date(2026, 11, 26, 12, 0, i, 0, time.UTC), "exited"
		if err := errors.Join(record.Intend(entry), record.Done(entry)); err != nil {
			t.Fatal(err)
		}
	}
	if err := record.Close(); err != nil {
		t.Fatal(err)
	}
	session, err := ReadFate(path, "44")
	if err != nil {
		t.Fatal(err)
	}
	session.Left = []serve.Left{{ID: "70:700", Kind: overview.KindGateway}, {ID: "71:710", Kind: overview.KindServer}}
	if err := session.HoldLeft(); err != nil || !slices.ContainsFunc(session.Held, func(e journal.Entry) bool { return e.Name == "left" }) {
		t.Errorf("of what a gateway had that still runs: %v, %v", session.Held, err)
	}
	if n := len(session.Held); session.HoldLeft() != nil || len(session.Held) != n {
		t.Error("an act is told twice")
	}
	fate, err := ReadFate(path, "50")
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, p := range fate.toldOfHeld() {
		told = append(told, strings.TrimSpace(p.lead+p.text))
	}
	got := strings.Join(told, "\n")
	if !strings.HasPrefix(got, "What reaperd did to what mcp-hub 50 had:") || !strings.Contains(got, "fetch 51") || strings.Contains(got, "git") {
		t.Errorf("got\n%s", got)
	}
}
