package doctor

import (
	"context"
	"fmt"

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
	if told, err := serve.GlanceAt(ctx, serve.DefaultListen); err == nil && told.User == "0" {
		r.told = &told
	}
	return r
}

// symptom tells how root's daemon is, as far as any user can know.
func (r *roots) symptom() Symptom {
	who := fmt.Sprintf("that of root (process %d) looks after every user's servers", r.pid)
	const asks = "sudo reaperd status says more"
	switch {
	case r.told == nil:
		return Symptom{"daemon", stateNote, who + "; whether it stops anything now cannot be told here", "sudo reaperd status says how it is"}
	case r.told.NotReady != "":
		return Symptom{"daemon", stateFault, who + ", but is NOT WELL: " + r.told.NotReady, asks}
	case r.told.Paused:
		return Symptom{"daemon", stateNote, who + ", but is paused: nothing is reaped", "sudo reaperd resume ends the pause"}
	case r.told.Reports:
		return Symptom{"daemon", stateNote, who + ", but only reports (mode report): it stops nothing", asks}
	}
	return Symptom{"daemon", stateOK, who, ""}
}

// engineText tells what becomes of containers whose engine this user may not ask.
func (r *roots) engineText() (text, remedy string) {
	reads, isTold := false, r.told != nil
	if isTold {
		reads, isTold = r.told.Reads[inventory.SourceDocker], len(r.told.Reads) > 0
	}
	switch {
	case reads:
		return "this user may not ask it; root's daemon does, and looks after this user's containers too", "nothing need be done; sudo reaperd scan shows the containers"
	case isTold:
		return "this user may not ask it, and root's daemon could not read it either: containers are left alone", "sudo reaperd doctor says why"
	}
	return "this user may not ask it; whether root's daemon can is not told here", "sudo reaperd doctor says it"
}
