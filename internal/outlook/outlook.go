// Package outlook tells what comes of a request: what the daemon does next, once a pin or a
// pause has ended, and whether it goes by the policy that is shown.
package outlook

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
)

// Unpinned waits for the next look of the daemon of a state directory, and tells what comes of
// the things whose pins have just ended; nothing if the daemon stops none of them.
func Unpinned(ctx context.Context, dir state.Dir, others beside.Daemons, ended []state.Pin) []string {
	if len(ended) == 0 {
		return nil
	}
	if _, own, err := dir.Daemon(); err == nil && !own && isBesideRoots(others) {
		return decidedBy(others)
	}
	at := time.Now()
	serve.AwaitLook(ctx, dir.Socket(), at)
	is, err := serve.Ask(ctx, dir.Socket())
	switch {
	case !dir.HasDaemon() && len(others) > 0:
		return append([]string{"note: no daemon of root runs" + sweepDecides(dir, others, time.Now())}, others.Notes("goes by pins of its own", "reaperd pins")...)
	case !dir.HasDaemon():
		return []string{"note: no daemon runs" + sweepDecides(dir, nil, time.Now())}
	case err != nil || !is.Ready:
		return nil
	case is.ModeFrom == policy.BesideSystem && len(others) > 0:
		return decidedBy(others)
	case is.Mode != policy.ModeEnforce && isFound(is, ended):
		return []string{"note: the daemon only reports (mode: report), and stops nothing"}
	case is.Paused && isFound(is, ended):
		return []string{"note: " + pausedText(is.PausedUntil)}
	case is.Mode != policy.ModeEnforce || is.Paused:
		return nil
	}
	return unpinned(is, ended, at, time.Now())
}

// decidedBy says who decides what becomes of a thing beside root's daemon.
func decidedBy(others beside.Daemons) []string {
	return others.Notes("decides now, by its own policy and pins", "reaperd status")
}

// sweepDecides ends a sentence which says that no daemon runs.
func sweepDecides(dir state.Dir, others beside.Daemons, now time.Time) string {
	switch pause, paused, err := dir.Paused(now); {
	case !paused || err != nil:
	case len(others) > 0:
		return "; " + others.Unpaused()
	default:
		return ", and " + pausedText(pause.Until)
	}
	return ": a sweep by hand decides (reaperd sweep)"
}

// Paused tells how long the pause of a daemon keeps everything from being stopped.
func Paused(is *serve.State) string { return pausedText(is.PausedUntil) }

// pausedText tells how long a pause keeps everything from being stopped; zero is without an end.
func pausedText(end time.Time) string {
	until := "reaperd resume"
	if !end.IsZero() {
		until = "that, or before reaperd resume"
	}
	return "it is " + state.Pause{Until: end}.Sentence() + ": nothing is stopped before " + until
}

// isFound reports whether something that was pinned is pending, has leaked, or was left by a session.
func isFound(is *serve.State, ended []state.Pin) bool {
	return slices.ContainsFunc(ended, func(pin state.Pin) bool {
		switch is.Remembered[pin.ID].Finding {
		case graph.FindingOrphaned, graph.FindingExited:
			return true
		}
		isLeft := func(l serve.Leaver) bool {
			return slices.ContainsFunc(l.Left, func(left serve.Left) bool { return left.ID == pin.ID })
		}
		return slices.ContainsFunc(is.Leavers, isLeft) || slices.ContainsFunc(is.Pending, func(p serve.Pending) bool { return p.ID == pin.ID })
	})
}

// Resumed waits for the next look of the daemon of a state directory, and says what comes of
// the end of a pause. It did not reach the daemons of other users.
func Resumed(ctx context.Context, dir state.Dir, others beside.Daemons) string {
	serve.AwaitLook(ctx, dir.Socket(), time.Now())
	is, err := serve.Ask(ctx, dir.Socket())
	if err != nil {
		is = nil
	}
	text := "Resumed. No daemon runs; "
	switch {
	case len(others) > 0 && (is == nil || is.ModeFrom == policy.BesideSystem):
		text = "Resumed. Only your own sweeps were paused; "
	case errors.Is(err, serve.ErrSilent):
		return "Resumed. The daemon does not answer, and nothing is reaped by itself; reaperd status says more."
	case dir.HasDaemon():
		return resumed(is)
	}
	p, _, err := policyfile.LoadAnyway("")
	if err == nil && p.Mode == policy.ModeReport {
		return text + "reaperd sweep --mode enforce stops what is due, in spite of mode: report."
	}
	return text + "reaperd sweep stops what is due."
}

func resumed(is *serve.State) string {
	switch {
	case is != nil && is.Mode == policy.ModeReport:
		return "Resumed. The daemon only reports (mode: report); reaperd sweep --mode enforce stops what is due."
	case is != nil && !is.Ready:
		return "Resumed. The daemon is not well and stops nothing; reaperd status says why."
	}
	return "Resumed: what is due is reaped again."
}

// Policy tells whether the daemon of a state directory, and sweeps by hand, go by a policy, and which
// others do not; nothing if the daemon does and is alone.
func Policy(ctx context.Context, dir state.Dir, others beside.Daemons, p *policy.Policy) []string {
	var notes []string
	is, err := serve.Ask(ctx, dir.Socket())
	_, own, unknown := dir.Daemon()
	switch {
	case err == nil:
		notes = policyOf(is, p, isBesideRoots(others))
	case !own && unknown == nil:
		which := "no daemon"
		if isBesideRoots(others) {
			which = "no daemon of yours"
		}
		notes = []string{"note: " + which + " runs by this policy; " + sweepsGoBy(p)}
	}
	return append(notes, OthersPolicies(others, p)...)
}

// OthersPolicies says that root's daemon goes by a policy of its own, whatever p says where that is from a user's
// file; nothing if none runs beside.
func OthersPolicies(others beside.Daemons, p *policy.Policy) []string {
	if !isBesideRoots(others) {
		return nil
	}
	if policyfile.IsUsers(p) {
		return others.Notes("chooses its policy by itself: no protect, mode or rule of a user's file binds it", "reaperd policy show")
	}
	return others.Notes("chooses its policy by itself", "reaperd policy show")
}

// isBesideRoots reports that root's daemon is among the others.
func isBesideRoots(others beside.Daemons) bool { return len(others) > 0 && others[0].UID == 0 }

// sweepsGoBy says whether sweeps by hand go by a policy.
func sweepsGoBy(p *policy.Policy) string {
	switch shown := p.Sources[0].Name; {
	case policyfile.IsStream(shown):
		return "it is from " + shown + ", and sweeps by hand do not go by it"
	case !policyfile.IsChosen(p):
		return "sweeps by hand go by it only with --policies " + human.Shell(shown)
	}
	return "sweeps by hand go by it"
}

// policyOf is [Policy] by what a daemon has told.
func policyOf(is *serve.State, p *policy.Policy, hasRoots bool) []string {
	does := ""
	after, rootsEnded := is.AfterRoots(hasRoots)
	switch {
	case is.Policy.SHA256 != p.Hash && !filepath.IsAbs(is.Policy.Source):
		does = "goes by the built-in policy, and not by this one"
	case is.Policy.SHA256 != p.Hash:
		does = "goes by another policy: reaperd policy show " + human.Shell(is.Policy.Source)
	case is.Mode == p.Mode:
		return nil
	case rootsEnded && after.Mode == p.Mode:
		does = "goes by this policy with its next look: it only reported because root's daemon ran, and that has ended"
	case is.Mode == policy.ModeReport:
		does = "goes by this policy with mode " + is.ModeText() + ": it stops nothing"
	default:
		does = "goes by this policy with mode " + is.ModeText() + ": it acts"
	}
	return []string{fmt.Sprintf("note: the daemon (process %d) %s", is.PID, does)}
}

// unpinned is [Unpinned] by what a daemon has told.
func unpinned(is *serve.State, ended []state.Pin, at, now time.Time) []string {
	ids := make([]string, len(ended))
	for i, pin := range ended {
		ids[i] = pin.ID
	}
	var notes []string
	if text := next(is, ids, at, now, nil); text != "" {
		notes = append(notes, "note: "+text)
	}
	for _, session := range is.InUse {
		if left := session.StopsAt.Sub(now); slices.Contains(ids, session.ID) && left > 0 && left <= policy.SoonAhead {
			notes = append(notes, fmt.Sprintf("note: the daemon stops %s %d in %s if it goes on doing nothing (rule %s)",
				human.Safe(session.Name), session.PID, human.ToGo(left), human.Safe(session.StopsBy)))
		}
	}
	return notes
}

// Next says when a daemon stops some targets, by what it has told: "the daemon stops them in
// 24s"; empty if it stops none of them.
func Next(is *serve.State, ids []string, now time.Time) string {
	return NextOf(is, ids, now, nil)
}

// NextOf is [Next] where "them" would be others, which were named in between: called names some of the targets. Nil names
// none.
func NextOf(is *serve.State, ids []string, now time.Time, called func(some []string) string) string {
	if is.Mode != policy.ModeEnforce || !is.Ready || is.Paused {
		return ""
	}
	return next(is, ids, now, now, called)
}

// next is [NextOf]. What was stopped before at is another thing's end.
func next(is *serve.State, ids []string, at, now time.Time, called func(some []string) string) string {
	var begun, waiting []string
	var first, last time.Time
	for _, id := range ids {
		due, goes := dueAfter(is, id, at)
		switch {
		case !goes:
		case !due.After(now):
			begun = append(begun, id)
		default:
			if waiting = append(waiting, id); len(waiting) == 1 || due.Before(first) {
				first = due
			}
			if due.After(last) {
				last = due
			}
		}
	}
	them := "them"
	if called == nil {
		called = func(some []string) string { return human.Them(len(some), len(ids)) }
	} else {
		them = called(waiting)
	}
	switch {
	case len(begun) > 0:
		return "the daemon stops " + called(begun) + " now"
	case len(waiting) > 1 && last.Sub(first) >= apart:
		return "the daemon stops the first of " + them + " in " + human.ToGo(first.Sub(now))
	case len(waiting) > 0:
		return "the daemon stops " + called(waiting) + " in " + human.ToGo(last.Sub(now))
	}
	return ""
}

// apart is the time between two acts from which on each has a time of its own.
const apart = 2 * time.Second

// dueAfter returns when the daemon stops a target; zero if it has begun. It returns false if the
// daemon does not.
func dueAfter(is *serve.State, id string, at time.Time) (due time.Time, goes bool) {
	if slices.ContainsFunc(is.UnderWay, func(b serve.Begun) bool { return b.Ends(id) }) ||
		slices.ContainsFunc(is.LastActs, func(a serve.Act) bool { return a.Target == id && a.At.After(at) }) {
		return time.Time{}, true
	}
	i := slices.IndexFunc(is.Pending, func(p serve.Pending) bool { return p.ID == id && !p.DueAt.IsZero() })
	if i < 0 {
		return time.Time{}, false
	}
	return is.Pending[i].DueAt, true
}
