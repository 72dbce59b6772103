package page

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/overview"
)

func TestTheDrawingOfADay(t *testing.T) {
	var d overview.Day
	d.Add(ago(time.Hour), overview.Step{Found: 4, Reaped: 1, FreedBytes: 50})
	d.Add(ago(2*time.Hour), overview.Step{FreedBytes: 100, Reaped: 400})
	drawn := dayOf(&overview.Tree{Day: d.Steps(noon)}, time.Time{}, clock{now: noon, zone: time.UTC})
	want := []bar{
		{X: 43 * barStep, FoundY: barHeight, Reaped: barHeight, FreedY: freedLine - barHeight, Freed: barHeight, Title: "2026-11-26 10:00:00: 0 leaked, 400 reaped, 100 B freed"},
		{X: 45 * barStep, FoundY: barHeight - 2, Found: 2, Reaped: 2, FreedY: freedLine - 22, Freed: 22, Title: "2026-11-26 11:00:00: 4 leaked, 1 reaped, 50 B freed"},
	}
	if !slices.Equal(drawn.Bars, want) {
		t.Errorf("%+v\nwant\n%+v", drawn.Bars, want)
	}
}

// TestTheTimeBeforeTheDaemonIsMarked: hours that nobody watched are no hours without leaks.
func TestTheTimeBeforeTheDaemonIsMarked(t *testing.T) {
	steps := new(overview.Day).Steps(noon)
	for _, row := range []struct {
		world  string
		since  time.Time
		before int
		told   string
	}{
		{"it began three hours ago", ago(3 * time.Hour), 41 * barStep, "2026-11-26 09:00:00"},
		{"it began this minute", ago(time.Second), 46*barStep + 13, "2026-11-26 11:59:59"},
		{"it began yesterday", ago(25 * time.Hour), 0, ""},
		{"that is not known", time.Time{}, 0, ""},
	} {
		d := dayOf(&overview.Tree{Day: steps}, row.since, clock{now: noon, zone: time.UTC})
		if d.Before != row.before || d.Since != row.told || strings.Contains(d.Summary, "watched since") != (row.told != "") {
			t.Errorf("%s: %d before %q: %s", row.world, d.Before, d.Since, d.Summary)
		}
	}
}

// TestADockerRunThatEndsWithItsContainerLeaksWithThat, as the day counts what was found.
func TestADockerRunThatEndsWithItsContainerLeaksWithThat(t *testing.T) {
	box, run := pending(50, 10*time.Second), pending(51, 10*time.Second)
	for _, n := range []*overview.Node{&box, &run} {
		n.Target, n.Finding = n.Key, graph.FindingOrphaned
	}
	for next, want := range map[overview.Next]int{{}: 2, {With: box.Key, WithKind: graph.KindContainer}: 1, {EndsWith: box.Key}: 1, {With: box.Key, WithKind: graph.KindGateway}: 2} {
		run.Next = next
		in := tree(sessions(session(44, 7, box, run)))
		if got := orphansOf(&in); got != want {
			t.Errorf("%+v: %d leak now, want %d", next, got, want)
		}
	}
}
