package daemon

import (
	"errors"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/state"
)

// lock refuses a second daemon with the same state directory.
func lock(dir state.Dir) (*state.Lock, error) {
	held, err := dir.Lock(time.Now())
	var running *state.RunningError
	if err == nil || errors.As(err, &running) { // the command knows what ends that one
		return held, err
	}
	return nil, human.Failed("make the state directory writable, or name another with REAPERD_STATE_DIR", "%w", err)
}
