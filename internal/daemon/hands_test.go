package daemon

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/state"
)

// said are the messages in a log of JSON lines, each with the thing that it is about.
func said(t *testing.T, log *bytes.Buffer) []string {
	t.Helper()
	var lines []string
	for line := range strings.Lines(log.String()) {
		var record struct{ Msg, Target, Why string }
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, strings.TrimSpace(record.Msg+" "+record.Target))
	}
	return lines
}

func TestPausesAndPinsAreLoggedOnceWhenTheyBeginAndEnd(t *testing.T) {
	noon := time.Date(2026, time.November, 26, 12, 0, 0, 0, time.UTC)
	paused := func(at, until time.Time) wishes {
		return wishes{at: noon, paused: true, pause: state.Pause{At: at, Until: until}, pins: map[string]state.Pin{}}
	}
	pinned := func(at time.Time, pins ...state.Pin) wishes {
		w := wishes{at: at, pins: map[string]state.Pin{}}
		for _, pin := range pins {
			w.pins[pin.ID] = pin
		}
		return w
	}
	none := pinned(noon)
	first := state.Pin{ID: "7:70", Name: "fetch", At: noon}
	short := state.Pin{ID: "7:70", Name: "fetch", At: noon, Until: noon.Add(time.Minute)}
	for _, row := range []struct {
		says   string
		wishes []wishes
		want   []string
	}{
		{"nobody asks for anything", []wishes{none, none}, nil},
		{"a pause that is resumed", []wishes{none, paused(noon, time.Time{}), paused(noon, time.Time{}), none, none}, []string{"paused", "resumed"}},
		{"a pause that is over", []wishes{none, paused(noon, noon.Add(time.Minute)), pinned(noon.Add(time.Minute))}, []string{"paused", "the pause is over"}},
		{"a pause that replaces another", []wishes{paused(noon, time.Time{}), paused(noon.Add(time.Second), time.Time{})}, []string{"paused", "paused"}},
		{"it starts while it is paused", []wishes{paused(noon, time.Time{}), paused(noon, time.Time{})}, []string{"paused"}},
		{"a pin that is taken back", []wishes{none, pinned(noon, first), pinned(noon, first), none}, []string{"pinned 7:70", "unpinned 7:70"}},
		{"a pin that is over", []wishes{none, pinned(noon, short), pinned(noon.Add(time.Minute))}, []string{"pinned 7:70", "the pin is over 7:70"}},
		{"a pin from before the daemon started", []wishes{pinned(noon, first), pinned(noon, first), none}, []string{"unpinned 7:70"}},
		{"a look that saw nothing between", []wishes{none, pinned(noon, first), {at: noon}, pinned(noon, first)}, []string{"pinned 7:70"}},
	} {
		t.Run(row.says, func(t *testing.T) {
			var log bytes.Buffer
			h := hands{log: slog.New(slog.NewJSONHandler(&log, nil))}
			for _, w := range row.wishes {
				h.tell(w, policy.ModeEnforce)
			}
			if got := said(t, &log); !slices.Equal(got, row.want) {
				t.Errorf("said %q, want %q", got, row.want)
			}
		})
	}
}
