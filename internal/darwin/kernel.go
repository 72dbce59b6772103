package darwin

import (
	"context"
	"errors"
	"fmt"
	"math"
	"syscall"
)

// Kernel is the calls to macOS. Errors are or wrap a [syscall.Errno]: ESRCH for a
// process that is gone, EPERM for one that may not be read, ENOMEM for a buffer that
// is too small.
type Kernel interface {
	// PIDInfo is proc_pidinfo(pid, flavor, arg): it fills the buffer and returns the
	// number of bytes. For flavorDescriptors with a nil buffer it returns how many
	// there may be.
	PIDInfo(pid, flavor int, arg uint64, buffer []byte) (int, error)
	// FDInfo is proc_pidfdinfo(pid, fd, flavor).
	FDInfo(pid, fd, flavor int, buffer []byte) (int, error)
	// Usage is proc_pid_rusage(pid, RUSAGE_INFO_V2).
	Usage(pid int, buffer []byte) error
	// SessionOf is getsid(pid).
	SessionOf(pid int) (int, error)
	// Sysctl reads the value of a name; index is the number behind the name, or 0 if
	// it takes none. With a nil buffer it returns the size.
	Sysctl(name string, index int, buffer []byte) (int, error)
	// Launchctl is the output of /bin/launchctl with these arguments.
	Launchctl(ctx context.Context, arguments ...string) ([]byte, error)
}

// IsGone reports that a process has exited. kern.procargs2 returns EINVAL both for
// that and for a process that may not be read, so EINVAL does not count.
func IsGone(err error) bool { return errors.Is(err, syscall.ESRCH) }

// sizeError is the error of a struct whose size this reaperd does not expect.
func sizeError(name string, got, want int) error {
	return fmt.Errorf("%s: %d bytes, and this reaperd knows it with %d", name, got, want)
}

// attempts limits how often a growing value is asked for again.
const attempts = 8

// errGrowing means that the value still grew after so many attempts.
var errGrowing = errors.New("it grew faster than it could be read")

// sysctlAll reads a value of any size, with room for growth. A buffer that was filled
// completely may have been too small: kern.procargs2 then returns the last bytes
// without an error.
func sysctlAll(k Kernel, name string) ([]byte, error) {
	return sysctlUpTo(k, name, 0, math.MaxInt)
}

// sysctlUpTo is sysctlAll with an index, and with a limit of the buffer.
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
