package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/reap"
	"github.com/reaperd/reaperd/internal/report"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/sweep"
)

// teller publishes every sweep of the daemon: one log record for each thing that
// changed, metrics and the report for all of it.
type teller struct {
	log     *slog.Logger
	metrics *serve.Metrics
	daemon  *daemon
	// eventsUp reports whether the engines tell their events.
	eventsUp func() (up, known bool)

	rounds   int
	sources  map[string]inventory.Status
	failing  string                        // why the last sweep failed; empty is that it did not
	deaf     bool                          // an engine's events were lost when that was last known
	respawns map[string][]inventory.Moment // when each that is still in a gateway's count was told, by target id
	first    map[string]string             // what was logged as pending, by target id
}

// paused asks the state directory. What cannot be read pauses.
func (t *teller) paused() bool {
	_, paused, err := t.daemon.dir.Paused(time.Now())
	return paused || err != nil
}

func (t *teller) publish(round sweep.Round) {
	t.tellFailure(round)
	if round.View.Graph != nil {
		t.tellSources(round.View.Graph.Snapshot.Sources)
		t.tellPending(round.View.Verdicts)
	}
	t.tellOutcomes(round)
	t.tellEvents(t.eventsUp())
	t.metrics.Publish(t.update(round))
	if t.rounds++; t.rounds == settledAfter {
		debug.FreeOSMemory() // what starting up took is not needed again
	}
}

// settledAfter is after how many sweeps a daemon is what it will be for months.
const settledAfter = 3

// tellFailure says once that the host cannot be looked at, and once that it can again.
func (t *teller) tellFailure(round sweep.Round) {
	failing := ""
	if round.Err != nil {
		failing = round.Err.Error()
	}
	switch {
	case failing != "" && failing != t.failing:
		t.log.Error("sweep failed: nothing is acted on", "err", failing)
	case failing == "" && t.failing != "":
		t.log.Info("sweeps succeed again")
	}
	t.failing = failing
	var unrecorded *sweep.UnrecordedError // said once, see tellJournal
	if round.Refused != nil && !errors.As(round.Refused, &unrecorded) {
		t.log.Warn("plan refused", "err", round.Refused)
	}
}

func (t *teller) tellSources(sources []inventory.Source) {
	seen := map[string]inventory.Status{}
	for _, source := range sources {
		key := source.Name + " " + source.Endpoint
		seen[key] = source.Status
		if was, known := t.sources[key]; known && was == source.Status || !known && source.Status == inventory.StatusOK {
			continue
		}
		level := slog.LevelInfo
		if source.Status == inventory.StatusError {
			level = slog.LevelWarn
		}
		t.log.Log(context.Background(), level, "source", "name", strings.TrimSpace(key), "status", source.Status, "reason", source.Reason)
	}
	t.sources = seen
}

// tellEvents says once that an engine's events are lost, and once that they come
// again. An engine that is not there has none to lose.
func (t *teller) tellEvents(up, known bool) {
	switch {
	case known && !up && !t.deaf:
		t.log.Warn("an engine does not tell its events: only the schedule finds what happens to containers")
	case known && up && t.deaf:
		t.log.Info("the engines tell their events again")
	}
	if known {
		t.deaf = !up
	}
}

// tellPending says once of each target that it waits for its time.
func (t *teller) tellPending(verdicts []policy.Verdict) {
	waiting := map[string]string{}
	for i := range verdicts {
		v := &verdicts[i]
		if v.Decision != policy.Pending {
			continue
		}
		waiting[v.Target.ID] = v.Rule
		if t.first[v.Target.ID] != v.Rule {
			t.log.Info("pending", "rule", v.Rule, "target", v.Target.ID, "name", v.Target.Name,
				"finding", v.Target.Finding, "due", v.DueAt, "why", v.Reason)
		}
	}
	t.first = waiting
}

func (t *teller) tellOutcomes(round sweep.Round) {
	acts := actsByID(round.Plan)
	for _, outcome := range round.Outcomes {
		act := acts[outcome.ActionID]
		level := slog.LevelInfo
		if !outcome.Result.Ended() {
			level = slog.LevelWarn
		}
		t.log.Log(context.Background(), level, tense(outcome.Result), "rule", act.Rule, "target", act.TargetID, "kind", act.Kind, "name", act.Name,
			"owner", act.Owner.Name, "finding", act.Finding, "since", act.FindingSince, "why", act.Why,
			"outcome", outcome.Result, "detail", outcome.Detail, "freed_bytes", outcome.FreedBytes, "id", act.ID)
	}
	if len(round.Plan.Deferred) > 0 {
		t.log.Warn("a sweep ends no more than this at a time; the rest waits for the next", "deferred", len(round.Plan.Deferred))
	}
}

// tense is what a record says was done.
func tense(result reap.Result) string {
	if result == reap.ResultExited || result == reap.ResultKilled {
		return "reaped"
	}
	return "not reaped"
}

func actsByID(plan policy.Plan) map[string]policy.Act {
	acts := make(map[string]policy.Act, len(plan.Acts))
	for _, act := range plan.Acts {
		acts[act.ID] = act
	}
	return acts
}

// update is a sweep as the metrics take it.
func (t *teller) update(round sweep.Round) serve.Update {
	update := serve.Update{
		Trigger: serve.Trigger(round.Trigger), Started: round.Started, Duration: round.Duration, Next: round.Next,
		Schedule: round.Policy.Schedule, Graph: round.View.Graph, Verdicts: round.View.Verdicts,
		Policy: serve.PolicyOf(round.Policy, t.daemon.originOf(round.Policy)), Outcomes: outcomesToServe(round),
		Paused: round.Paused, Respawns: t.newRespawns(round.View.Graph), JournalWriteErrors: t.daemon.journal.WriteErrors(),
		Events: t.events(),
	}
	update.Result, update.Why = resultOf(round)
	if pause, paused, err := t.daemon.dir.Paused(time.Now()); err == nil && paused {
		update.PausedUntil, update.PauseReason = pause.Until, pause.Reason
	}
	if round.View.Graph != nil {
		in := inputOf(round)
		in.Notes = pauseNotes(t.daemon.dir, time.Now())
		update.Report = func() ([]byte, error) { return report.JSON(in) }
		if pins, err := t.daemon.dir.Pins(round.View.Graph.Snapshot.Host.BootID, time.Now()); err == nil {
			update.Pins = len(pins)
		}
	}
	return update
}

// events tells whose changes are told as they happen. Engines are left out where
// none is there.
func (t *teller) events() map[string]bool {
	events := map[string]bool{inventory.SourceProcesses: t.daemon.watcher.Err() == nil && t.daemon.watcher.Left() == 0}
	if up, known := t.eventsUp(); known {
		events[inventory.SourceDocker] = up
	}
	return events
}

func inputOf(round sweep.Round) report.Input {
	return report.Input{
		Graph: round.View.Graph, First: round.View.First, Verdicts: reported(round.View.Verdicts), Command: "run",
		Policy:   report.PolicyInfo{Source: round.Policy.Sources[0].Name, SHA256: round.Policy.Hash, Mode: string(round.Policy.Mode)},
		Outcomes: outcomesOf(round.Plan, round.Outcomes),
	}
}

// resultOf is how a sweep ended, and why where it is not ok.
func resultOf(round sweep.Round) (serve.Result, string) {
	switch {
	case round.Err != nil:
		return serve.ResultFailed, round.Err.Error()
	case round.Refused != nil:
		return serve.ResultFailed, round.Refused.Error()
	case !round.View.Graph.Snapshot.Complete():
		return serve.ResultIncomplete, "a source could not be read"
	}
	for _, outcome := range round.Outcomes {
		if outcome.Result == reap.ResultFailed || outcome.Result == reap.ResultEscaped {
			return serve.ResultIncomplete, fmt.Sprintf("an act ended as %s: %s", outcome.Result, outcome.Detail)
		}
	}
	return serve.ResultOK, ""
}

func outcomesToServe(round sweep.Round) []serve.Outcome {
	acts := actsByID(round.Plan)
	var told []serve.Outcome
	for _, outcome := range round.Outcomes {
		act := acts[outcome.ActionID]
		told = append(told, serve.Outcome{
			Target: act.TargetID, Name: act.Name, Kind: act.Kind, Rule: act.Rule, Action: act.Verb,
			Result: string(outcome.Result), FreedBytes: outcome.FreedBytes,
			OwnerGoneSince: act.OwnerGoneSince, Ended: round.Started.Add(round.Duration),
		})
	}
	return told
}

// newRespawns are the respawns that no sweep before told, by the gateway's id. A
// gateway counts each for [graph.RespawnMemory]: what was told and is not that old
// is in its count, whatever went out of it in the same sweep.
func (t *teller) newRespawns(g *graph.Graph) map[string]int {
	if g == nil {
		return nil
	}
	now := g.Snapshot.Moment()
	t.forgetRespawns(now)
	fresh := map[string]int{}
	for _, target := range g.Targets {
		if target.Kind != graph.KindGateway {
			continue
		}
		more := target.Respawns - len(t.respawns[target.ID])
		if more <= 0 {
			continue
		}
		fresh[target.ID] = more
		t.respawns[target.ID] = append(t.respawns[target.ID], slices.Repeat([]inventory.Moment{now}, more)...)
	}
	return fresh
}

// forgetRespawns drops what gateways count no longer.
func (t *teller) forgetRespawns(now inventory.Moment) {
	kept := map[string][]inventory.Moment{}
	for id, told := range t.respawns {
		for _, at := range told {
			if now.Since(at) <= graph.RespawnMemory {
				kept[id] = append(kept[id], at)
			}
		}
	}
	t.respawns = kept
}

// monotonic is what systemd wants beside RELOADING=1: CLOCK_MONOTONIC in µs.
func monotonic() string {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return ""
	}
	return fmt.Sprintf("MONOTONIC_USEC=%d", now.Nano()/1000)
}
