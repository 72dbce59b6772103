package reap

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// handle is a kqueue that becomes readable when its process exits. The caller
// compares the start mark after it was opened, so until it is readable the number
// belongs to the process that was compared.
type handle struct{ fd, pid int }

// openHandle watches whatever process has that number now; errEnded where none has.
func openHandle(pid int) (handle, error) {
	none := handle{fd: -1}
	queue, err := unix.Kqueue()
	if err != nil {
		return none, fmt.Errorf("open process %d: %w", pid, err)
	}
	unix.CloseOnExec(queue)
	var exit unix.Kevent_t
	unix.SetKevent(&exit, pid, unix.EVFILT_PROC, unix.EV_ADD)
	exit.Fflags = unix.NOTE_EXIT
	_, err = unix.Kevent(queue, []unix.Kevent_t{exit}, nil, nil)
	if err == nil {
		return handle{fd: queue, pid: pid}, nil
	}
	unix.Close(queue)
	if errors.Is(err, unix.ESRCH) {
		return none, errEnded
	}
	return none, fmt.Errorf("open process %d: %w", pid, err)
}

// signal sends by number, since macOS has no signal by handle before 14.4: in the
// moment between the look at the handle and kill(2) the process would have to
// exit, be waited for, and its number to be given to another.
func (h handle) signal(signal unix.Signal) error {
	if h.ended() {
		return errEnded
	}
	err := unix.Kill(h.pid, signal)
	if errors.Is(err, unix.ESRCH) {
		return errEnded
	}
	return err
}

func (h handle) close() { unix.Close(h.fd) }
