package scan

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
)

// kernel watches each process through a pidfd, with the Go runtime's poller.
type kernel struct {
	exited  func(inventory.ID, watch)
	waiting sync.WaitGroup
}

// watch is an open pidfd.
type watch = *os.File

// openKernel tries everything on this process itself. Some kernels have no pidfd
// (before 5.3), some sandboxes forbid it, and in a process table of another PID
// namespace the PIDs differ from a pidfd's.
func openKernel(exited func(inventory.ID, watch)) (*kernel, error) {
	if self, err := os.Readlink("/proc/self"); err != nil || self != strconv.Itoa(os.Getpid()) {
		return nil, errors.New("/proc is not that of this PID namespace")
	}
	file, err := openHandle(os.Getpid())
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if err := file.SetReadDeadline(time.Time{}); err != nil {
		return nil, fmt.Errorf("wait for a pidfd: %w", err)
	}
	return &kernel{exited: exited}, nil
}

// openHandle opens a handle to the process that has this number now. PIDFD_NONBLOCK
// is younger (5.10) than pidfds.
func openHandle(pid int) (*os.File, error) {
	fd, err := unix.PidfdOpen(pid, 0)
	switch {
	case errors.Is(err, unix.ESRCH), errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOENT):
		return nil, errExited // EINVAL and ENOENT: a thread has the number, and no process
	case err != nil:
		return nil, fmt.Errorf("open process %d: %w", pid, err)
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("open process %d: %w", pid, err)
	}
	return os.NewFile(uintptr(fd), "pidfd "+strconv.Itoa(pid)), nil
}

// watch opens the handle first and compares the identity second, so the handle
// is that of the process that was compared.
func (k *kernel) watch(id inventory.ID) (watch, error) {
	file, err := openHandle(id.PID)
	if err != nil {
		return nil, err
	}
	raw, err := file.SyscallConn()
	if err == nil {
		err = verify(id, file)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	k.waiting.Go(func() {
		if raw.Read(isReadable) == nil { // otherwise the watch was given up
			k.exited(id, file)
		}
		file.Close()
	})
	return file, nil
}

// verify compares the start mark. If the table hides other users' processes, a
// missing process has not exited.
func verify(id inventory.ID, file *os.File) error {
	root, err := unix.Open("/proc", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("read /proc: %w", err)
	}
	defer unix.Close(root)
	row, _, err := newReader(root).row(id.PID)
	switch {
	case err != nil && hasExited(file), err == nil && row.ID != id:
		return errExited
	case err != nil:
		return fmt.Errorf("read process %d: %w", id.PID, err)
	}
	return nil
}

func hasExited(file *os.File) bool {
	exited := false
	raw, err := file.SyscallConn()
	if err == nil {
		err = raw.Control(func(fd uintptr) { exited = isReadable(fd) })
	}
	return err == nil && exited
}

// isReadable reports that the process of a pidfd has exited.
func isReadable(fd uintptr) bool {
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	for {
		n, err := unix.Poll(fds, 0)
		if !errors.Is(err, unix.EINTR) {
			return err == nil && n > 0 && fds[0].Revents&(unix.POLLIN|unix.POLLHUP) != 0
		}
	}
}

// forget ends a watch: its goroutine wakes and returns.
func (k *kernel) forget(file watch) { file.Close() }

// close waits for the goroutines of the watches, all of which must be forgotten.
func (k *kernel) close() { k.waiting.Wait() }
