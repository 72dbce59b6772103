package report

import (
	"slices"
	"strconv"
	"time"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/word"
)

// Input is everything a report is made of.
type Input struct {
	Graph *graph.Graph
	// First is the earlier look; nil where there was one look only.
	First    *graph.Graph
	Verdicts []policy.Verdict
	Policy   PolicyInfo
	// Settle is the time between the two looks; the looks of a replay tell it themselves.
	Settle time.Duration
	// Outcomes are what came of a sweep; none is a sweep that did not act.
	Outcomes []Outcome
	// Replay marks saved snapshots: nothing can be done about what they show.
	Replay bool
	// DryRun marks a plan that nobody is asked about.
	DryRun bool
	// Daemon marks a host where a daemon runs that sees to the same processes.
	Daemon bool
	// Due is when that daemon ends what is pending, by target. Empty where it does not
	// act: then what is pending waits for somebody to sweep.
	Due map[string]time.Time
	// Notes are sentences that the caller adds below the sources.
	Notes []string
	// Resumes are the commands that go on with a session in a new one, by client.
	Resumes map[string]string
	// Command is "scan" or "sweep".
	Command string
	// Nothing says what was looked for where the report was narrowed to a kind of thing
	// and none is here: "No session here has done nothing for 8h."
	Nothing string
	// Names choose the targets listed as JSON, and nothing else; the table has its own
	// ([Options]). None lists all.
	Names []string
}

// PolicyInfo tells which policy decided.
type PolicyInfo struct {
	Source string // "built-in", or the file
	SHA256 string
	Mode   string // "report" or "enforce"
}

// Outcome is what came of one act.
type Outcome struct {
	ID         string // as in the journal
	Target     string // the target's id
	Action     policy.Action
	Outcome    done.Result
	Detail     string
	FreedBytes uint64
}

// Options are how a report is shown.
type Options struct {
	// Width is the width of the terminal in cells; zero is 100.
	Width int
	// Color colours what lives, waits and goes.
	Color bool
	// UTF8 tells that the terminal shows more than ASCII.
	UTF8 bool
	// Wide is one whole line for each target, however long.
	Wide bool
	// Names choose what is shown, as package word understands them; they never
	// change a verdict. None shows everything.
	Names []string
	// Location is the zone of the times shown; nil is UTC.
	Location *time.Location
}

const defaultWidth = 100

func (o Options) width() int {
	if o.Width <= 0 {
		return defaultWidth
	}
	return o.Width
}

func (o Options) location() *time.Location {
	if o.Location == nil {
		return time.UTC
	}
	return o.Location
}

// shows reports whether a target is wanted: one that the names mean, or that belongs
// to a process whose PID is among them.
func (o Options) shows(t *graph.Target) bool {
	return len(o.Names) == 0 || word.AnyMeans(o.Names, t) || slices.ContainsFunc(o.Names, func(name string) bool {
		return t.Owner.ID.PID != 0 && name == strconv.Itoa(t.Owner.ID.PID)
	})
}

// reported are the verdicts that a report is about (see [policy.Verdict.Reported]).
func (in Input) reported() []*policy.Verdict {
	out := make([]*policy.Verdict, 0, len(in.Verdicts))
	for i := range in.Verdicts {
		if v := &in.Verdicts[i]; v.Reported() {
			out = append(out, v)
		}
	}
	return out
}

// WouldReap reports whether anything that is listed would be reaped.
func (in Input) WouldReap() bool {
	listed := Options{Names: in.Names}
	return slices.ContainsFunc(in.Verdicts, func(v policy.Verdict) bool {
		return v.Decision == policy.Reap && listed.shows(v.Target)
	})
}

// Complete reports whether every source answered and every act came to an end.
func (in Input) Complete() bool {
	for _, g := range []*graph.Graph{in.First, in.Graph} {
		if g != nil && g.Snapshot != nil && !g.Snapshot.Complete() {
			return false
		}
	}
	for _, outcome := range in.Outcomes {
		if outcome.Outcome.Incomplete() {
			return false
		}
	}
	return true
}
