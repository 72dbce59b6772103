package daemon

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/reap"
	"github.com/reaperd/reaperd/internal/sweep"
)

// TestAnEngineThatGoesAndComesIsToldEachTime: one that is absent has no endpoint.
func TestAnEngineThatGoesAndComesIsToldEachTime(t *testing.T) {
	there := inventory.Source{Name: inventory.SourceDocker, Endpoint: "unix:///run/docker.sock", Status: inventory.StatusOK}
	away := inventory.Source{Name: inventory.SourceDocker, Status: inventory.StatusAbsent, Reason: "no engine socket found"}
	hung := there
	hung.Status = inventory.StatusError
	for _, row := range []struct {
		says  string
		looks []inventory.Source
		want  string
	}{
		{"it is there", []inventory.Source{there, there}, ""},
		{"there is none", []inventory.Source{away, away}, "absent"},
		{"it goes and comes back", []inventory.Source{there, away, away, there, there}, "absent ok"},
		{"it does not answer for a while", []inventory.Source{there, hung, there}, "error ok"},
	} {
		var log bytes.Buffer
		teller := &teller{log: slog.New(slog.NewJSONHandler(&log, nil))}
		for _, source := range row.looks {
			teller.tellSources([]inventory.Source{source})
		}
		var got []string
		for line := range strings.Lines(log.String()) {
			_, status, _ := strings.Cut(line, `"status":"`)
			status, _, _ = strings.Cut(status, `"`)
			got = append(got, status)
		}
		if strings.Join(got, " ") != row.want {
			t.Errorf("%s: told %v, want %q", row.says, got, row.want)
		}
	}
}

// TestTheLinesOfARoundAreInTheOrderOfTheirTimes: an outcome has the time at which its act ended.
func TestTheLinesOfARoundAreInTheOrderOfTheirTimes(t *testing.T) {
	var log bytes.Buffer
	l := &teller{log: slog.New(slog.NewJSONHandler(&log, nil))}
	l.tell(sweep.Round{
		View:     sweep.View{Graph: &graph.Graph{Snapshot: &inventory.Snapshot{Sources: []inventory.Source{{Name: inventory.SourceProcesses, Status: inventory.StatusPartial}}}}},
		Outcomes: []sweep.Outcome{{Outcome: reap.Outcome{Result: human.Exited}, At: time.Now().Add(-time.Second)}},
	})
	var times []time.Time
	for line := range strings.Lines(log.String()) {
		var record struct{ Time time.Time }
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatal(err)
		}
		times = append(times, record.Time)
	}
	if len(times) != 2 || !slices.IsSortedFunc(times, time.Time.Compare) {
		t.Errorf("told at %v", times)
	}
}
