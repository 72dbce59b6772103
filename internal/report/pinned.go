package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
)

// pinOf returns why a target is pinned: "" if it is not, or is nil.
func pinOf(t *graph.Target) string {
	if t == nil {
		return ""
	}
	i := slices.IndexFunc(t.Vetoes, isPin)
	if i < 0 {
		return ""
	}
	return reasonOf(t.Vetoes[i].Sentence()).text
}

func isPin(v graph.Veto) bool { return v.Guard == graph.GuardPinned }

// isUnmarkedPin reports a person's pin, of the thing itself or of another: no label and no variable.
func isUnmarkedPin(v graph.Veto) bool { return isPin(v) && !v.Marked }

// unsaidPin returns why a target is pinned, if its verdict does not say so: a pin is
// among the verdict's guards only where a rule would act without them.
func unsaidPin(v *policy.Verdict) string {
	if slices.ContainsFunc(v.Vetoes, isPin) {
		return ""
	}
	return pinOf(v.Target)
}

// howKept is "pinned" for what a person has pinned, "kept" for what only its own label or
// environment keeps, or the pin of another thing; "" for anything else.
func howKept(t *graph.Target) string {
	how := ""
	if t == nil {
		return how
	}
	for _, v := range t.Vetoes {
		switch {
		case isPin(v) && !v.Marked && v.For == "":
			return "pinned"
		case isPin(v):
			how = "kept"
		}
	}
	return how
}

// pinMark stands behind the name of a group: "  pinned", or how many are if not all. What an entry of protect keeps
// is kept too; of what has a finding the reason says so.
func (v *view) pinMark(vs verdicts) string {
	text := ""
	for _, how := range []string{"pinned", "pinned" + beside.OnlyInOwn, "kept", "kept" + beside.OnlyInOwn} {
		switch n := len(vs.where(func(verdict *policy.Verdict) bool { return v.markOf(verdict) == how })); n {
		case 0:
		case len(vs):
			text += "  " + how
		default:
			text += fmt.Sprintf("  %s %s", human.Number(n), how)
		}
	}
	return text
}

// markOf is how a target is kept, where its verdict does not say so: "pinned"; empty if it is not.
func (v *view) markOf(verdict *policy.Verdict) string {
	how := ""
	switch kept := howKept(verdict.Target); {
	case unsaidPin(verdict) != "":
		how = kept + v.pinReach(verdict.Target)
	case kept == "" && isProtectedInUse(verdict):
		how = "kept"
	}
	if verdict.UnderWay && !verdict.Imminent && strings.HasPrefix(how, "kept") {
		return ""
	}
	return how
}

// sessionMark stands behind the name of a session.
func (v *view) sessionMark(s *graph.Session) string {
	if how := howKept(s.Target); how != "" {
		return "  " + how + v.pinReach(s.Target)
	}
	return ""
}

// isProtectedInUse reports what an entry of protect keeps, and no rule would stop as it is.
func isProtectedInUse(v *policy.Verdict) bool {
	return v.Protected != nil && v.Target.Finding == graph.FindingNone
}

// pinnedText adds to the first sentence what [alsoPinned] does. Of what is being stopped it says no more than what is
// pinned: that keeps nothing of it. Where a policy of this user's own decides, a pin by which root's daemon goes is told
// apart from that.
func (v *view) pinnedText(verdict *policy.Verdict) string {
	pin := unsaidPin(verdict)
	if pin == "" && isProtectedInUse(verdict) {
		return keptSentence(sentence(verdict.Reason), v.inOwnSweeps(verdict))
	}
	if pin != "" && v.ownRules() && shelfOf(verdict) != leaving && howKept(verdict.Target) == "pinned" && v.pinReach(verdict.Target) == "" {
		return " It is pinned, and root's daemon goes by that."
	}
	if pin == "" || shelfOf(verdict) != leaving || verdict.Imminent || howKept(verdict.Target) == "pinned" {
		return v.alsoPinned(verdict.Target, pin)
	}
	for _, veto := range verdict.Target.Vetoes {
		if other, found := v.verdict(veto.For); found && isPin(veto) {
			return " " + called(other.Target) + " is pinned."
		}
	}
	return ""
}

// alsoPinned adds to the first sentence of an explanation that the thing is pinned, or why
// else it is kept. pin is why; empty adds nothing.
func (v *view) alsoPinned(t *graph.Target, pin string) string {
	switch {
	case pin == "":
		return ""
	case howKept(t) == "kept":
		return keptSentence(pin, v.pinReach(t))
	}
	return " It is pinned" + v.pinReach(t) + "."
}

// keptSentence says why a thing is kept, and from whom: in any case, unless reach is [beside.OnlyInOwn].
func keptSentence(why, reach string) string {
	if reach == "" {
		return " It is kept in any case: " + why + "."
	}
	return " It is kept: " + why + reach + "."
}

// unpin is the command that ends a person's pin: of a target, or of the one for whose sake it
// is kept; "" if no person has pinned either, or the policy keeps it all the same.
func (v *view) unpin(verdict *policy.Verdict) string {
	if verdict.Protected != nil && !v.ownRules() {
		return ""
	}
	if pin, isPinned := v.personsPin(verdict.Target); isPinned {
		return pin.Unpin(v.nameOf(cmp.Or(pin.For, verdict.Target.ID)))
	}
	vetoes := slices.Clone(verdict.Vetoes)
	if verdict.Bound != nil {
		vetoes = append(vetoes, *verdict.Bound)
	}
	kept := slices.IndexFunc(vetoes, func(veto graph.Veto) bool { return v.isPersons(veto) && veto.For != "" })
	if kept < 0 {
		return ""
	}
	return vetoes[kept].Unpin(v.nameOf(vetoes[kept].For))
}

// personsPin is the pin of a person that keeps a target; false if none does.
func (v *view) personsPin(t *graph.Target) (graph.Veto, bool) {
	if t == nil {
		return graph.Veto{}, false
	}
	i := slices.IndexFunc(t.Vetoes, v.isPersons)
	if i < 0 {
		return graph.Veto{}, false
	}
	return t.Vetoes[i], true
}

// isPersons reports the pin of a person, which can be ended.
func (v *view) isPersons(veto graph.Veto) bool { return isPin(veto) && !veto.Marked && !v.in.Replay }
