package report

import (
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// view is an input prepared for a reader: what is shown, grouped, with the
// outcomes at hand.
type view struct {
	in       Input
	options  Options
	glyphs   glyphs
	at       time.Time
	snapshot *inventory.Snapshot
	grouping grouping
	voice    voice

	all      verdicts // every verdict
	shown    verdicts // those the names choose: what sums count and rows show
	outcomes map[string]Outcome
	// gateways are the ids of what takes along what it holds: gateways, and sessions
	// that are idle.
	gateways map[string]bool
	held     map[inventory.ID][]*graph.Target // by session
	resting  map[string]bool                  // idle sessions that stay, and what they hold
}

// voice is the tense: what would be, what is about to be, what was done.
type voice struct {
	stop, remove, free      string
	stopHeading, removeHead string
	// what goes, what is removed, what lives on
	stops, removes, lives string
}

func (v voice) verb(action policy.Action) string {
	if action == policy.ActionRemove {
		return v.remove
	}
	return v.stop
}

func (v voice) heading(action policy.Action) string {
	if action == policy.ActionRemove {
		return v.removeHead
	}
	return v.stopHeading
}

func would() voice {
	return voice{stop: "would stop", remove: "would remove", free: "free", stopHeading: "WOULD STOP", removeHead: "WOULD REMOVE",
		stops: "would stop", removes: "would remove", lives: "would live"}
}

func aboutTo() voice {
	return voice{stop: "about to stop", remove: "to remove", free: "free", stopHeading: "TO STOP", removeHead: "TO REMOVE",
		stops: "stops", removes: "removes", lives: "lives on"}
}

func afterwards() voice {
	return voice{stop: "stopped", remove: "removed", free: "freed", stopHeading: "STOPPED", removeHead: "REMOVED",
		stops: "stopped", removes: "removed", lives: "lives on"}
}

func newView(in Input, options Options, voice voice) *view {
	v := &view{
		in: in, options: options, voice: voice,
		glyphs:   glyphsFor(options.UTF8),
		at:       takenAt(in),
		snapshot: &inventory.Snapshot{},
		grouping: newGrouping(in),
		outcomes: map[string]Outcome{},
		gateways: map[string]bool{},
		resting:  map[string]bool{},
	}
	if in.Graph != nil && in.Graph.Snapshot != nil {
		v.snapshot = in.Graph.Snapshot
	}
	for _, outcome := range in.Outcomes {
		v.outcomes[outcome.Target] = outcome
	}
	for _, verdict := range in.reported() {
		v.all = append(v.all, verdict)
		if t := verdict.Target; t.Kind == graph.KindGateway || isIdle(t) {
			v.gateways[t.ID] = true
		}
		if options.shows(verdict.Target) {
			v.shown = append(v.shown, verdict)
		}
	}
	v.findResting()
	return v
}

// acted reports whether the input is that of a sweep that acted.
func (v *view) acted() bool { return len(v.in.Outcomes) > 0 }

func (v *view) sessions() []graph.Session {
	if v.in.Graph == nil {
		return nil
	}
	return v.in.Graph.Sessions
}

// on are the shown verdicts of one shelf.
func (v *view) on(s shelf) verdicts {
	return v.shown.where(func(verdict *policy.Verdict) bool { return shelfOf(verdict) == s })
}

// goesWithGateway reports whether a target is reaped for no other reason than
// that its gateway is.
func (v *view) goesWithGateway(verdict *policy.Verdict) bool {
	return verdict.Decision != policy.Keep && v.gateways[verdict.With]
}

// containersOf are the container targets that a process owns.
func (v *view) containersOf(owner inventory.ID) verdicts {
	return v.all.where(func(verdict *policy.Verdict) bool {
		return verdict.Target.Kind == graph.KindContainer && verdict.Target.Owner.ID == owner
	})
}

// serversOf are the server targets that a process owns.
func (v *view) serversOf(owner inventory.ID) verdicts {
	return v.all.where(func(verdict *policy.Verdict) bool {
		return verdict.Target.Kind == graph.KindServer && verdict.Target.Owner.ID == owner
	})
}

// settle is the time between the two looks; zero is one look.
func (v *view) settle() time.Duration {
	switch {
	case v.in.First == nil || v.in.First.Snapshot == nil:
		return 0
	case v.in.Settle > 0 && !v.in.Replay:
		return v.in.Settle
	}
	return max(0, v.at.Sub(v.in.First.Snapshot.TakenAt))
}

// local is a moment in the reader's zone.
func (v *view) local(at time.Time) time.Time { return at.In(v.options.location()) }

// cpu is a process's use of one core between the two looks.
func (v *view) cpu(p *inventory.Process) string {
	if v.in.First == nil || v.in.First.Snapshot == nil {
		return v.glyphs.none
	}
	now, known := p.CPUSeconds.Get()
	elapsed := v.snapshot.Moment().Since(v.in.First.Snapshot.Moment()).Seconds()
	if !known || elapsed <= 0 {
		return v.glyphs.none
	}
	earlier := v.in.First.Snapshot.Processes
	for i := range earlier {
		before, ok := earlier[i].CPUSeconds.Get()
		if earlier[i].ID() == p.ID() && ok {
			return human.Percent((now - before) / elapsed * 100)
		}
	}
	return v.glyphs.none
}
