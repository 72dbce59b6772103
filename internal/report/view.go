package report

import (
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/usage"
)

// view is an input prepared for writing: what is shown, in groups, with the outcomes.
type view struct {
	in       Input
	options  Options
	glyphs   glyphs
	at       time.Time
	snapshot *inventory.Snapshot
	grouping grouping
	voice    voice

	all      verdicts // every verdict
	shown    verdicts // those that the names select: sums and rows are about these
	outcomes map[string]policy.Outcome
	// gateways are the ids of targets that are reaped with what they hold: gateways, and
	// idle sessions.
	gateways map[string]bool
	held     map[inventory.ID][]*graph.Target // by session
	resting  map[string]bool                  // idle sessions that stay, and their targets
	along    map[string]string                // what goes with an idle session, and that session
	asBegun  []graph.Session                  // see view.sessions; nil before the first call
}

// voice is the tense of the verbs: would be, is about to be, was.
type voice struct {
	stop, remove, free      string
	stopHeading, removeHead string
	// verbs whose subject is the target
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

// homeOfLooker returns the usual home of the user whose looks are replayed: that user is the one who reads.
func homeOfLooker(in Input) human.Home {
	if in.Graph == nil || in.Graph.Snapshot == nil {
		return ""
	}
	return human.UsualHome(in.Graph.Snapshot.Looker(), in.Graph.Snapshot.Host.OS)
}

func newView(in Input, options Options, voice voice) *view {
	if in.Replay {
		options.Home = homeOfLooker(in)
	}
	v := &view{
		in: in, options: options, voice: voice,
		glyphs:   glyphsFor(options.UTF8),
		at:       takenAt(in),
		snapshot: &inventory.Snapshot{},
		grouping: newGrouping(in),
		outcomes: map[string]policy.Outcome{},
		gateways: map[string]bool{},
		resting:  map[string]bool{},
		along:    map[string]string{},
	}
	v.grouping.counts = in.Command != "sweep" && v.daemonActs()
	if in.Graph != nil && in.Graph.Snapshot != nil {
		v.snapshot = in.Graph.Snapshot
	}
	for _, outcome := range in.Outcomes {
		v.outcomes[outcome.Target] = outcome
	}
	choice := newChoice(in, options.Names)
	v.options.Names = choice.present(in)
	for _, verdict := range in.reported() {
		v.all = append(v.all, verdict)
		if t := verdict.Target; t.Kind == graph.KindGateway || isIdle(t) {
			v.gateways[t.ID] = true
		}
		if choice.shows(verdict.Target) {
			v.shown = append(v.shown, verdict)
		}
	}
	v.findResting()
	v.findAlong()
	v.showTogether()
	return v
}

// acted reports whether a sweep acted.
func (v *view) acted() bool { return len(v.in.Outcomes) > 0 }

// sessions are the sessions of the last look, those that are being stopped as they were when that began.
func (v *view) sessions() []graph.Session {
	if v.in.Graph != nil && v.asBegun == nil {
		v.asBegun = policy.SessionsAsBegun(v.in.Graph, v.in.Verdicts)
	}
	return v.asBegun
}

// on returns the shown verdicts of one shelf.
func (v *view) on(s shelf) verdicts {
	return v.shown.where(func(verdict *policy.Verdict) bool { return shelfOf(verdict) == s })
}

// alone returns the shown verdicts of one shelf on what goes with no session.
func (v *view) alone(s shelf) verdicts {
	return v.on(s).where(func(verdict *policy.Verdict) bool { return v.along[verdict.Target.ID] == "" })
}

// goesWithGateway reports whether a target is reaped only because its gateway is.
func (v *view) goesWithGateway(verdict *policy.Verdict) bool {
	return verdict.Decision != policy.Keep && v.gateways[verdict.With]
}

// goesWithLeaked reports whether a target goes with a gateway that nobody owns: the row of that names it, and no
// tree of what is in use does.
func (v *view) goesWithLeaked(verdict *policy.Verdict) bool { return v.leakedAround(verdict) != nil }

// leakedAround is the verdict on the gateway that nobody owns and with which a target goes: now, or later, as both
// wait. nil if there is none.
func (v *view) leakedAround(verdict *policy.Verdict) *policy.Verdict {
	if verdict.Decision == policy.Keep {
		return nil
	}
	gateway := v.gatewayAround(verdict)
	if gateway == nil || gateway.Decision != verdict.Decision || gateway.Target.Owner.Liveness == graph.LivenessLive {
		return nil
	}
	return gateway
}

// containersOf returns the containers that a process owns.
func (v *view) containersOf(owner inventory.ID) verdicts {
	return v.all.where(func(verdict *policy.Verdict) bool {
		return verdict.Target.Kind == graph.KindContainer && verdict.Target.Owner.ID == owner
	})
}

// serversOf returns the servers that a process owns.
func (v *view) serversOf(owner inventory.ID) verdicts {
	return v.all.where(func(verdict *policy.Verdict) bool {
		return verdict.Target.Kind == graph.KindServer && verdict.Target.Owner.ID == owner
	})
}

// settle returns the time between the two looks; zero if there was only one.
func (v *view) settle() time.Duration {
	switch {
	case v.in.First == nil || v.in.First.Snapshot == nil:
		return 0
	case v.in.Settle > 0 && !v.in.Replay:
		return v.in.Settle
	}
	return max(0, v.at.Sub(v.in.First.Snapshot.TakenAt))
}

// local returns at in the reader's time zone.
func (v *view) local(at time.Time) time.Time { return at.In(v.options.location()) }

// cpu returns how much of one core a process used between the two looks.
func (v *view) cpu(p *inventory.Process) string {
	if percent, known := v.cpuOf(p); known {
		return human.Percent(percent)
	}
	return v.glyphs.none
}

// cpuOf is [view.cpu] in percent. It returns false if that is not known.
func (v *view) cpuOf(p *inventory.Process) (percent float64, known bool) {
	if v.in.First == nil || v.in.First.Snapshot == nil {
		return 0, false
	}
	now, known := p.CPUSeconds.Get()
	if !known {
		return 0, false
	}
	earlier := v.in.First.Snapshot.Processes
	for i := range earlier {
		before, ok := earlier[i].CPUSeconds.Get()
		if earlier[i].ID() == p.ID() && ok {
			return usage.Share(now-before, v.snapshot.Moment().Since(v.in.First.Snapshot.Moment())).Get()
		}
	}
	return 0, false
}
