package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
)

// unheeded is a pin that keeps a target from this user's sweeps, while the daemon of another user
// looks after the target and does not go by the pin.
type unheeded struct {
	daemon  beside.Daemon
	of      *graph.Target // what is pinned
	another bool          // of is another user's
}

// unheeded returns the first of such pins among the vetoes on a target; false if there is none, or
// if another pin, by which the daemon goes, keeps the target too.
func (v *view) unheeded(t *graph.Target, vetoes []graph.Veto) (first unheeded, only bool) {
	for _, veto := range vetoes {
		if !isPin(veto) {
			continue
		}
		pin, ignored := v.ignored(t, veto)
		if !ignored {
			return unheeded{}, false
		}
		if !only {
			first, only = pin, true
		}
	}
	return first, only
}

// ignored reports whether the daemon that looks after a target ignores a pin: the present user's own, of
// a container or of another user's process.
func (v *view) ignored(t *graph.Target, pin graph.Veto) (unheeded, bool) {
	if !v.isPersons(pin) || pin.By != "" {
		return unheeded{}, false
	}
	of := t
	if other, found := v.in.Graph.Target(pin.For); found && pin.For != "" {
		of = other
	}
	user, me := v.in.Graph.UserOf(of), v.me()
	daemon, ignores := v.in.Beside.Ignoring(user.Or(me), me, of.Container != nil)
	if !ignores {
		return unheeded{}, false
	}
	return unheeded{daemon: daemon, of: of, another: user.Or(me) != me}, true
}

// unheededNotes tell of what only pins keep that the daemon which decides does not go by, each daemon once,
// and root of what users have pinned to no effect here.
func (v *view) unheededNotes(vs verdicts) (notes []string) {
	var pins []unheeded
	for _, verdict := range vs {
		t := verdict.Target
		if t.Finding == graph.FindingNone {
			continue
		}
		if user := v.in.UsersPins[t.ID]; user != "" && verdict.Decision != policy.Keep && !v.acted() {
			notes = append(notes, fmt.Sprintf("%s has pinned %s, and a user's pin of a container does not hold for root: reaperd pin %s keeps it", human.Safe(user), called(t), handle(t)))
		}
		pin, only := v.unheeded(t, t.Vetoes)
		if only && !slices.ContainsFunc(pins, func(told unheeded) bool { return told.of.ID == pin.of.ID }) {
			pins = append(pins, pin)
		}
	}
	return append(notes, ignoredNotes(pins)...)
}

// ignoredNotes name the commands that make daemons keep what is pinned.
func ignoredNotes(pins []unheeded) (notes []string) {
	for len(pins) > 0 {
		first := pins[0]
		isLike := func(other unheeded) bool { return other.daemon == first.daemon && other.another == first.another }
		var names, handles []string
		for _, pin := range pins {
			if isLike(pin) {
				names, handles = append(names, called(pin.of)), append(handles, handle(pin.of))
			}
		}
		if first.another {
			notes = append(notes, first.daemon.IgnoresPinOfAnother(firstFew(names), handles))
		} else {
			notes = append(notes, first.daemon.IgnoresPin(handles...))
		}
		pins = slices.DeleteFunc(pins, isLike)
	}
	return notes
}

// ignoredReason tells how far the pin of a target holds that the daemon which decides does not go
// by; false if it goes by it, or if no pin keeps the target.
func (v *view) ignoredReason(verdict *policy.Verdict) (why reason, isIgnored bool) {
	if len(verdict.Vetoes) == 0 || !isPin(verdict.Vetoes[0]) {
		return reason{}, false
	}
	pin, only := v.unheeded(verdict.Target, verdict.Vetoes)
	switch {
	case !only:
		return reason{}, false
	case pin.of == verdict.Target:
		text := sentence(pin.daemon.IsKeptFrom("your pin"))
		return reason{text, text}, true
	}
	return reason{sentence(pin.daemon.IsKeptFrom("your pin of " + handle(pin.of))), sentence(pin.daemon.IsKeptFrom("your pin of …"))}, true
}

// pinReach is added to the pin of a target by which the daemon that decides does not go: [beside.OnlyInOwn]; empty if it does,
// or if no pin keeps the target.
func (v *view) pinReach(t *graph.Target) string {
	if t == nil {
		return ""
	}
	if _, only := v.unheeded(t, t.Vetoes); only {
		return beside.OnlyInOwn
	}
	return ""
}

// keptBecause is [keptBecause], and tells of a pin which daemon does not go by it.
func (v *view) keptBecause(verdict *policy.Verdict) reason {
	if ignored, is := v.ignoredReason(verdict); is {
		return ignored
	}
	return keptBecause(verdict)
}

// guards are what keeps a target whatever the policy says: also under a rule that only reports.
func (v *view) guards(verdict *policy.Verdict) string {
	var texts []string
	vetoes := verdict.Vetoes
	if onlyReported(verdict) {
		vetoes = vetoesOn(verdict)
	}
	if verdict.Protected != nil {
		texts = append(texts, sentence(verdict.Reason)+v.inOwnSweeps(verdict))
	}
	if pin := unsaidPin(verdict); pin != "" {
		texts = append(texts, pin+v.pinReach(verdict.Target))
	}
	for _, veto := range vetoes {
		text := reasonOf(veto.Sentence()).text
		if _, only := v.unheeded(verdict.Target, vetoes); only && isPin(veto) {
			text += beside.OnlyInOwn
		}
		if veto.Guard == graph.GuardProtected && v.ownRules() {
			text += beside.OnlyInOwn
		}
		texts = append(texts, text)
	}
	if len(texts) == 0 {
		return "none applies"
	}
	return strings.Join(texts, "; ")
}
