package oneshot

import (
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
)

// reapedSince are the rules by which other sweeps, the daemon's or by hand, have ended targets
// since a moment, by the target's id. The journal tells them, and the daemon, whose journal
// may be another.
func (s *Sweep) reapedSince(since time.Time) map[string]string {
	reaped := map[string]string{}
	record := journal.History{Path: s.Journal}
	for entry, err := range record.Read(journal.Filter{Since: since}) {
		if err == nil && done.Result(entry.Result).Reaped() { // what cannot be read is not told
			reaped[entry.TargetID] = entry.Rule
		}
	}
	if s.daemon == nil {
		return reaped
	}
	for _, act := range s.daemon.LastActs {
		if act.Outcome.Reaped() && !act.At.Before(since) {
			reaped[act.Target] = act.Rule
		}
	}
	return reaped
}

// dropped say what became of shown acts that are not carried out, one line each. reaped are
// the rules by which others have ended targets meanwhile, by the target's id.
func (s *Sweep) dropped(shown, plan policy.Plan, reaped map[string]string) (notes []string) {
	begun := map[string]bool{}
	for _, act := range slices.Concat(plan.Acts, plan.Deferred) {
		begun[act.TargetID] = true
	}
	for _, act := range shown.Acts {
		if !begun[act.TargetID] {
			notes = append(notes, "note: "+calledIn(act)+" "+s.became(act.TargetID, reaped))
		}
	}
	return notes
}

// became is what became of a target that was to go and is not in the plan any more.
func (s *Sweep) became(id string, reaped map[string]string) string {
	if at := slices.IndexFunc(s.View.Verdicts, func(v policy.Verdict) bool { return v.Target.ID == id }); at >= 0 {
		return "stays: by now " + s.View.Verdicts[at].Reason
	}
	if rule, known := reaped[id]; known {
		return "is gone: the daemon or another sweep has stopped it by rule " + rule
	}
	return "had ended by itself"
}
