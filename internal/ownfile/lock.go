package ownfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// ErrHeld means that another holder did not release the lock in time.
var ErrHeld = errors.New("another process has it locked")

// Open opens or makes a file of this user's, in a folder in which nobody else can replace it: a link there could lead
// to any file of this user's. It never waits.
func Open(path string, flags int, mode fs.FileMode) (*os.File, error) {
	folder, err := OpenFolder(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	return folder.Open(filepath.Base(path), flags, mode)
}

// Lock is [Open] for a file that this program alone holds (flock(2)) until it closes it, also against another opening
// of its own. It gives up after wait, with [ErrHeld]; 0 tries once. A process that was stopped while it held a lock must
// not block others for ever.
func Lock(path string, wait time.Duration) (*os.File, error) {
	file, err := Open(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := take(file, unix.LOCK_EX, wait); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

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
