package reap

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// system is this host's kernel. A handle becomes readable when its process ends.
type system struct{}

// Open implements [Kernel].
func (system) Open(pid int) (Handle, error) {
	h, err := openHandle(pid)
	if err != nil {
		return nil, err
	}
	return h, nil
}

// Wait implements [Kernel].
func (system) Wait(handles []Handle, limit time.Duration) ([]int, error) {
	fds := make([]unix.PollFd, len(handles))
	for i, h := range handles {
		fds[i] = unix.PollFd{Fd: int32(h.(handle).fd), Events: unix.POLLIN}
	}
	return poll(fds, limit)
}

// Exited implements [Handle].
func (h handle) Exited() bool { return h.exitsWithin(0) }

func (h handle) exitsWithin(limit time.Duration) bool {
	ready, err := poll([]unix.PollFd{{Fd: int32(h.fd), Events: unix.POLLIN}}, limit)
	return err == nil && len(ready) == 1
}

// Close implements [Handle].
func (h handle) Close() { unix.Close(h.fd) }

// poll waits, at most for limit, until one of the descriptors is readable, and
// returns the positions of those that are.
func poll(fds []unix.PollFd, limit time.Duration) (ready []int, err error) {
	deadline := time.Now().Add(limit)
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
