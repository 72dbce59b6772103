package reap

import (
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
func openHandle(pid int) (handle, error) {
	h, err := watch(pid)
	switch {
	case err == nil:
		return h, nil
	case darwin.IsGone(err):
		return handle{fd: -1}, ErrExited
	}
	return handle{fd: -1}, fmt.Errorf("open process %d: %w", pid, err)
}

// watch reads the unique id second: if the number has changed hands in between, the kqueue
// is readable.
func watch(pid int) (h handle, err error) {
	h.pid = pid
	if h.mac, err = darwin.Open(); err != nil {
		return h, err
	}
	if h.fd, err = darwin.OpenExit(pid); err != nil {
		return h, err
	}
	identity, err := darwin.IdentityOf(h.mac, pid)
	if h.unique = identity.Unique; err == nil && h.Exited() {
		err = unix.ESRCH
	}
	if err != nil {
		h.Close()
	}
	return h, err
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
