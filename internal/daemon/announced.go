package daemon

import (
	"log/slog"
	"slices"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/sweep"
	"github.com/reaperd/reaperd/internal/word"
)

// announced logs what waits for its end, and what becomes of it: a target that the log says
// is due at some time has a later line in any case.
//
//	what becomes of it                      the line
//	an act on it ends                       that of the outcome (tellOutcomes)
//	an act by hand on it ends               that of the outcome (tellByHand)
//	it is due, and nothing is acted on      held back, with the reason
//	it ends without the daemon              ended otherwise
//	the same, and a sweep by hand began     ended by hand: that sweep has recorded no outcome
//	to end it                               yet, or was killed before it could
//	it stays                                no longer due, with the reason
type announced struct {
	log     *slog.Logger
	waiting map[string]announcement // by the target's id
	byHand  byHand
}

// announcement is what the log has said of a target.
type announcement struct {
	rule  string
	about []any  // the attributes that name it
	held  string // why it is due and not acted on; empty: the log has not said so
}

// tell logs what a round changes. gone are the targets that are no more; leaving tells of
// those that a sweep by hand ends.
func (a *announced) tell(round sweep.Round, gone []serve.Gone, leaving func(id string) bool) {
	if a.waiting == nil {
		a.waiting = map[string]announcement{}
	}
	for _, one := range gone {
		a.ended(one)
	}
	held := heldBack(round)
	for i := range round.View.Verdicts {
		v := &round.View.Verdicts[i]
		said, waits := a.waiting[v.Target.ID]
		switch {
		case a.byHand.hasEnded(v.Target.ID): // since this look
		case v.Decision == policy.Pending:
			a.announce(v)
		case v.Decision == policy.Reap && held != "" && !v.UnderWay:
			a.hold(v, held)
		case v.Decision == policy.Reap, v.EndsWith != "": // the act on its container tells of it
			delete(a.waiting, v.Target.ID)
		case waits && !leaving(v.Target.ID):
			delete(a.waiting, v.Target.ID)
			a.log.Info("no longer due", append(slices.Clone(said.about), "rule", said.rule, "why", v.Reason)...)
		}
	}
	a.byHand.forget(round)
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

// ended logs that a target is no more although no act of the daemon's ended it.
func (a *announced) ended(one serve.Gone) {
	said, waits := a.waiting[one.ID]
	delete(a.waiting, one.ID)
	switch {
	case !waits, a.byHand.hasEnded(one.ID):
	case one.How == serve.EndedByItself:
		a.log.Info("ended otherwise", append(slices.Clone(said.about), "rule", said.rule)...)
	case one.How == serve.EndedByHand:
		a.byHand.ends(one.ID, false)
		a.log.Info("ended by hand", append(slices.Clone(said.about), "rule", said.rule)...)
	}
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
