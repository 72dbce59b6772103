package page

import (
	"fmt"
	"strconv"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/overview"
)

// day shows the last 24 hours as a drawing and as a table.
type day struct {
	Summary string // describes the drawing
	Bars    []bar
	Hours   []label
	Steps   []stepRow // steps without events are missing
	Width   int
	Before  int    // the width of the time before this daemon watched
	Since   string // since when it watches; empty: for longer than a day
}

// bar is one step of the day in the drawing: found above the upper line, reaped below it,
// freed memory on the lower line.
type bar struct {
	X, FoundY, Found, Reaped, FreedY, Freed int
	Title                                   string
}

// label is an hour written below the drawing.
type label struct {
	X    int
	Text string
}

type stepRow struct{ At, Found, Reaped, Freed string }

// The dimensions of the drawing, in its own units. Its upper line is at barHeight, its
// lower line at freedLine.
const (
	barStep   = 14
	barHeight = 44
	freedLine = 140
	everyStep = 8 // one label for so many steps
)

// dayOf shows the day of a daemon that has watched since a moment. Of the time before it knows
// only what its journal has.
func dayOf(t *overview.Tree, since time.Time, c clock) day {
	steps := t.Day
	most, mostFreed := 1, uint64(1)
	for _, s := range steps {
		most, mostFreed = max(most, s.Found, s.Reaped), max(mostFreed, s.FreedBytes)
	}
	d := day{Width: len(steps) * barStep}
	for i, s := range steps {
		at, x := s.From.In(c.zone), i*barStep
		if (i+everyStep/2)%everyStep == 0 {
			d.Hours = append(d.Hours, label{X: x, Text: at.Format("15:04")})
		}
		if s.Found == 0 && s.Reaped == 0 {
			continue
		}
		found, freed := height(uint64(s.Found), uint64(most)), height(s.FreedBytes, mostFreed)
		d.Bars = append(d.Bars, bar{
			X: x, FoundY: barHeight - found, Found: found, Reaped: height(uint64(s.Reaped), uint64(most)),
			FreedY: freedLine - freed, Freed: freed,
			Title: fmt.Sprintf("%s: %d leaked, %d reaped, %s freed", c.moment(s.From), s.Found, s.Reaped, freedText(s.FreedBytes)),
		})
		d.Steps = append(d.Steps, stepRow{
			At: c.moment(s.From), Found: strconv.Itoa(s.Found), Reaped: strconv.Itoa(s.Reaped), Freed: bytesText(s.FreedBytes),
		})
	}
	d.Summary = summary(steps) + "; " + leaksNow(t)
	if len(steps) > 0 && since.After(steps[0].From) {
		d.Before = min(int(since.Sub(steps[0].From)*time.Duration(d.Width)/(24*time.Hour)), d.Width)
		d.Since = c.moment(since)
		d.Summary += "; watched since " + d.Since
	}
	return d
}

// height returns a count in the drawing's units. A count above zero is always visible.
func height(n, most uint64) int {
	if n == 0 {
		return 0
	}
	return max(2, int(float64(n)/float64(most)*barHeight))
}

func summary(steps []overview.Step) string {
	found := 0
	for _, s := range steps {
		found += s.Found
	}
	reaped, freed := dayTotals(steps)
	return fmt.Sprintf("In the last 24 hours %s leaked; %s reaped for any reason, %s freed",
		human.Count(found, "thing"), human.Number(reaped), freedText(freed))
}

// leaksNow counts what leaks now. Before the first look that is not known, and with a policy that is
// refused at the start there is none.
func leaksNow(t *overview.Tree) string {
	if t.At.IsZero() {
		return "what leaks now is not known"
	}
	here := orphansOf(t)
	return human.Number(here) + " " + human.Verb(here, "leaks", "leak") + " now"
}

// orphansOf counts the orphans in the tree.
func orphansOf(t *overview.Tree) int {
	orphans := 0
	t.Walk(func(n *overview.Node, _ int) bool {
		endsItself := n.Next.EndsWith != "" || n.Next.WithKind == graph.KindContainer // it is not among what was found
		if n.Target != "" && n.Finding == graph.FindingOrphaned && !endsItself {
			orphans++
		}
		return true
	})
	return orphans
}

func dayTotals(steps []overview.Step) (reaped int, freed uint64) {
	for _, s := range steps {
		reaped, freed = reaped+s.Reaped, freed+s.FreedBytes
	}
	return reaped, freed
}
