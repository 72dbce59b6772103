package daemon

import (
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/pins"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/redact"
	"github.com/reaperd/reaperd/internal/report"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/sweep"
	"github.com/reaperd/reaperd/internal/word"
)

// publisher publishes every sweep: a log line for each change, metrics and the report
// for everything.
type publisher struct {
	teller
	hands     hands
	announced announced
	leavers   *leavers
	departed  departed
	handActs  handActs
	runs      func(inventory.ID) bool // a process is there now
	respawns  respawns
	metrics   *serve.Metrics
	sources   sources
	state     state.Dir
	originOf  func(*policy.Policy) serve.Origin
	failures  func() journal.Failures // of the journal

	rounds int
}

// sources are the sources of wake-ups, and whether each works.
type sources struct {
	engines interface{ EventsUp() (up, known bool) }
	exits   interface {
		Err() error
		Left() int
	}
}

func (s *service) newPublisher() *publisher {
	return &publisher{
		teller: teller{log: s.Log}, hands: hands{log: s.Log}, announced: announced{log: s.Log}, leavers: s.leavers, metrics: s.metrics, sources: sources{s.host, s.watcher}, state: s.State,
		originOf: s.rules.originOf, failures: s.record.journal.Failures, runs: s.host.Runs, handActs: s.byHand,
	}
}

// settledAfter is how many sweeps the daemon takes to reach its lasting size.
const settledAfter = 3

// publish takes a round, and what sweeps by hand have recorded since the one before.
func (p *publisher) publish(round sweep.Round, byHand []journal.Entry) {
	round = p.leavers.told(round)
	wishes := wishesIn(p.state, bootOf(round), time.Now())
	p.hands.tell(wishes, round.Policy.Mode)
	p.tell(round)
	p.departed.hear(byHand)
	p.handActs.hear(byHand)
	gone := p.departed.in(round)
	p.announced.tellByHand(byHand)
	p.announced.tell(round, gone, p.departed.leaving)
	p.tellEvents(p.sources.engines.EventsUp())
	update := p.update(round, wishes)
	update.Gone, update.ByHand = gone, p.handActs.targets(p.runs)
	p.metrics.Publish(update)
	if p.rounds++; p.rounds == settledAfter {
		debug.FreeOSMemory() // what starting up took is not needed again
	}
}

// update is a sweep in the form for metrics.
func (p *publisher) update(round sweep.Round, asked wishes) serve.Update {
	g := round.View.Graph
	update := serve.Update{
		Again: round.Again, UnderWay: underWayOf(round), Trigger: round.Trigger, Started: round.Started, Duration: round.Duration, Next: round.Next,
		Schedule: round.Policy.Schedule, Graph: g, First: round.View.First, Verdicts: round.View.Verdicts,
		Policy: serve.PolicyOf(round.Policy, p.originOf(round.Policy)), OwnPolicy: policyfile.IsUsers(round.Policy), Outcomes: round.Told(),
		Paused: round.Paused, Respawns: p.respawns.fresh(g), Journal: serve.JournalState(p.failures()), Events: p.sources.events(),
	}
	update.Result, update.Why = resultOf(round)
	if asked.paused {
		update.PausedUntil, update.PauseReason = asked.pause.Until, asked.pause.Reason
	}
	if g == nil {
		return update
	}
	in := reportOf(round)
	in.Notes = p.state.PauseNotes(nil, asked.at)
	update.Report = func() ([]byte, error) { return report.JSON(in) }
	update.Pins = len(pins.MayBeThere(g.Snapshot, slices.Collect(maps.Values(asked.pins))))
	return update
}

// events says which sources report changes as they happen. Engines are left out if
// there is none.
func (s sources) events() map[string]bool {
	events := map[string]bool{inventory.SourceProcesses: s.exits.Err() == nil && s.exits.Left() == 0}
	if up, known := s.engines.EventsUp(); known {
		events[inventory.SourceDocker] = up
	}
	return events
}

func reportOf(round sweep.Round) report.Input {
	in := round.View.Report(round.Policy)
	in.Resumes = catalogue.Resumes()
	in.Command, in.Outcomes = "run", round.Told()
	return in
}

// resultOf is the result of a sweep, and why it is not ok. The faults of the daemon tell why
// the journal takes no record.
func resultOf(round sweep.Round) (serve.Result, string) {
	var unrecorded *sweep.UnrecordedError
	switch {
	case errors.As(round.Refused, &unrecorded):
		return serve.ResultFailed, "the journal takes no record"
	case round.Err != nil:
		return serve.ResultFailed, round.Err.Error()
	case round.Refused != nil:
		return serve.ResultFailed, round.Refused.Error()
	case !round.View.Graph.Snapshot.Complete():
		return serve.ResultIncomplete, "a source could not be read"
	}
	for _, outcome := range round.Outcomes {
		if outcome.Result.Incomplete() {
			return serve.ResultIncomplete, fmt.Sprintf("an act ended as %s: %s", outcome.Result, outcome.Detail)
		}
	}
	return serve.ResultOK, ""
}

func underWayOf(round sweep.Round) []serve.Begun {
	var begun []serve.Begun
	for _, act := range round.UnderWay {
		begun = append(begun, serve.Begun{
			Target: act.TargetID, Name: act.Name, Handle: word.OfAct(&act).Handle(), Kind: act.Kind, Rule: act.Rule, Origin: act.RuleOrigin.String(), Action: act.Verb,
			Finding: act.Finding, Since: act.FindingSince, Evidence: graph.Masked(act.Evidence, redact.Text), With: act.With,
			Tree: act.Parts(), For: act.For.Seconds(), Held: act.Held.Seconds(), Grace: act.Grace.Seconds(), Imminent: act.Imminent,
		})
	}
	return begun
}
