package scan

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
)

// canWatch tries a pidfd of this process itself. Some kernels have none (before 5.3), some
// sandboxes forbid it, and in a process table of another PID namespace the PIDs differ from
// a pidfd's.
func canWatch() error {
	if self, err := os.Readlink("/proc/self"); err != nil || self != strconv.Itoa(os.Getpid()) {
		return errors.New("/proc is not that of this PID namespace")
	}
	fd, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return fmt.Errorf("open process %d: %w", os.Getpid(), err)
	}
	return unix.Close(fd)
}

// openExit opens a pidfd of a process, and compares the start mark second, so that the pidfd
// is that of the process that was compared.
func openExit(id inventory.ID) (int, error) {
	fd, err := unix.PidfdOpen(id.PID, 0)
	switch {
	case errors.Is(err, unix.ESRCH), errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOENT):
		return -1, errExited // EINVAL and ENOENT: a thread has the number, and no process
	case err != nil:
		return -1, fmt.Errorf("open process %d: %w", id.PID, err)
	}
	if err := verify(id, fd); err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// verify compares the start mark. If the table hides other users' processes, a
// missing process has not exited.
func verify(id inventory.ID, fd int) error {
	root, err := unix.Open(proc, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("read /proc: %w", err)
	}
	defer unix.Close(root)
	row, _, err := newReader(root).row(id.PID)
	switch {
	case err != nil && isReadable(fd), err == nil && row.ID != id:
		return errExited
	case err != nil:
		return fmt.Errorf("read process %d: %w", id.PID, err)
	}
	return nil
}

// isReadable reports that the process of a pidfd has exited.
func isReadable(fd int) bool {
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	_, err := unix.Poll(fds, 0)
	return err == nil && fds[0].Revents != 0
}
