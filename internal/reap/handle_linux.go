package reap

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// handle is a pidfd. It names one process for as long as it is open.
type handle struct{ fd int }

// openHandle opens a handle to the process that has this number now; [ErrExited] if
// none has. EINVAL and ENOENT mean that a thread has the number: the process that had
// it has exited.
func openHandle(pid int) (handle, error) {
	fd, err := unix.PidfdOpen(pid, 0)
	switch {
	case err == nil:
		return handle{fd}, nil
	case errors.Is(err, unix.ESRCH), errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOENT):
		return handle{fd: -1}, ErrExited
	}
	return handle{fd: -1}, fmt.Errorf("open process %d: %w", pid, err)
}

// Signal implements [Handle].
func (h handle) Signal(signal unix.Signal) error {
	err := unix.PidfdSendSignal(h.fd, signal, nil, 0)
	if errors.Is(err, unix.ESRCH) {
		return ErrExited
	}
	return err
}
