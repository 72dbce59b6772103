package daemon

import (
	"maps"
	"slices"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/reap"
	"github.com/reaperd/reaperd/internal/sweep"
)

// byHand are the targets, by id, of whose end by hand the log has told: true after the
// outcome was, false before.
type byHand map[string]bool

// hasEnded reports that the log has told of a target's end by hand.
func (b byHand) hasEnded(id string) bool {
	_, told := b[id]
	return told
}

func (b *byHand) ends(id string, outcome bool) {
	if *b == nil {
		*b = byHand{}
	}
	(*b)[id] = outcome
}

// forget forgets the targets with an outcome that a look shows no more. A look that could not
// see everything shows nobody's end.
func (b byHand) forget(round sweep.Round) {
	g := round.View.Graph
	if len(b) == 0 || round.Again || g == nil || g.Snapshot == nil || !g.Snapshot.Complete() {
		return
	}
	maps.DeleteFunc(b, func(id string, outcome bool) bool {
		return outcome && !slices.ContainsFunc(round.View.Verdicts, func(v policy.Verdict) bool { return v.Target.ID == id })
	})
}

// tellByHand logs the acts of sweeps by hand that are over, each once. entries are what those
// sweeps have recorded since the last call.
func (a *announced) tellByHand(entries []journal.Entry) {
	for _, entry := range entries {
		if entry.Phase != journal.PhaseOutcome {
			continue
		}
		if recorded, told := a.byHand[entry.TargetID]; told && !recorded { // a look was faster
			delete(a.byHand, entry.TargetID)
			continue
		}
		outcome := actedByHand(entry)
		tellOutcome(a.log, outcome, tenseByHand(outcome.Result), commandOf(entry)...)
		if outcome.Result.Gone() {
			a.byHand.ends(entry.TargetID, true)
		}
	}
}

// tenseByHand is the verb for a result of a sweep by hand.
func tenseByHand(result done.Result) string {
	if result.Reaped() {
		return "reaped by hand"
	}
	return "not reaped by hand"
}

// commandOf is the attribute of the command by which a person asked for an act. Older journals name
// none where the policy alone would have had it.
func commandOf(entry journal.Entry) []any {
	if entry.ByHand == "" {
		return nil
	}
	return []any{"command", "reaperd " + entry.ByHand}
}

// actedByHand is an outcome in the journal in the form of one of the daemon's own.
func actedByHand(entry journal.Entry) sweep.Outcome {
	act := policy.Act{
		ID: entry.ID, TargetID: entry.TargetID, Name: entry.Name, Kind: graph.Kind(entry.Kind), Rule: entry.Rule,
		Owner: ownerIn(entry), Finding: graph.ParseFinding(entry.Finding), FindingSince: entry.FindingSince, Why: entry.Why,
	}
	if entry.Container != nil {
		act.Container = &inventory.Container{Name: entry.Container.Name}
	}
	return sweep.Outcome{
		At: entry.Time, Act: act,
		Outcome: reap.Outcome{TargetID: entry.TargetID, Result: done.Result(entry.Result), Detail: entry.Detail, FreedBytes: entry.FreedBytes},
	}
}

// ownerIn is whose a target was. The journal does not say whether the owner of an orphan
// lived: it did not.
func ownerIn(entry journal.Entry) graph.Owner {
	name, id := journal.Named(entry.Owner)
	owner := graph.Owner{Name: name}
	owner.ID, _ = inventory.ParseID(id) // zero if it is not known
	if name != "" && graph.ParseFinding(entry.Finding) == graph.FindingOrphaned {
		owner.Liveness = graph.LivenessGone
	}
	return owner
}
