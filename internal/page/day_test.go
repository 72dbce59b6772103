package page

import (
	"slices"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/overview"
)

func TestTheDrawingOfADay(t *testing.T) {
	var d overview.Day
	d.Add(ago(time.Hour), overview.Step{Found: 4, Reaped: 1, FreedBytes: 50})
	d.Add(ago(2*time.Hour), overview.Step{FreedBytes: 100, Reaped: 400})
	drawn := dayOf(&overview.Tree{Day: d.Steps(noon)}, clock{now: noon, zone: time.UTC})
	want := []bar{
		{X: 43 * barStep, FoundY: barHeight, Reaped: barHeight, FreedY: freedLine - barHeight, Freed: barHeight, Title: "2026-11-26 10:00:00: 0 orphans found, 400 reaped, 100 B freed"},
		{X: 45 * barStep, FoundY: barHeight - 2, Found: 2, Reaped: 2, FreedY: freedLine - 22, Freed: 22, Title: "2026-11-26 11:00:00: 4 orphans found, 1 reaped, 50 B freed"},
	}
	if !slices.Equal(drawn.Bars, want) {
		t.Errorf("%+v\nwant\n%+v", drawn.Bars, want)
	}
}
