package policy

import (
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/sentence"
)

// Decision is what a verdict comes to. The zero value keeps.
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

// Verdict is what was decided about one target, and why.
type Verdict struct {
	Target   *graph.Target
	Decision Decision
	// Rule is the rule that decided, also where it only reports or a guard
	// overruled it; empty where none matched. Its action and grace come with it.
	Rule       string
	RuleOrigin Origin
	Action     Action
	Grace      time.Duration
	// For is how long that rule wants the finding to hold; zero for what goes
	// With another, which waits for nothing of its own.
	For time.Duration
	// Held is for how long that rule counts it as held. It is the target's own
	// Held, but a one-shot may count the age, and a rule with a limit counts the
	// time that was over it.
	Held time.Duration
	// DueAt is when a pending target will have been proven for long enough, on
	// the snapshot's clock.
	DueAt time.Time
	// Needs is for how long the looks at a pending target must lie apart to
	// prove it; zero where only another look is missing.
	Needs time.Duration
	// NeedsLook marks what was seen once only, so far.
	NeedsLook bool
	// Vetoes are the guards that turned reap or pending into keep.
	Vetoes []graph.Veto
	// Protected is the entry that keeps the target whatever the rules say.
	Protected *Protect
	// EndsWith is the container that is reaped while its client is not: the
	// client then ends by itself.
	EndsWith string
	// With is the target that this one is reaped with, because it cannot
	// outlive it: the gateway above, or the client. Empty where the rules
	// decided about it for itself.
	With string
	// Beyond is the limit of a sweep that leaves this one for a later sweep: it
	// would be reaped, and is pending for nothing else. Zero where no limit does.
	Beyond int
	// UnderWay: an earlier sweep has begun to end the target, or the tree that some of
	// it comes from. It is reaped, and no plan acts on it.
	UnderWay bool
	// Reason is one sentence on why, without a full stop; Said is the same as words
	// and facts.
	Reason string
	Said   sentence.S

	// listenersStay: the rule that decided is about what does not listen, so what
	// listens below the target does not go with it.
	listenersStay bool

	within sentence.S // the reason, were there no limit
	// inKernel: it is under way, and takes no share: nothing is done about it.
	inKernel bool
}

// Reported reports whether reports are about the target: about all but what no rule
// names of containers that are no MCP servers, and of sessions that nothing is the
// matter with. That such a container is protected is told too.
func (v *Verdict) Reported() bool {
	return !v.Target.Incidental || v.Rule != "" || v.Protected != nil && v.Target.Kind == graph.KindContainer
}

// proven reports whether nothing but the limit of a sweep stands between the
// target and its end.
func (v *Verdict) proven() bool { return v.begins() || v.Beyond > 0 }

// begins reports whether the target is to be ended, and nobody has begun to.
func (v *Verdict) begins() bool { return v.Decision == Reap && !v.UnderWay }

// open reports whether the verdict reaps now or later.
func (v *Verdict) open() bool { return v.Decision == Reap || v.Decision == Pending }

// because gives the reason.
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
