package doctor

import (
	"context"
	"fmt"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
)

// roots is root's daemon, which looks after this user's servers too.
type roots struct {
	pid  int
	told *serve.Glance // by its port; nil: that tells nothing
}

// rootsHere is root's daemon; nil if none runs, or root asks.
func rootsHere(ctx context.Context) *roots {
	daemon, runs := state.ForeignDaemon()
	if !runs {
		return nil
	}
	r := &roots{pid: daemon.PID}
	if told, tells := serve.GlanceAtRoots(ctx); tells {
		r.told = &told
	}
	return r
}

// symptom tells how root's daemon is, as far as any user can know.
func (r *roots) symptom() Symptom {
	isIn, but, remedy := r.condition()
	return Symptom{"daemon", isIn, fmt.Sprintf("that of root (process %d) looks after every user's servers%s", r.pid, but), remedy}
}

// beside is the symptom of root's daemon where one of this user's own runs too.
func (r *roots) beside() Symptom {
	isIn, but, remedy := r.condition()
	return Symptom{"root's daemon", isIn, fmt.Sprintf("process %d looks after this user's servers too%s", r.pid, but), remedy}
}

// condition is the rest of a sentence which says that root's daemon looks after every user's
// servers. It is empty if nothing is to be added.
func (r *roots) condition() (isIn, but, remedy string) {
	if r.told == nil {
		return stateNote, "; " + serve.NotTold, "sudo reaperd status says how it is"
	}
	isIn, remedy = stateNote, "sudo reaperd status says more"
	switch rests := r.told.Rests(); {
	case rests == "":
		return stateOK, "", ""
	case r.told.NotReady != "":
		isIn = stateFault
	case r.told.Paused && !r.told.Reports:
		remedy = "sudo reaperd resume ends the pause"
	}
	return isIn, ", but " + r.told.Rests(), remedy
}

// engineText tells what becomes of containers whose engine this user may not ask.
func (r *roots) engineText() (text, remedy string) {
	switch {
	case r.told == nil:
	case !r.told.Looked:
		return "this user may not ask it, and root's daemon has not looked yet", "sudo reaperd doctor asks it"
	case r.told.Reads[inventory.SourceDocker]:
		return beside.AsksEngine, ""
	default:
		return "this user may not ask it, and root's daemon could not read it either: containers are left alone", "sudo reaperd doctor says why"
	}
	return "this user may not ask it; whether root's daemon can is not told here", "sudo reaperd doctor says it"
}
