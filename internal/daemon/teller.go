package daemon

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/sweep"
)

// teller logs the changes of a sweep, each once. It remembers what it has logged.
type teller struct {
	log *slog.Logger

	statuses map[string]inventory.Status // of sources, by name and endpoint
	failing  string                      // why the last sweep failed; empty is that it did not
	deaf     bool                        // an engine's events were lost when that was last known
	pending  map[string]string           // the rule by which a target waits, by its id
	policy   string                      // the hash of that of the last sweep; empty before the first
}

func (t *teller) tell(round sweep.Round) {
	t.tellFailure(round)
	if round.View.Graph != nil {
		t.tellSources(round.View.Graph.Snapshot.Sources)
		t.tellPolicy(round)
		t.tellPending(round.View.Verdicts)
	}
	t.tellOutcomes(round)
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

func (t *teller) tellSources(sources []inventory.Source) {
	seen := map[string]inventory.Status{}
	for _, source := range sources {
		key := source.Name + " " + source.Endpoint
		seen[key] = source.Status
		if was, known := t.statuses[key]; known && was == source.Status || !known && source.Status == inventory.StatusOK {
			continue
		}
		level := slog.LevelInfo
		if source.Status == inventory.StatusError {
			level = slog.LevelWarn
		}
		t.log.Log(context.Background(), level, "source", "name", strings.TrimSpace(key), "status", source.Status, "reason", source.Reason)
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

// tellPending logs of each new pending target when it is due.
func (t *teller) tellPending(verdicts []policy.Verdict) {
	waiting := map[string]string{}
	for i := range verdicts {
		v := &verdicts[i]
		if v.Decision != policy.Pending {
			continue
		}
		waiting[v.Target.ID] = v.Rule
		if t.pending[v.Target.ID] != v.Rule {
			t.log.Info("pending", append([]any{"rule", v.Rule, "target", v.Target.ID, "name", v.Target.Name,
				"finding", v.Target.Finding, "due", v.DueAt, "why", v.Reason, "owner", v.Target.Owner.Name}, moreOfOwner(v.Target.Owner)...)...)
		}
	}
	t.pending = waiting
}

func (t *teller) tellOutcomes(round sweep.Round) {
	for _, outcome := range round.Outcomes {
		act, level := outcome.Act, slog.LevelInfo
		if !outcome.Result.Gone() {
			level = slog.LevelWarn
		}
		t.log.Log(context.Background(), level, tense(outcome.Result), append([]any{"rule", act.Rule, "target", act.TargetID, "kind", act.Kind, "name", act.Name,
			"owner", act.Owner.Name, "finding", act.Finding, "since", act.FindingSince, "why", act.Why,
			"outcome", outcome.Result, "detail", outcome.Detail, "freed_bytes", outcome.FreedBytes, "id", act.ID}, moreOfOwner(act.Owner)...)...)
	}
	if len(round.Plan.Deferred) > 0 && !round.Again {
		t.log.Warn("a sweep ends no more than this at a time; the rest waits for the next", "deferred", len(round.Plan.Deferred))
	}
}

// moreOfOwner tells owners of one name apart, and whether one lives; nothing if that is
// not known.
func moreOfOwner(o graph.Owner) []any {
	var more []any
	if o.ID.PID != 0 {
		more = append(more, "owner_pid", o.ID.PID)
	}
	if o.Liveness != graph.LivenessUnknown {
		more = append(more, "owner_liveness", o.Liveness)
	}
	return more
}

// tense is the verb for a result.
func tense(result done.Result) string {
	if result.Reaped() {
		return "reaped"
	}
	return "not reaped"
}
