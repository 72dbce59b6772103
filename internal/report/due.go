package report

import (
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
)

// due returns the time until the daemon reaps a target. It returns false if no daemon
// will: none runs, it only reports, or it does not know the target yet.
func (v *view) due(verdict *policy.Verdict) (time.Duration, bool) {
	at, known := v.in.Due[verdict.Target.ID]
	if !known || verdict.Decision == policy.Keep || verdict.Beyond > 0 {
		return 0, false
	}
	return max(0, at.Sub(v.at)), true
}

// awaited reports whether a verdict is pending and the daemon will reap the target.
func (v *view) awaited(verdict *policy.Verdict) bool {
	_, due := v.due(verdict)
	return due && verdict.Decision == policy.Pending
}

// dueToo tells when the daemon reaps the targets that a sweep would reap now.
func (v *view) dueToo(s *screen, c cause) {
	vs := c.verdicts()
	if left, due := v.allDue(vs); due && !v.acted() {
		s.wrap("   ", v.dueText(vs, left)+"; a sweep need not wait")
	}
}

// allDue returns the time until the daemon reaps the last of vs; false if it will not
// reap all of them.
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

// heldFor returns how long the cause of a pending verdict has held. If the daemon will
// reap the target, that is the time that the daemon has counted.
func (v *view) heldFor(verdict *policy.Verdict) time.Duration {
	if left, _ := v.due(verdict); v.awaited(verdict) && verdict.For > 0 {
		return min(verdict.For, max(0, verdict.For-left))
	}
	return verdict.Held
}

// dueText says, for example, "the daemon stops it in 12s".
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
