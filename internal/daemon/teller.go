package daemon

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
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

	statuses map[string]inventory.Status // of sources, by name and endpoint
	failing  string                      // why the last sweep failed; empty is that it did not
	deaf     bool                        // an engine's events were lost, when last that could be told
	policy   string                      // the hash of the last sweep's policy; empty before the first
}

// tell tells the outcomes first: each has the time at which its act ended, and all else that of now.
func (t *teller) tell(round sweep.Round) {
	t.tellOutcomes(round)
	t.tellFailure(round)
	if round.View.Graph != nil {
		t.tellSources(round.View.Graph.Snapshot.Sources)
		t.tellPolicy(round)
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

// lacked reports that at the look before a source of that name was not there, whatever its
// endpoint: an engine that is absent has none.
func (t *teller) lacked(name string) bool {
	return t.statuses[name+" "] == inventory.StatusAbsent
}

// cannotRead reports that the last look could not read a source of that name.
func (t *teller) cannotRead(name string) bool {
	for key, status := range t.statuses {
		if strings.HasPrefix(key, name+" ") && status == inventory.StatusError {
			return true
		}
	}
	return false
}

func (t *teller) tellSources(sources []inventory.Source) {
	seen := map[string]inventory.Status{}
	for _, source := range sources {
		key := source.Name + " " + source.Endpoint
		seen[key] = source.Status
		was, known := t.statuses[key]
		isNews := !known && (source.Status != inventory.StatusOK || t.lacked(source.Name)) || known && was != source.Status
		if !isNews {
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

// tellEvents logs that an engine's events are lost, and that they arrive again. Of an engine that cannot be
// read at all tellSources has told: the schedule finds nothing there either.
func (t *teller) tellEvents(up, known bool) {
	switch {
	case known && !up && t.cannotRead(inventory.SourceDocker):
		return
	case known && !up && !t.deaf:
		t.log.Warn("an engine does not tell its events: only the schedule finds what happens to containers")
	case known && up && t.deaf:
		t.log.Info("the engines tell their events again")
	}
	if known {
		t.deaf = !up
	}
}

// tellPolicy logs what is due and pending in the first sweep by a policy that has changed.
func (t *teller) tellPolicy(round sweep.Round) {
	if round.Policy == nil || round.Policy.Hash == t.policy {
		return
	}
	if t.policy != "" {
		counts := map[policy.Decision]int{}
		for i := range round.View.Verdicts {
			counts[round.View.Verdicts[i].Decision]++
		}
		t.log.Info("first sweep by the changed policy", "due", counts[policy.Reap], "pending", counts[policy.Pending])
	}
	t.policy = round.Policy.Hash
}

func (t *teller) tellOutcomes(round sweep.Round) {
	for _, outcome := range round.Outcomes {
		tellOutcome(t.log, outcome)
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
