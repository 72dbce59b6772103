package oneshot

import (
	"context"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/history"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/word"
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

// lately is how long ago something was reaped that a person may still name.
const lately = 24 * time.Hour

// reapedLately is the error that words mean what was reaped a while ago; nil if one of them
// does not, as far as the journal knows.
func (s *Sight) reapedLately(words []string, now time.Time) error {
	if s.host == nil || slices.ContainsFunc(words, word.IsGlob) {
		return nil
	}
	boot := s.View.Graph.Snapshot.Host.BootID
	last := map[string]journal.Entry{} // by word
	record := journal.History{Path: s.journal()}
	for entry, err := range record.Read(journal.Filter{Since: now.Add(-lately)}) {
		if err != nil || entry.Phase != journal.PhaseOutcome || !done.Result(entry.Result).Reaped() || entry.BootID != boot {
			continue // what cannot be read is not told
		}
		for _, name := range words {
			if history.ThingOf(&entry).IsMeant(name) {
				last[name] = entry
			}
		}
	}
	isOlder := func(name string) bool { return s.endedSince(name, last[name].Time) }
	switch entry := last[words[0]]; {
	case len(last) < len(words) || slices.ContainsFunc(words, isOlder): // the last of that name ended otherwise
		return nil
	case len(words) > 1:
		return advice.Failed("reaperd history --since 1d   shows when, and why", "%s are gone: they were reaped", human.Safe(human.List(words)))
	default:
		return advice.Failed("reaperd explain "+human.Shell(words[0])+"   tells why", "%s is gone: reaped %s by rule %s",
			human.Safe(words[0]), human.Moment(entry.Time.Local()), human.Safe(entry.Rule))
	}
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
			notes = append(notes, "note: "+calledIn(act)+" "+s.became(act, reaped))
		}
	}
	return notes
}

// became is what became of a target that was to go and is not in the plan any more.
func (s *Sweep) became(act policy.Act, reaped map[string]string) string {
	if at := slices.IndexFunc(s.View.Verdicts, func(v policy.Verdict) bool { return v.Target.ID == act.TargetID }); at >= 0 {
		return "stays: " + s.whyStays(act, &s.View.Verdicts[at])
	}
	if rule, known := reaped[act.TargetID]; known {
		return "is gone: the daemon or another sweep has stopped it by rule " + rule
	}
	return s.isGone(act)
}

// isGone is what is known of a target that is gone, and of which neither this user's journal nor daemon tells: another
// user's daemon or sweep may have stopped it, and only that user's journal has that. Nobody but root stops what is
// root's.
func (s *Sweep) isGone(act policy.Act) string {
	me, user := s.View.Graph.Snapshot.Host.UID, inventory.Fact[int]{}
	if before := s.View.First; before != nil {
		if t, found := before.Target(act.TargetID); found {
			user = before.UserOf(t)
		}
	}
	daemon, cares := s.beside(context.Background()).Of(user.Or(me.Or(-1)))
	switch {
	case cares:
		return "is gone meanwhile; " + daemon.MayHaveStopped(word.OfAct(&act).Handle())
	case me.Or(-1) == 0 && user.Or(-1) == 0:
		return "had ended by itself"
	}
	return "is gone meanwhile"
}

// whyStays is why a target stays that was to go, as of now. What was idle, and has no finding any more, is
// in use again.
func (s *Sweep) whyStays(act policy.Act, v *policy.Verdict) string {
	if v.Target.Finding != graph.FindingNone {
		return "by now " + v.Reason
	}
	with := slices.IndexFunc(s.View.Verdicts, func(v policy.Verdict) bool { return act.With != "" && v.Target.ID == act.With })
	switch {
	case with >= 0:
		head := s.View.Verdicts[with].Target
		return "it goes only with " + human.Safe(head.Name) + " " + head.Handle()
	case act.Finding == graph.FindingIdle, act.Finding == graph.FindingDuplicate:
		return "it is in use by now" + s.lastSign(v.Target)
	}
	return "by now " + v.Reason
}
