package daemon

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/sweep"
)

// teller logs the changes of a sweep, each once. It remembers what it has logged.
type teller struct {
	log *slog.Logger

	statuses map[string]inventory.Status // of sources, by name and endpoint; nil before the first look
	failing  string                      // why the last sweep failed; empty is that it did not
	deaf     bool                        // an engine's events were lost, when last that could be told
	waiting  map[string]announcement     // what the log says is to end, by the target's id
}

// tell tells the outcomes first: each has the time at which its act ended, and all else that of now.
func (t *teller) tell(round sweep.Round) {
	t.tellOutcomes(round)
	t.tellFailure(round)
	if round.View.Graph != nil {
		t.tellSources(round.View.Graph.Snapshot.Sources)
	}
	if round.View.Graph != nil && !round.Again {
		t.tellTargets(round)
	}
}

// tellFailure logs that the host cannot be looked at, and that it can be again.
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
	var unrecorded *sweep.UnrecordedError // the record logs it
	if round.Refused != nil && !errors.As(round.Refused, &unrecorded) {
		t.log.Warn("plan refused", "err", round.Refused)
	}
}

// tellSources logs what has become of a source. One that is there from the start is no news.
func (t *teller) tellSources(sources []inventory.Source) {
	seen := map[string]inventory.Status{}
	for _, source := range sources {
		key := source.Name + " " + source.Endpoint
		seen[key] = source.Status
		if t.statuses[key] == source.Status || t.statuses == nil && source.Status == inventory.StatusOK {
			continue
		}
		level := slog.LevelInfo
		if source.Status == inventory.StatusError {
			level = slog.LevelWarn
		}
		t.log.Log(context.Background(), level, "source", "name", strings.TrimSpace(source.Called()+" "+source.Endpoint), "status", source.Status, "reason", source.Reason)
	}
	t.statuses = seen
}

// tellEvents logs that an engine's events are lost, and that they arrive again.
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

// announcement is what the log has said of a target that is to end.
type announcement struct {
	message, rule string
	held          string // why it is due and not acted on; else empty
}

// tellTargets logs what is to end, and what becomes of it: its outcome, or that it is no longer due.
func (t *teller) tellTargets(round sweep.Round) {
	now := map[string]announcement{}
	for i := range round.View.Verdicts {
		v := &round.View.Verdicts[i]
		before, waited := t.waiting[v.Target.ID]
		delete(t.waiting, v.Target.ID)
		said := announcementOf(v, round)
		switch {
		case said != announcement{}:
			now[v.Target.ID] = said
			if said != before {
				t.log.Info(said.message, append(aboutTarget(v.Target), "rule", v.Rule, "finding", v.Target.Finding, "due", v.DueAt, "why", cmp.Or(said.held, v.Reason))...)
			}
		case waited && !v.Goes(): // else its act, or that on its container, is told
			t.log.Info("no longer due", append(aboutTarget(v.Target), "rule", before.rule, "why", v.Reason)...)
		}
	}
	snapshot := round.View.Graph.Snapshot
	for _, id := range slices.Sorted(maps.Keys(t.waiting)) { // which the look does not show
		if !snapshot.Complete() || inventory.IsContainerID(id) && !snapshot.Engines().ReadAll("") {
			now[id] = t.waiting[id]
			continue
		}
		t.log.Info("no longer due", "target", id, "rule", t.waiting[id].rule, "why", "it has ended by itself")
	}
	t.waiting = now
}

// announcementOf is what the log says of a verdict; zero is nothing. What each use takes back is told when it is due.
func announcementOf(v *policy.Verdict, round sweep.Round) announcement {
	held := heldBack(round)
	switch {
	case v.Decision == policy.Pending && !v.IfIdle:
		return announcement{"pending", v.Rule, ""}
	case v.Decision == policy.Reap && held != "" && !v.UnderWay():
		return announcement{"held back", v.Rule, held}
	}
	return announcement{}
}

// heldBack says why a sweep does not act on what is due; empty if it does.
func heldBack(round sweep.Round) string {
	switch {
	case round.Paused:
		return "it is paused"
	case round.Policy != nil && round.Policy.Mode != policy.ModeEnforce:
		return "mode report acts on nothing"
	}
	return ""
}

func (t *teller) tellOutcomes(round sweep.Round) {
	for _, outcome := range round.Outcomes {
		tellOutcome(t.log, outcome)
		if outcome.Result.Gone() {
			delete(t.waiting, outcome.Act.TargetID)
		}
	}
	if len(round.Plan.Deferred) > 0 && !round.Again {
		t.log.Warn("a sweep stops no more than this at a time; the rest waits for the next", "deferred", len(round.Plan.Deferred))
	}
}

// tellOutcome logs the outcome of an act.
func tellOutcome(log *slog.Logger, outcome sweep.Outcome) {
	act, level := outcome.Act, slog.LevelInfo
	if !outcome.Result.Gone() {
		level = slog.LevelWarn
	}
	record := slog.NewRecord(cmp.Or(outcome.At, time.Now()), level, tense(outcome.Result), 0) // of the time that the journal has
	record.Add(append(append(aboutAct(act), "kind", act.Kind, "rule", act.Rule), whyOf(act,
		"outcome", outcome.Result, "detail", outcome.Detail, "freed_bytes", outcome.FreedBytes, "id", act.ID)...)...)
	if act.ByHand != "" {
		record.Add("by", act.By, "command", "reaperd "+act.ByHand)
	}
	if ctx := context.Background(); log.Enabled(ctx, level) {
		_ = log.Handler().Handle(ctx, record) // as package slog does: there is nowhere to tell that the log failed
	}
}

// aboutAct are the attributes that name an act's target and its owner.
func aboutAct(act policy.Act) []any {
	return append(aboutThing(act.Name, account.SubjectOfAct(&act)), aboutOwner(act.Owner)...)
}

// whyOf puts before some attributes why an act was decided. A target that goes with
// another may have no finding of its own.
func whyOf(act policy.Act, then ...any) []any {
	why := []any{"why", act.Why}
	if act.Finding != graph.FindingNone {
		why = append(why, "finding", act.Finding)
	}
	if !act.FindingSince.IsZero() {
		why = append(why, "since", act.FindingSince)
	}
	return append(why, then...)
}

// tense is the verb for a result.
func tense(result human.Result) string {
	if result.Reaped() {
		return "reaped"
	}
	return "not reaped"
}

// aboutTarget are the attributes that name a target and its owner in the log.
func aboutTarget(t *graph.Target) []any {
	return append(aboutThing(t.Name, account.SubjectOf(t)), aboutOwner(t.Owner)...)
}

// aboutThing are the attributes that name a thing in the log.
func aboutThing(name string, thing account.Subject) []any {
	about := []any{"name", name, "target", thing.ID}
	if thing.Container != "" {
		about = append(about, "container", thing.Handle())
	}
	return about
}

// aboutOwner tells owners of one name apart, and whether one lives; nothing if that is not
// known.
func aboutOwner(o graph.Owner) []any {
	about := []any{"owner", o.Name}
	if o.ID.PID != 0 {
		about = append(about, "owner_pid", o.ID.PID)
	}
	if o.Liveness != graph.LivenessUnknown {
		about = append(about, "owner_liveness", o.Liveness)
	}
	return about
}
