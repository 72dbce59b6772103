package reap

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// errEnded is a process that has ended: never a failure.
var errEnded = errors.New("process has ended")

// ended reports whether the handle's process has ended, all threads of it; its
// parent may not have waited for it yet.
func (h handle) ended() bool {
	ready, err := poll([]handle{h}, 0)
	return err == nil && len(ready) == 1
}

// poll waits until one of the handles' processes has ended, at most so long, and
// returns the positions of those that have.
func poll(handles []handle, timeout time.Duration) (ready []int, err error) {
	fds := make([]unix.PollFd, len(handles))
	for i, h := range handles {
		fds[i] = unix.PollFd{Fd: int32(h.fd), Events: unix.POLLIN}
	}
	deadline := time.Now().Add(timeout)
	for {
		left := max(0, time.Until(deadline))
		_, err = unix.Poll(fds, int((left+time.Millisecond-1)/time.Millisecond))
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	for i, fd := range fds {
		if err == nil && fd.Revents&(unix.POLLIN|unix.POLLHUP) != 0 {
			ready = append(ready, i)
		}
	}
	return ready, err
}
