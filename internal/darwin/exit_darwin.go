package darwin

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// OpenExit opens a kqueue that becomes readable when the process that has this number now
// exits. If none has it, [IsGone] holds for the error.
func OpenExit(pid int) (queue int, err error) {
	if queue, err = unix.Kqueue(); err != nil {
		return -1, fmt.Errorf("open kqueue: %w", err)
	}
	unix.CloseOnExec(queue)
	var exit unix.Kevent_t
	unix.SetKevent(&exit, pid, unix.EVFILT_PROC, unix.EV_ADD)
	exit.Fflags = unix.NOTE_EXIT
	if _, err = unix.Kevent(queue, []unix.Kevent_t{exit}, nil, nil); err != nil {
		unix.Close(queue)
		return -1, fmt.Errorf("watch process %d: %w", pid, err)
	}
	return queue, nil
}
