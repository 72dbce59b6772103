package daemon

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/sweep"
)

// publisher publishes every sweep: a log line for each change, and metrics.
type publisher struct {
	teller
	respawns respawns
	metrics  *serve.Metrics
	sources  sources
	failures func() journal.Failures // of the journal

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
		teller: teller{log: s.Log}, metrics: s.metrics, sources: sources{s.host, s.watcher},
		failures: s.record.journal.Failures,
	}
}

// settledAfter is how many sweeps the daemon takes to reach its lasting size.
const settledAfter = 3

// publish takes a round.
func (p *publisher) publish(round sweep.Round, wishes []state.Wishes) {
	p.tell(round)
	p.tellEvents(p.sources.engines.EventsUp())
	p.metrics.Publish(p.update(round, wishes))
	if p.rounds++; p.rounds == settledAfter {
		debug.FreeOSMemory() // what starting up took is not needed again
	}
}

// update is a sweep in the form for metrics.
func (p *publisher) update(round sweep.Round, wishes []state.Wishes) serve.Update {
	g := round.View.Graph
	update := serve.Update{
		Again: round.Again, UnderWay: underWayOf(round), Trigger: round.Trigger, Started: round.Started, Duration: round.Duration,
		Schedule: round.Policy.Schedule, Graph: g, Verdicts: round.View.Verdicts, Outcomes: round.Told(), Paused: round.Paused,
		Respawns: p.respawns.fresh(g), JournalErrors: p.failures().Writes, Events: p.sources.events(),
	}
	update.Result, update.Why = resultOf(round)
	for _, w := range wishes {
		update.Pins += len(w.Pins)
	}
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
		begun = append(begun, serve.Begun{Target: act.TargetID, Tree: act.Parts(), Imminent: act.Imminent})
	}
	return begun
}
