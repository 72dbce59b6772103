package scan

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/darwin"
	"github.com/reaperd/reaperd/internal/inventory"
)

// canWatch: every macOS has kqueues.
func canWatch() error { return nil }

// openExit opens a kqueue that becomes readable when a process exits, and compares the start
// mark second.
func openExit(id inventory.ID) (int, error) {
	queue, err := darwin.OpenExit(id.PID)
	if err == nil {
		if err = verify(id); err == nil {
			return queue, nil
		}
		unix.Close(queue)
	}
	if darwin.IsGone(err) {
		return -1, errExited
	}
	return -1, err
}

// verify compares the start mark: microseconds since 1970, recorded at the fork. If
// no process has the number, the answer is empty, which is EIO here.
func verify(id inventory.ID) error {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", id.PID)
	switch {
	case errors.Is(err, unix.EIO):
		return unix.ESRCH
	case err != nil:
		return fmt.Errorf("read process %d: %w", id.PID, err)
	case uint64(time.Unix(info.Proc.P_starttime.Unix()).UnixMicro()) != id.Start:
		return unix.ESRCH
	}
	return nil
}
