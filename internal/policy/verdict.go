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
	// For is how long the rule requires the finding to hold, of a pending target that goes With
	// another that of the other; zero for a target that is reaped With another.
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
	// Imminent marks a target under way of which nothing has been touched, as in [Act].
	Imminent bool
	// NeedsLook marks a target that only one look has seen so far.
	NeedsLook bool
	// Threshold keeps the target from a rule that else would match; nil if there is no such
	// rule, or another has matched.
	Threshold *Threshold
	// Unread is a rule that acts and may name the target, of which not all that the rule asks for could be read; "" if
	// there is none, or another has matched.
	Unread string
	// Ahead is the rule that stops a session that does nothing and stays, once it has been idle for longer;
	// nil if none does.
	Ahead *Ahead
	// Bound is what such a session holds and must stay: no rule and no sweep would stop the session. Spared
	// is the rule that would else; nil if none would.
	Bound  *graph.Veto
	Spared *Ahead
	// Vetoes are the guards that turned reap or pending into keep.
	Vetoes []graph.Veto
	// Protected is the entry that keeps the target whatever the rules say.
	Protected *Protect
	// EndsWith is the container that is reaped while its runner is not: the runner
	// then exits by itself.
	EndsWith string
	// WaitsFor is the pending target for which this one waits although its own time is over: a runner for
	// its container, which would else be leaked; others for what may still speak to them. "" is none.
	WaitsFor string
	// With is the target that this one goes with, now or when that is due, because it cannot
	// outlive it: the gateway above it, its runner or, of a runner, its container. "" if a rule
	// decided about it.
	With string
	// Beyond is the limit that leaves this target for a later sweep: it is pending
	// for no other reason. 0 if no limit does.
	Beyond int
	// UnderWay: an earlier sweep has begun to end the target, or the tree that some of
	// it comes from. It is reaped, and no plan acts on it.
	UnderWay bool
	// Reason says why in one sentence without a full stop. Said is the same as words
	// and facts.
	Reason string
	Said   sentence.S

	// listenersStay: the rule that decided is about targets that do not listen, so a
	// listener below this target does not go with it.
	listenersStay bool

	within sentence.S // the reason, were there no limit
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
// asks, or for [DefaultIdleFor] without one. Until then it counts as in use: between two
// requests a copy at work is idle too.
func (v *Verdict) Rests() bool {
	return v.Target.Finding == graph.FindingDuplicate && v.Decision == Keep && v.Threshold != nil
}

// LeastRest is for how long an older copy must have done nothing to be told as idle. A copy at work does nothing between
// two requests either.
const LeastRest = 5 * time.Second

// InUse reports a target that somebody uses and that nothing is wrong with.
func (v *Verdict) InUse() bool {
	t := v.Target
	if v.Decision != Keep || v.EndsWith != "" || t.Finding != graph.FindingNone && !v.Rests() {
		return false
	}
	return t.Owner.Liveness == graph.LivenessLive || t.InUse || t.Owner.Kind == graph.OwnerService
}

// proven reports that only a sweep's limit may keep the target from being reaped.
func (v *Verdict) proven() bool { return v.begins() || v.Beyond > 0 }

// begins reports that the target is to be ended and no act has begun to.
func (v *Verdict) begins() bool { return v.Decision == Reap && !v.UnderWay }

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
