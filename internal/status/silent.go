package status

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
)

// NoAnswer is the line for a prompt where a daemon runs and does not answer.
const NoAnswer = "reaperd: NO ANSWER"

// Unanswered turns the error of a request to the directory's daemon into one for a
// person: which daemon does not answer, and what to do about it. Only if no daemon runs,
// it is still a [serve.ErrNotRunning].
func Unanswered(dir state.Dir, err error) error {
	var advised *advice.Error
	if errors.As(err, &advised) {
		return err
	}
	daemon, running, unknown := dir.Daemon()
	barrier, isShut := state.BarrierTo(string(dir))
	who := "a daemon runs (" + daemon.String() + ") and does not answer"
	switch absent := errors.Is(err, serve.ErrNotRunning); {
	case errors.Is(err, fs.ErrPermission) && isShut && barrier.IsOurs():
		return shut(&ShutError{dir, barrier})
	case errors.Is(err, fs.ErrPermission):
		return advice.Failed("ask as the user whose directory it is: for root's, sudo reaperd status", "the daemon of %s answers only its own user", dir)
	case unknown != nil:
		return advice.Failed("", "%w", unknown)
	case absent && running:
		return advice.Failed("its log says which", "%s: it has no socket in %s, as one that starts or ends, or that could not make it", who, dir)
	case running && errors.Is(err, serve.ErrSilent):
		return silent(daemon, who)
	}
	return advice.Failed("", "%w", err)
}

// ShutError is a state directory of this user's own that he may not use: whether a daemon of his
// runs cannot be told.
type ShutError struct {
	dir state.Dir
	is  state.Barrier
}

func (e *ShutError) Error() string {
	if e.is.Path == string(e.dir) {
		return fmt.Sprintf("the state directory %s cannot be used: %s", e.dir, e.is)
	}
	return fmt.Sprintf("the state directory %s cannot be used because of %s: %s", e.dir, e.is.Path, e.is)
}

// shut is the error of a directory that is shut, which names root's daemon where that runs.
func shut(err *ShutError) error {
	if system, runs := state.ForeignDaemon(); runs {
		return advice.Failed(err.is.Remedy(), "%w; root's daemon (process %d) looks after every user's servers meanwhile, and sudo reaperd status shows it", err, system.PID)
	}
	return advice.Failed(err.is.Remedy(), "%w", err)
}

// silent says why a daemon may be silent, as far as its process shows.
func silent(daemon state.Daemon, who string) error {
	again := "its service manager starts it again; else reaperd run does"
	switch daemon.Standing() {
	case state.Stopped:
		return advice.Failed(fmt.Sprintf("kill -CONT %d   lets it go on", daemon.PID), "%s: a signal has stopped it", who)
	case state.Here:
		return advice.Failed(fmt.Sprintf("kill -KILL %d   ends it, and its journal stays whole; %s", daemon.PID, again), "%s: it hangs, or this machine is too busy", who)
	}
	return advice.Failed("start it again where it runs, which may be a container", "%s: it hangs, or this machine is too busy", who)
}

// NoPage says that no daemon of this user runs, and what shows a page.
func NoPage(others beside.Daemons) error {
	if len(others) == 0 {
		return advice.Failed(StartHint(), "reaperd is not running")
	}
	return advice.Failed(others.Commands("reaperd page")+human.Verb(len(others), "   shows its", "   show theirs"), "no daemon of yours runs; %s", others.After())
}
