package reap

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// Kernel opens handles to processes. A Reaper that is given none uses the
// system's.
type Kernel interface {
	// Open opens a handle to whatever process has that number now; [ErrEnded]
	// where none has.
	Open(pid int) (Handle, error)
	// Wait waits until one of the handles' processes has ended, at most so long,
	// and returns the positions of those that have.
	Wait(handles []Handle, limit time.Duration) (ended []int, err error)
}

// Handle names one process for as long as it is open, whoever gets the number
// later.
type Handle interface {
	// Ended reports whether the process has ended, all threads of it; its parent
	// may not have waited for it yet.
	Ended() bool
	// Signal sends to the process and to no other; [ErrEnded] when it has ended.
	Signal(signal unix.Signal) error
	Close()
}

// ErrEnded is a process that has ended: never a failure.
var ErrEnded = errors.New("process has ended")

// kernel is where a reaper's handles come from.
func (r *Reaper) kernel() Kernel {
	if r.Kernel != nil {
		return r.Kernel
	}
	return system{}
}
