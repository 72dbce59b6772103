package reap

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// Kernel opens handles to processes. A Reaper without one uses the system's.
type Kernel interface {
	// Open opens a handle to the process that has this number now; [ErrExited] if none
	// has.
	Open(pid int) (Handle, error)
	// Wait waits, at most for limit, until one of the handles' processes has exited,
	// and returns the positions of those that have.
	Wait(handles []Handle, limit time.Duration) (exited []int, err error)
}

// Handle names one process for as long as it is open, even if another gets its
// number.
type Handle interface {
	// Exited reports that the process has exited, with all its threads. Its parent may
	// not have waited for it yet.
	Exited() bool
	// Signal sends to this process and to no other; [ErrExited] if it has exited.
	Signal(signal unix.Signal) error
	Close()
}

// ErrExited means that the process has exited. It is never a failure.
var ErrExited = errors.New("process has exited")

// kernel opens the reaper's handles.
func (r *Reaper) kernel() Kernel {
	if r.Kernel != nil {
		return r.Kernel
	}
	return system{}
}
