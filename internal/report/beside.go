package report

import (
	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
)

// caredFor is the daemon of another user that looks after what a user runs, where none of this
// user's does.
func (v *view) caredFor(uid int, known bool) (beside.Daemon, bool) {
	if !known || v.in.Replay || v.in.Daemon && !v.in.ForeignDaemon {
		return beside.Daemon{}, false
	}
	return v.in.Beside.Of(uid)
}

// watcher is the daemon of another user that knows whether a session is idle, where these looks are too
// short to tell.
func (v *view) watcher(s *graph.Session) (beside.Daemon, bool) {
	daemon, cares := v.caredFor(s.Process.UID.Get())
	if roots, runs := v.in.Beside.Of(0); runs && v.in.DaemonRests != "" { // this user's own only reports
		daemon, cares = roots, true
	}
	tells := v.in.IdleFor > 0 && v.settle() >= v.in.IdleFor
	return daemon, cares && !tells && daemon.Measures(s.Process.UID.Or(0), s.Containers)
}

// keeperOf is the daemon of another user that looks after a target, where none of this user's does.
func (v *view) keeperOf(t *graph.Target) (beside.Daemon, bool) {
	return v.caredFor(v.in.Graph.UserOf(t).Get())
}

// keeper is the daemon of another user that looks after all of some targets.
func (v *view) keeper(vs verdicts) (keeper beside.Daemon, all bool) {
	for _, verdict := range vs {
		daemon, cares := v.keeperOf(verdict.Target)
		if !cares || keeper.User != "" && keeper != daemon {
			return beside.Daemon{}, false
		}
		keeper = daemon
	}
	return keeper, len(vs) > 0
}

// leaveTo says to whom what is pending can be left where no daemon of this user's runs.
func (v *view) leaveTo(pending verdicts) string {
	if daemon, all := v.keeper(pending); all {
		return "or leave it to " + daemon.Whose() + ": " + literal(daemon.Command("reaperd status"))
	}
	return "or leave it to a daemon: " + literal(v.in.StartDaemon)
}

// byItself says what stops a target where no daemon of this user's runs.
func (v *view) byItself(t *graph.Target) string {
	if daemon, cares := v.keeperOf(t); cares {
		return daemon.String() + " looks after it: " + literal(daemon.Command("reaperd explain "+handle(t)))
	}
	return "no daemon runs, so nothing stops it by itself: " + literal(v.in.StartDaemon)
}

// daemonFor is the hint at the daemon that does what a sweep would do.
func (v *view) daemonFor(reap verdicts) hint {
	if daemon, all := v.keeper(reap); all {
		return hint{daemon.Command("reaperd status"), "what " + daemon.Whose() + " does about " + itOrThem(len(reap))}
	}
	return hint{v.in.StartDaemon, "have a daemon do it"}
}

// pin is the command that keeps a target: by the hand of the user whose daemon looks after it, where that
// does not go by this user's pin.
func (v *view) pin(t *graph.Target) string {
	pin := "reaperd pin " + handle(t)
	user, me := v.in.Graph.UserOf(t), v.me()
	keepsAlready := v.in.UsersPins[t.ID] != "" // its user has pinned it, and that user's daemon goes by that
	if daemon, ignores := v.in.Beside.Ignoring(user.Or(me), me, t.Container != nil); ignores && !v.in.Replay && !keepsAlready {
		return daemon.Command(pin)
	}
	return pin
}

// pausedAlone is what keeps this user's sweeps from stopping anything, while the daemons of others
// go on; empty if nothing does, or none runs.
func (v *view) pausedAlone() string {
	if !v.in.Paused || len(v.in.Beside) == 0 {
		return ""
	}
	return v.in.Beside.Unpaused()
}

// whileHalted begins a sentence about what is pending while nothing is stopped.
func (v *view) whileHalted() string {
	if alone := v.pausedAlone(); alone != "" {
		return human.Capital(alone) + ": "
	}
	return human.Capital(v.halt()) + ", so nothing is stopped: "
}
