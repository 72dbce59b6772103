package darwin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"unsafe"

	"github.com/ebitengine/purego"
	"golang.org/x/sys/unix"
)

// System calls this Mac's kernel through libSystem. Apple keeps libSystem's calls
// stable; it does not keep the numbers of system calls.
type System struct {
	procPIDInfo   uintptr
	procPIDFDInfo uintptr
	procUsage     uintptr
	sysctl        uintptr
	sysctlNumbers uintptr
	signalToken   uintptr // 0 before macOS 14.4
	errno         uintptr // gives where the thread's errno stands
}

const library = "/usr/lib/libSystem.B.dylib"

// Open looks up the calls, at its first use.
func Open() (*System, error) { return open() }

var open = sync.OnceValues(find)

func find() (*System, error) {
	handle, err := purego.Dlopen(library, purego.RTLD_LAZY|purego.RTLD_GLOBAL)
	if err != nil {
		return nil, fmt.Errorf("open libSystem: %w", err)
	}
	s := &System{}
	for name, to := range map[string]*uintptr{
		"proc_pidinfo": &s.procPIDInfo, "proc_pidfdinfo": &s.procPIDFDInfo, "proc_pid_rusage": &s.procUsage, "__error": &s.errno,
		"sysctl": &s.sysctl, "sysctlnametomib": &s.sysctlNumbers,
	} {
		if *to, err = purego.Dlsym(handle, name); err != nil {
			return nil, fmt.Errorf("find %s in libSystem: %w", name, err)
		}
	}
	s.signalToken, _ = purego.Dlsym(handle, "proc_signal_with_audittoken") // absent is told by 0
	return s, nil
}

// call calls a function with errno cleared: proc_pidinfo returns 0 both for an error
// and for no bytes, and sets errno only for an error. All of it must happen on one
// thread.
func (s *System) call(function uintptr, arguments ...uintptr) (int, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	at, _, _ := purego.SyscallN(s.errno)
	**(**int32)(unsafe.Pointer(&at)) = 0 // memory of libSystem does not move
	result, _, after := purego.SyscallN(function, arguments...)
	errno := syscall.Errno(int32(after)) // purego reads eight bytes where four are errno
	if value := int(int32(result)); value > 0 || value == 0 && errno == 0 {
		return value, nil
	}
	if errno == 0 {
		return 0, syscall.EIO
	}
	return 0, errno
}

// PIDInfo implements [Kernel].
func (s *System) PIDInfo(pid, flavor int, arg uint64, buffer []byte) (int, error) {
	n, err := s.call(s.procPIDInfo, uintptr(pid), uintptr(flavor), uintptr(arg), start(buffer), uintptr(len(buffer)))
	runtime.KeepAlive(buffer)
	return n, err
}

// FDInfo implements [Kernel].
func (s *System) FDInfo(pid, fd, flavor int, buffer []byte) (int, error) {
	n, err := s.call(s.procPIDFDInfo, uintptr(pid), uintptr(fd), uintptr(flavor), start(buffer), uintptr(len(buffer)))
	runtime.KeepAlive(buffer)
	return n, err
}

// Usage implements [Kernel].
func (s *System) Usage(pid int, buffer []byte) error {
	if len(buffer) < usageSize { // the call takes the length from the flavor
		return syscall.ENOMEM
	}
	_, err := s.call(s.procUsage, uintptr(pid), flavorUsage, start(buffer))
	runtime.KeepAlive(buffer)
	return err
}

// start is the address of a buffer; 0 for none. The buffer must be on the heap, where
// it does not move: it comes through an interface, or is pinned.
func start(buffer []byte) uintptr {
	return uintptr(unsafe.Pointer(unsafe.SliceData(buffer)))
}

// SessionOf implements [Kernel].
func (*System) SessionOf(pid int) (int, error) { return unix.Getsid(pid) }

// longestName is the most numbers that a sysctl name has (CTL_MAXNAME).
const longestName = 12

// Sysctl implements [Kernel].
func (s *System) Sysctl(name string, index int, buffer []byte) (int, error) {
	var pins runtime.Pinner
	defer pins.Unpin()
	numbers, count, err := s.numbersOf(name, &pins)
	if err != nil {
		return 0, err
	}
	if index != 0 {
		numbers[count] = int32(index)
		count++
	}
	size := uintptr(len(buffer))
	pins.Pin(&size)
	_, err = s.call(s.sysctl, uintptr(unsafe.Pointer(numbers)), uintptr(count), start(buffer), uintptr(unsafe.Pointer(&size)), 0, 0)
	runtime.KeepAlive(buffer)
	return int(size), err
}

// numbersOf are the numbers of a sysctl name, with room for one more.
func (s *System) numbersOf(name string, pins *runtime.Pinner) (*[longestName + 1]int32, int, error) {
	numbers, text, count := new([longestName + 1]int32), append([]byte(name), 0), uintptr(longestName)
	pins.Pin(numbers)
	pins.Pin(&text[0])
	pins.Pin(&count)
	_, err := s.call(s.sysctlNumbers, start(text), uintptr(unsafe.Pointer(numbers)), uintptr(unsafe.Pointer(&count)))
	return numbers, int(count), err
}

// Launchctl implements [Kernel].
func (*System) Launchctl(ctx context.Context, arguments ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, "/bin/launchctl", arguments...)
	command.Env = []string{"PATH=/usr/bin:/bin"}
	printed, err := command.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return nil, fmt.Errorf("%w: %s", err, bytes.TrimSpace(exit.Stderr))
	}
	return printed, err
}

// SignalToken implements [Signals]. The call returns the error itself.
func (s *System) SignalToken(token []byte, signal int) (bool, error) {
	if s.signalToken == 0 {
		return false, nil
	}
	result, _, _ := purego.SyscallN(s.signalToken, start(token), uintptr(signal))
	runtime.KeepAlive(token)
	switch errno := syscall.Errno(int32(result)); errno {
	case 0:
		return true, nil
	case syscall.ENOSYS, syscall.ENOTSUP, syscall.EINVAL: // a kernel that is older than its library
		return false, nil
	default:
		return true, errno
	}
}

// Kill implements [Signals].
func (*System) Kill(pid, signal int) error { return unix.Kill(pid, syscall.Signal(signal)) }
