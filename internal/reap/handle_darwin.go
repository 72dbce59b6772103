package reap

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/darwin"
)

// handle is a kqueue that becomes readable when its process exits, and the unique id
// that the process had when it was opened.
type handle struct {
	fd, pid int
	unique  uint64
	mac     *darwin.System
}

// openHandle watches the process that has this number now; [ErrExited] if none has.
// The unique id is read second: if the number has changed hands in between, the
// kqueue is readable.
func openHandle(pid int) (handle, error) {
	h := handle{fd: -1, pid: pid}
	err := h.open()
	if err == nil {
		return h, nil
	}
	if h.fd >= 0 {
		h.Close()
	}
	if errors.Is(err, unix.ESRCH) {
		return handle{fd: -1}, ErrExited
	}
	return handle{fd: -1}, fmt.Errorf("open process %d: %w", pid, err)
}

func (h *handle) open() (err error) {
	if h.mac, err = darwin.Open(); err != nil {
		return err
	}
	if h.fd, err = unix.Kqueue(); err != nil {
		return err
	}
	unix.CloseOnExec(h.fd)
	var exit unix.Kevent_t
	unix.SetKevent(&exit, h.pid, unix.EVFILT_PROC, unix.EV_ADD)
	exit.Fflags = unix.NOTE_EXIT
	if _, err = unix.Kevent(h.fd, []unix.Kevent_t{exit}, nil, nil); err != nil {
		return err
	}
	identity, err := darwin.IdentityOf(h.mac, h.pid)
	if h.unique = identity.Unique; err == nil && h.Exited() {
		return unix.ESRCH
	}
	return err
}

// Signal implements [Handle]. On macOS 14.4 and later the kernel compares the
// identity itself. Before that, another process would have to get the number between
// the check of the unique id and kill(2).
func (h handle) Signal(signal unix.Signal) error {
	err := darwin.Signal(h.mac, h.mac, darwin.Target{PID: h.pid, Unique: h.unique, Exited: h.exitsWithin}, int(signal))
	if darwin.IsGone(err) {
		return ErrExited
	}
	return err
}
