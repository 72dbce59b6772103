package report

import (
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
)

// due is how long it takes until the daemon ends what is to go. False says that no
// daemon will: none runs, it only reports, or it does not know the target yet.
func (v *view) due(verdict *policy.Verdict) (time.Duration, bool) {
	at, known := v.in.Due[verdict.Target.ID]
	if !known || verdict.Decision == policy.Keep || verdict.Beyond > 0 {
		return 0, false
	}
	return max(0, at.Sub(v.at)), true
}

// awaited reports that a verdict is pending, and the daemon will end it.
func (v *view) awaited(verdict *policy.Verdict) bool {
	_, due := v.due(verdict)
	return due && verdict.Decision == policy.Pending
}

// dueToo says when the daemon ends what a sweep would end now.
func (v *view) dueToo(s *screen, c cause) {
	vs := c.verdicts()
	if left, due := v.allDue(vs); due && !v.acted() {
		s.wrap("   ", v.dueText(vs, left)+"; a sweep need not wait")
	}
}

// allDue is how long it takes until the daemon has begun to end the last of several;
// false where it ends not all of them.
func (v *view) allDue(vs verdicts) (last time.Duration, all bool) {
	for _, verdict := range vs {
		left, known := v.due(verdict)
		if !known {
			return 0, false
		}
		last = max(last, left)
	}
	return last, len(vs) > 0
}

// heldFor is how long a pending verdict's cause has held: in the daemon's eyes where
// that ends the target, since it is the daemon's countdown that runs out.
func (v *view) heldFor(verdict *policy.Verdict) time.Duration {
	if left, _ := v.due(verdict); v.awaited(verdict) && verdict.For > 0 {
		return min(verdict.For, max(0, verdict.For-left))
	}
	return verdict.Held
}

// dueText is "the daemon stops it in 12s".
func (v *view) dueText(vs verdicts, left time.Duration) string {
	what := "it"
	if len(vs) > 1 {
		what = "them"
	}
	verb := "stops"
	if vs[0].Action == policy.ActionRemove {
		verb = "removes"
	}
	if left <= 0 {
		return "the daemon " + verb + " " + what + " now"
	}
	return "the daemon " + verb + " " + what + " in " + human.Span(left)
}
