package report

import (
	"cmp"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
)

// shortestNeed returns the settle time that would prove the first of what is pending; zero
// if none needs more than another look.
func shortestNeed(vs verdicts) time.Duration {
	var need time.Duration
	for _, verdict := range vs {
		if verdict.Needs > 0 && (need == 0 || verdict.Needs < need) {
			need = verdict.Needs
		}
	}
	return need
}

// longestSettle returns the settle time after which a sweep has proven everything pending.
func (v *view) longestSettle(pending verdicts) time.Duration {
	var settle time.Duration
	for _, verdict := range pending {
		settle = max(settle, v.settleFor(verdict))
	}
	return settle
}

// settleFor is the whole time that a rule asks for, or the rest of it if a daemon remembers what
// has passed: it tells that to the next sweep too.
func (v *view) settleFor(verdict *policy.Verdict) time.Duration {
	left := remaining(verdict, v.at)
	if v.isRemembered(verdict) && left > 0 {
		return human.RoundedUp(left)
	}
	return verdict.Needs
}

// isRemembered reports a finding that has held for longer than this command looks.
func (v *view) isRemembered(verdict *policy.Verdict) bool {
	return v.in.Daemon && !verdict.ByAge() && verdict.Held >= v.settle()+time.Second
}

// longestNeed returns the settle time that would prove everything pending.
func longestNeed(vs verdicts) time.Duration {
	var need time.Duration
	for _, verdict := range vs {
		need = max(need, verdict.Needs)
	}
	return need
}

// provingHint is the command to type if everything waits for proof.
func (v *view) provingHint() string {
	pending := v.on(waiting)
	if _, due := v.allDue(pending); due || longestNeed(pending) <= 0 || len(v.on(reaping)) > 0 || v.in.Replay || v.cannotAct() || v.acted() {
		return ""
	}
	hint := v.proving(pending)
	if soon := v.soon(pending); len(soon) > 0 && len(soon) < len(pending) && !allAtOnce(pending) {
		return literal(v.order().Sweep()) + " is enough for " + human.Number(len(soon)) + " of these, and for all " + hint
	}
	asked := itOrThem(len(v.actedOn(pending)))
	does := "   looks for that long, then asks to stop " + asked + "; "
	if allAtOnce(pending) {
		does = "   asks to stop " + asked + ", without waiting; "
	}
	if v.in.Daemon {
		return hint + does + v.besides()
	}
	return hint + does + v.leaveTo(pending)
}

// besides says what the daemon does that does not know of what is pending yet.
func (v *view) besides() string {
	if roots, runs := v.in.Beside.Of(0); runs && v.in.DaemonRests != "" {
		return "your daemon " + v.in.DaemonRests + ", and " + roots.Decides(v.in.RootsRests)
	}
	if v.in.DaemonRests != "" {
		return "the daemon " + v.in.DaemonRests + ", and stops nothing: reaperd status"
	}
	if v.in.ForeignDaemon && v.in.RootsRests != "" {
		return "root's daemon " + v.in.RootsRests
	}
	if v.in.ForeignDaemon {
		return "or leave it to root's daemon: sudo reaperd status"
	}
	if text := cmp.Or(v.otherwise(v.on(waiting)), v.byAnother()); text != "" {
		return text
	}
	if left := v.in.NextLook.Sub(v.at); !v.in.NextLook.IsZero() && left > 0 {
		return "or leave it to the daemon, which looks" + dueIn(left) + ": reaperd status"
	}
	return "or leave it to the daemon: reaperd status"
}

// proving is the command that need not wait, or that looks for long enough.
func (v *view) proving(pending verdicts) string {
	if allAtOnce(pending) {
		return literal(now(v.order()))
	}
	return literal(settling(v.order(), v.longestSettle(pending)))
}

// mayGoAtOnce reports whether `sweep --now` would not let a target wait.
func mayGoAtOnce(v *policy.Verdict) bool { return v.AtOnce }

func allAtOnce(vs verdicts) bool { return len(vs.where(mayGoAtOnce)) == len(vs) }

// actedOn leaves out docker runs that end by themselves with their containers: no act is on these.
func (v *view) actedOn(vs verdicts) verdicts {
	return vs.where(func(verdict *policy.Verdict) bool {
		return verdict.Target.Kind == graph.KindContainer || !v.goesWithTwin(verdict)
	})
}
