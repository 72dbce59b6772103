package supervise

import (
	"syscall"
	"unsafe"
)

// The events of poll(2), which package syscall does not name.
const (
	pollIn      = 0x1
	pollErr     = 0x8
	pollHangup  = 0x10
	pollInvalid = 0x20
	pollHalf    = 0x2000 // POLLRDHUP: a socket's other end writes no more
)

// waited is one struct pollfd of poll(2).
type waited struct {
	fd       int32
	events   int16
	happened int16
}

// clientGone is closed when the client has gone: the other end of stdin has hung up
// or, if stdin has no other end, the parent has exited. It is nil if the system
// reports neither.
func (h *host) clientGone() <-chan struct{} {
	gone := make(chan struct{})
	on := waited{fd: 0, events: pollHalf}
	if !h.tellsEnd {
		parent, err := pidfdOpen(h.parent)
		switch {
		case syscall.Getppid() != h.parent: // it exited before it was opened
			close(gone)
			return gone
		case err != nil:
			return nil
		}
		on = waited{fd: int32(parent), events: pollIn}
	}
	go func() {
		await(on)
		close(gone)
	}()
	return gone
}

// await returns when the descriptor hangs up or has one of the events asked for.
// Arriving data does not wake it.
func await(on waited) {
	for {
		n, _, errno := syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&on)), 1, 0, 0, 0, 0)
		if errno == 0 && n > 0 && on.happened&(on.events|pollErr|pollHangup|pollInvalid) != 0 {
			return
		}
	}
}
