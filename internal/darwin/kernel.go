package darwin

import (
	"context"
	"errors"
	"fmt"
	"math"
	"syscall"
)

// Kernel is what is asked of macOS. An error is or wraps a [syscall.Errno]:
// ESRCH is a process that is gone, EPERM one that may not be read, ENOMEM a
// buffer that is too small.
type Kernel interface {
	// PIDInfo is proc_pidinfo(pid, flavor, arg): it fills the buffer and returns
	// how many bytes there are. For flavorDescriptors a nil buffer asks how many
	// bytes there may be.
	PIDInfo(pid, flavor int, arg uint64, buffer []byte) (int, error)
	// FDInfo is proc_pidfdinfo(pid, fd, flavor).
	FDInfo(pid, fd, flavor int, buffer []byte) (int, error)
	// Usage is proc_pid_rusage(pid, RUSAGE_INFO_V2).
	Usage(pid int, buffer []byte) error
	// SessionOf is getsid(pid).
	SessionOf(pid int) (int, error)
	// Sysctl reads the value of that name; of a name that takes a number behind
	// it, that of index (0 is none). A nil buffer asks how many bytes it takes.
	Sysctl(name string, index int, buffer []byte) (int, error)
	// Launchctl is what /bin/launchctl printed for these arguments.
	Launchctl(ctx context.Context, arguments ...string) ([]byte, error)
}

// IsGone reports that a process has ended. kern.procargs2 has EINVAL for that as
// well as for a process that may not be read, so EINVAL tells nothing.
func IsGone(err error) bool { return errors.Is(err, syscall.ESRCH) }

// sizeError is a struct of another size than this reaperd knows.
func sizeError(name string, got, want int) error {
	return fmt.Errorf("%s: %d bytes, and this reaperd knows it with %d", name, got, want)
}

// attempts is how often is asked again for what grows while it is read.
const attempts = 8

// errGrowing is what still grew after so many attempts.
var errGrowing = errors.New("it grew faster than it could be read")

// sysctlAll reads a value of any size, with room for what is added meanwhile. A
// buffer that was filled to its end may have been too small: kern.procargs2 then
// gives the last bytes and says nothing.
func sysctlAll(k Kernel, name string, index int) ([]byte, error) {
	return sysctlUpTo(k, name, index, math.MaxInt)
}

// sysctlUpTo is the same with a buffer that is never larger than a limit.
func sysctlUpTo(k Kernel, name string, index, limit int) ([]byte, error) {
	for range attempts {
		size, err := k.Sysctl(name, index, nil)
		if err != nil {
			return nil, err
		}
		buffer := make([]byte, min(size+size/8+64, limit))
		n, err := k.Sysctl(name, index, buffer)
		if err == nil && n < len(buffer) {
			return buffer[:n], nil
		}
		if err != nil && !errors.Is(err, syscall.ENOMEM) {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s: %w", name, errGrowing)
}

// filled asks for a struct that must have exactly that size.
func filled(name string, size int, ask func(buffer []byte) (int, error)) ([]byte, error) {
	buffer := make([]byte, size)
	n, err := ask(buffer)
	if err != nil {
		return nil, err
	}
	if n != size {
		return nil, sizeError(name, n, size)
	}
	return buffer, nil
}
