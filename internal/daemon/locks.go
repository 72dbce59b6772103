package daemon

import (
	"errors"
	"log/slog"
	"os"
	"time"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/state"
)

// locks tell others that this daemon runs.
type locks []*state.Lock

func (l locks) close() {
	for _, lock := range l {
		_ = lock.Close() // the kernel releases it with the process in any case
	}
}

// lock refuses a second daemon of this user, and makes a root daemon visible to all
// users.
func lock(dir state.Dir, log *slog.Logger) (locks, error) {
	own, err := dir.Lock(time.Now())
	var running *state.RunningError
	switch {
	case errors.As(err, &running): // the command knows what ends that one
		return nil, err
	case err != nil:
		return nil, advice.Failed("make the state directory writable, or name another with REAPERD_STATE_DIR", "%w", err)
	}
	held := locks{own}
	if os.Geteuid() != 0 {
		return held, nil
	}
	public, err := state.System.LockPublic(dir, time.Now())
	switch {
	case errors.As(err, &running): // any user can hold that lock: no reason to end
		log.Warn("another daemon of root may run, with another state directory; both act", "pid", running.PID, "since", running.Since)
		return held, nil
	case err != nil:
		log.Debug("other users cannot see this daemon", "err", err)
		return held, nil
	}
	return append(held, public), nil
}
