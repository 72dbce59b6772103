package journal

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Locks on files (flock(2)). A lock holds between processes, and
// between two openings of a file in one process; closing the file releases it.
// Waiting always has a limit: a process that was stopped while it held a lock must
// not block others for ever.

// ErrHeld means that another holder did not release the lock in time.
var ErrHeld = errors.New("another process has it locked")

// Exclusive takes the lock for one holder. It gives up after wait; 0 tries once.
func Exclusive(file *os.File, wait time.Duration) error { return take(file, unix.LOCK_EX, wait) }

// Shared takes the lock together with others who share it. It gives up after wait.
func Shared(file *os.File, wait time.Duration) error { return take(file, unix.LOCK_SH, wait) }

func take(file *os.File, how int, wait time.Duration) error {
	for deadline := time.Now().Add(wait); ; {
		err := unix.Flock(int(file.Fd()), how|unix.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case err != unix.EWOULDBLOCK && err != unix.EINTR:
			return fmt.Errorf("lock %s: %w", file.Name(), err)
		case !time.Now().Before(deadline):
			return fmt.Errorf("lock %s: %w", file.Name(), ErrHeld)
		}
		time.Sleep(2 * time.Millisecond)
	}
}
