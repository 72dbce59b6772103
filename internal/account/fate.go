package account

import (
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
)

// Fate is what becomes of a thing: one of the six words of every screen.
type Fate string

// The fates.
const (
	InUse  Fate = "in use"
	Idle   Fate = "idle"   // a session that does nothing, and what it holds
	Leaked Fate = "leaked" // nobody uses it, and it is stopped: now, or at its time
	Kept   Fate = "kept"   // nobody uses it, or that cannot be told, and it stays
	Ending Fate = "ending" // its end has begun
	Gone   Fate = "gone"
)

// fateOf is what becomes of a target by its verdict. idle: the session that has it does
// nothing.
func fateOf(v *policy.Verdict, idle bool) Fate {
	t := v.Target
	live := t.Owner.Liveness == graph.LivenessLive || t.InUse || t.Owner.Kind == graph.OwnerService
	switch {
	case v.UnderWay():
		return Ending
	case isLeak(t) && v.Goes():
		return Leaked
	case isLeak(t), t.Finding == graph.FindingAmbiguous:
		return Kept
	case idle, t.Finding == graph.FindingIdle:
		return Idle
	case live, t.Kind == graph.KindSession:
		return InUse
	case v.Goes():
		return Leaked
	}
	return Kept
}

// isLeak reports a finding that says that nobody uses a thing any more.
func isLeak(t *graph.Target) bool {
	return t.Finding == graph.FindingOrphaned || t.Finding == graph.FindingDisconnected || t.Finding == graph.FindingExited
}

// dueOf is when a target goes by its verdict, and whether only if it stays idle. It is zero
// for what stays.
func dueOf(v *policy.Verdict, at time.Time) (due time.Time, ifIdle bool) {
	switch v.Decision {
	case policy.Reap:
		due = at
	case policy.Pending:
		due = v.DueAt
	}
	return due, v.IfIdle || v.Target.Finding == graph.FindingIdle || v.Target.Finding == graph.FindingDuplicate
}
