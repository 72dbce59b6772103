package policy

import (
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/sentence"
)

// Decision is the result of a verdict. The zero value keeps.
type Decision uint8

// The decisions.
const (
	Keep    Decision = iota
	Pending          // it would be reaped, once it is proven for long enough
	Reap
)

// String is the decision as reports write it.
func (d Decision) String() string {
	switch d {
	case Pending:
		return "pending"
	case Reap:
		return "reap"
	}
	return "keep"
}

// MarshalText writes the decision as reports do.
func (d Decision) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// Verdict is the decision about one target, and why.
type Verdict struct {
	Target   *graph.Target
	Decision Decision
	// Rule is the rule that decided, even if it only reports or a guard overruled it;
	// "" if none matched. Action and Grace are that rule's.
	Rule       string
	RuleOrigin Origin
	Action     Action
	Grace      time.Duration
	volumes    bool // of the rule
	// For is how long the rule requires the finding to hold, or an idle target to do nothing. What waits for
	// its head has that one's; what is reaped with it has none.
	For time.Duration
	// Held is how long it has held as the rule counts it. That is the target's own
	// Held, but a one-shot may count the age, and a rule with a limit counts the time
	// above it.
	Held time.Duration
	// DueAt is when a pending target will have been proven for long enough, on the
	// snapshot's clock.
	DueAt time.Time
	// Needs is how far apart two looks at a pending target must be to prove it; zero
	// if only another look is missing.
	Needs time.Duration
	// Switch is the switch of a sweep by hand without which the target would not be reaped
	// now: "--duplicates" or "--idle-over". "" is none.
	Switch string
	// IfIdle: it goes then if it does nothing until then.
	IfIdle bool
	// NeedsLook marks a target that only one look has seen so far.
	NeedsLook bool
	// Unread is a rule that acts and may name the target, of which not all that the rule asks for could be read; "" if
	// there is none, or another has matched.
	Unread string
	// Awaits is the rule that names an older copy once it has done nothing for longer; nil if there is none.
	Awaits *Rule
	// Vetoes are the guards that turned reap or pending into keep.
	Vetoes []graph.Veto
	// Protected is the entry that keeps the target whatever the rules say.
	Protected *Protect
	// WaitsFor is the pending target for which this one waits although its own time is over: a runner for
	// its container, which would else be leaked; others for what may still speak to them. "" is none.
	WaitsFor string
	// Bundle is what ends together with the target; nil: it ends alone. Head is the id of the bundle's head
	// where no rule decided about the target itself: it ends because that does. A docker run that is kept and
	// has a head exits with its container.
	Bundle *Bundle
	Head   string
	// Begun is the act of an earlier sweep that has begun to end the target, or the tree that some of it comes
	// from: it is reaped, and no plan acts on it. Nil is none.
	Begun *Act
	// Reason says why in one sentence without a full stop. Said is the same as words
	// and facts.
	Reason string
	Said   sentence.S

	// listenersStay: the rule that decided is about targets that do not listen, so a
	// listener below this target does not go with it.
	listenersStay bool

	user     user          // whose share of the limits it takes
	within   *within       // the verdict, were there no limit; nil where none makes it wait
	resting  bool          // it is pending for no other reason than that it must do nothing for longer
	reported time.Duration // after so much rest a rule only reports the target
	next     *Rule         // the rule that stops it after more rest
	// inKernel: it is under way and takes no share, since nothing more is done about
	// it.
	inKernel bool
}

// Reported reports whether reports mention the target. They leave out containers that
// are no MCP servers, and sessions without a finding, unless a rule names them or an
// entry protects such a container.
func (v *Verdict) Reported() bool {
	return !v.Target.Incidental || v.Rule != "" || v.Protected != nil && v.Target.Kind == graph.KindContainer
}

// ByAge reports that a one-shot counted the age of the target for the time that its
// finding has held.
func (v *Verdict) ByAge() bool { return v.Held > v.Target.Held }

// Rests reports an older copy that has been idle, but not for as long as the rule about it
// asks, or for [DefaultIdleFor] without one. Between two requests a copy at work is idle too.
func (v *Verdict) Rests() bool {
	isUsual := v.Unread == "" && v.Target.Idle.Or(0) < DefaultIdleFor
	return v.Target.Finding == graph.FindingDuplicate && v.Rule == "" && v.Protected == nil && (v.Awaits != nil || isUsual)
}

// Goes reports a target that ends, now or later: by its verdict, or because the head of its bundle does.
func (v *Verdict) Goes() bool { return v.Decision != Keep || v.Head != "" }

// within is a verdict, were there no limit, and the limit.
type within struct {
	Verdict
	limit int
}

// Limit is the limit that alone leaves the target for a later sweep; 0 if none does.
func (v *Verdict) Limit() int {
	if v.within == nil {
		return 0
	}
	return v.within.limit
}

// proven reports that only a sweep's limit may keep the target from being reaped.
func (v *Verdict) proven() bool { return v.begins() || v.within != nil }

// UnderWay reports that the end of the target has begun.
func (v *Verdict) UnderWay() bool { return v.Begun != nil }

// begins reports that the target is to be ended and no act has begun to.
func (v *Verdict) begins() bool { return v.Decision == Reap && !v.UnderWay() }

// open reports whether the verdict reaps now or later.
func (v *Verdict) open() bool { return v.Decision == Reap || v.Decision == Pending }

// because sets the reason.
func (v *Verdict) because(form string, facts ...any) {
	v.Said = sentence.Of(form, facts...)
	v.Reason = v.Said.String()
}

// Sentence is the reason as words and facts.
func (v *Verdict) Sentence() sentence.S {
	if v.Said.IsZero() && v.Reason != "" {
		return sentence.Of("%s", v.Reason)
	}
	return v.Said
}
