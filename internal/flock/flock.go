// Package flock takes locks on files (flock(2)). A lock holds between processes,
// and between two openings of a file in one process; closing the file ends it.
// Nobody waits longer than it says: a process that was stopped while it held a
// lock must not hold up another for ever.
package flock

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// ErrHeld is that another holder did not give the lock up in time.
var ErrHeld = errors.New("another process has it locked")

// Exclusive takes the lock for one holder alone, and gives up after wait. Wait 0
// tries once.
func Exclusive(file *os.File, wait time.Duration) error { return take(file, unix.LOCK_EX, wait) }

// Shared takes the lock beside others who share it, and gives up after wait.
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
