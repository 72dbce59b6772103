// Package outlook tells what comes of a request: what the daemon does next, once a pin or a
// pause has ended, and whether it goes by the policy that is shown.
package outlook

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
)

// Unpinned waits for the next look of the daemon of a state directory, and tells what comes of
// the things whose pins have just ended; nothing if the daemon stops none of them.
func Unpinned(ctx context.Context, dir state.Dir, ended []state.Pin) []string {
	at := time.Now()
	serve.AwaitLook(ctx, dir.Socket(), at)
	is, err := serve.Ask(ctx, dir.Socket())
	switch {
	case !dir.HasDaemon():
		return []string{"note: no daemon runs: the next sweep decides"}
	case err != nil || is.Mode != policy.ModeEnforce || !is.Ready || is.Paused:
		return nil
	}
	return unpinned(is, ended, at, time.Now())
}

// Resumed waits for the next look of the daemon of a state directory, and says what comes of
// the end of a pause.
func Resumed(ctx context.Context, dir state.Dir) string {
	serve.AwaitLook(ctx, dir.Socket(), time.Now())
	is, err := serve.Ask(ctx, dir.Socket())
	if err != nil {
		is = nil
	}
	if dir.HasDaemon() {
		return resumed(is)
	}
	p, _, err := policyfile.LoadAnyway("")
	if err == nil && p.Mode == policy.ModeReport {
		return "Resumed. No daemon runs; reaperd sweep --mode enforce stops what is due, in spite of mode: report."
	}
	return "Resumed. No daemon runs; reaperd sweep stops what is due."
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

// Policy tells whether the daemon of a state directory goes by a policy; nothing if it does.
func Policy(ctx context.Context, dir state.Dir, p *policy.Policy) []string {
	is, err := serve.Ask(ctx, dir.Socket())
	switch {
	case err == nil:
		return policyOf(is, p)
	case !dir.HasDaemon():
		return []string{"note: no daemon runs by this policy; sweeps by hand go by it"}
	}
	return nil
}

// policyOf is [Policy] by what a daemon has told.
func policyOf(is *serve.State, p *policy.Policy) []string {
	does := ""
	switch {
	case is.Policy.SHA256 != p.Hash && !filepath.IsAbs(is.Policy.Source):
		does = "goes by the built-in policy, and not by this one"
	case is.Policy.SHA256 != p.Hash:
		does = "goes by another policy: reaperd policy show " + human.Shell(is.Policy.Source)
	case is.Mode == p.Mode:
		return nil
	case is.Mode == policy.ModeReport:
		does = "goes by this policy with mode " + is.ModeText() + ": it stops nothing"
	default:
		does = "goes by this policy with mode " + is.ModeText() + ": it acts"
	}
	return []string{fmt.Sprintf("note: the daemon (process %d) %s", is.PID, does)}
}

// unpinned is [Unpinned] by what a daemon has told.
func unpinned(is *serve.State, ended []state.Pin, at, now time.Time) []string {
	begun, wait, next := 0, 0, time.Time{}
	for i := range ended {
		due, goes := dueAfter(is, &ended[i], at)
		switch {
		case !goes:
		case !due.After(now):
			begun++
		case wait == 0 || due.Before(next):
			wait, next = wait+1, due
		default:
			wait++
		}
	}
	switch {
	case begun > 0:
		return []string{"note: the daemon stops " + human.Them(begun, len(ended)) + " now"}
	case wait > 1:
		return []string{"note: the daemon stops the first of them in " + human.Span(next.Sub(now))}
	case wait > 0:
		return []string{"note: the daemon stops " + human.Them(wait, len(ended)) + " in " + human.Span(next.Sub(now))}
	}
	return nil
}

// dueAfter returns when the daemon stops what a pin has kept; zero if it has begun. It returns
// false if the daemon does not.
func dueAfter(is *serve.State, pin *state.Pin, at time.Time) (due time.Time, goes bool) {
	if slices.ContainsFunc(is.UnderWay, func(b serve.Begun) bool { return b.Target == pin.ID }) ||
		slices.ContainsFunc(is.LastActs, func(a serve.Act) bool { return a.Target == pin.ID && a.At.After(at) }) {
		return time.Time{}, true
	}
	i := slices.IndexFunc(is.Pending, func(p serve.Pending) bool { return p.ID == pin.ID && !p.DueAt.IsZero() })
	if i < 0 {
		return time.Time{}, false
	}
	return is.Pending[i].DueAt, true
}
