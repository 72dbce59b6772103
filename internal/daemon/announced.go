package daemon

import (
	"log/slog"
	"maps"
	"slices"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/sweep"
	"github.com/reaperd/reaperd/internal/word"
)

// announced logs what waits for its end, and what becomes of it: a target that the log says
// is due at some time has a later line in any case.
//
//	what becomes of it                      the line
//	an act on it ends                       that of the outcome (tellOutcomes)
//	it is due, and nothing is acted on      held back, with the reason
//	it is no more                           ended otherwise
//	it stays                                no longer due, with the reason
type announced struct {
	log     *slog.Logger
	waiting map[string]announcement // by the target's id
}

// announcement is what the log has said of a target.
type announcement struct {
	rule  string
	about []any  // the attributes that name it
	held  string // why it is due and not acted on; empty: the log has not said so
}

// tell logs what a round changes.
func (a *announced) tell(round sweep.Round) {
	if a.waiting == nil {
		a.waiting = map[string]announcement{}
	}
	for _, outcome := range round.Outcomes {
		if outcome.Result.Gone() {
			delete(a.waiting, outcome.Act.TargetID)
		}
	}
	if round.Again || round.View.Graph == nil {
		return
	}
	a.tellGone(round)
	held := heldBack(round)
	for i := range round.View.Verdicts {
		v := &round.View.Verdicts[i]
		said, waits := a.waiting[v.Target.ID]
		switch {
		case v.Decision == policy.Pending && v.IfIdle: // it is told when it is due: each use would take it back
		case v.Decision == policy.Pending:
			a.announce(v)
		case v.Decision == policy.Reap && held != "" && !v.UnderWay():
			a.hold(v, held)
		case v.Goes(): // the act on its container tells of it
			delete(a.waiting, v.Target.ID)
		case waits:
			delete(a.waiting, v.Target.ID)
			a.log.Info("no longer due", append(slices.Clone(said.about), "rule", said.rule, "why", v.Reason)...)
		}
	}
}

// tellGone logs what has ended although no act of the daemon's ended it. A look that could not see
// everything shows nobody's end.
func (a *announced) tellGone(round sweep.Round) {
	snapshot := round.View.Graph.Snapshot
	if !snapshot.Complete() {
		return
	}
	engines := snapshot.Engines()
	for _, id := range slices.Sorted(maps.Keys(a.waiting)) {
		isThere := slices.ContainsFunc(round.View.Verdicts, func(v policy.Verdict) bool { return v.Target.ID == id })
		if isThere || inventory.IsContainerID(id) && !engines.ReadAll("") {
			continue
		}
		said := a.waiting[id]
		delete(a.waiting, id)
		a.log.Info("ended otherwise", append(slices.Clone(said.about), "rule", said.rule)...)
	}
}

// announce logs of each new pending target when it is due.
func (a *announced) announce(v *policy.Verdict) {
	said, waits := a.waiting[v.Target.ID]
	if waits && said.rule == v.Rule && said.held == "" {
		return
	}
	about := aboutTarget(v.Target)
	a.waiting[v.Target.ID] = announcement{rule: v.Rule, about: about}
	a.log.Info("pending", append(slices.Clone(about), "rule", v.Rule, "finding", v.Target.Finding, "due", v.DueAt, "why", v.Reason)...)
}

// hold logs that a target is due and is not acted on.
func (a *announced) hold(v *policy.Verdict, why string) {
	if a.waiting[v.Target.ID].held == why {
		return
	}
	about := aboutTarget(v.Target)
	a.waiting[v.Target.ID] = announcement{rule: v.Rule, about: about, held: why}
	a.log.Info("held back", append(slices.Clone(about), "rule", v.Rule, "finding", v.Target.Finding, "why", why)...)
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

// aboutTarget are the attributes that name a target and its owner in the log.
func aboutTarget(t *graph.Target) []any {
	return append(aboutThing(t.Name, word.Of(t)), aboutOwner(t.Owner)...)
}

// aboutThing are the attributes that name a thing in the log.
func aboutThing(name string, thing word.Thing) []any {
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
