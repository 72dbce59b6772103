package reap

import (
	"errors"
	"runtime"
)

// CanAct is nil if this system has handles that a reused number cannot take over:
// pidfds on Linux, unique ids on macOS. Elsewhere nothing is ever signalled, and the
// error says so.
func CanAct() error {
	switch runtime.GOOS {
	case "linux", "darwin":
		return nil
	}
	return errors.New("reaperd ends nothing on " + runtime.GOOS + ": it looks, reports and explains only")
}
