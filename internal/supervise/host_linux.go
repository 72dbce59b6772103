package supervise

import (
	"errors"
	"os"
	"strings"
	"syscall"
)

// System calls and options that package syscall does not name (pidfd_open(2),
// pidfd_send_signal(2), prctl(2), poll(2)). The numbers are the same on every
// architecture that Go runs Linux on.
const (
	sysPidfdSendSignal = 424
	sysPidfdOpen       = 434
	setChildSubreaper  = 36
)

// host is the system that the server runs on.
type host struct {
	parent int
	// tellsEnd means that stdin has another end, so a hangup says that the client has
	// gone.
	tellsEnd bool
	// pipes are the names of stdin and stdout if both are pipes or sockets, else nil.
	pipes     []string
	inherited []int
	group     cgroup
}

// open makes reaperd a subreaper: the parent of every process that the server leaves
// behind.
func (h *host) open(terminal bool) error {
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, setChildSubreaper, 1, 0); errno != 0 {
		return os.NewSyscallError("become a subreaper", errno)
	}
	_ = os.Unsetenv(preparedVariable)
	h.parent = syscall.Getppid()
	h.tellsEnd = terminal || hangsUp(0)
	h.pipes = connected()
	h.inherited = inheritable()
	h.group = newCgroup()
	return nil
}

// connected are the names of stdin and stdout; nil if one is neither pipe nor socket,
// since any process may have that open.
func connected() []string {
	var names []string
	for _, fd := range []string{"0", "1"} {
		name, err := os.Readlink("/proc/self/fd/" + fd)
		if err != nil || !strings.HasPrefix(name, "pipe:[") && !strings.HasPrefix(name, "socket:[") {
			return nil
		}
		names = append(names, name)
	}
	return names
}

// inheritable are the descriptors above stderr that the server inherits too.
func inheritable() []int {
	var found []int
	for _, name := range numbers("/proc/self/fd") {
		flags, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(name), syscall.F_GETFD, 0)
		if name > 2 && errno == 0 && flags&syscall.FD_CLOEXEC == 0 {
			found = append(found, name)
		}
	}
	return found
}

// attributes give the server SIGTERM when reaperd is killed, the cgroup, and a group of its
// own unless it is on a terminal.
func (h *host) attributes(terminal bool) *syscall.SysProcAttr {
	attributes := &syscall.SysProcAttr{Setpgid: !terminal, Pdeathsig: syscall.SIGTERM}
	if h.group.isOpen() {
		attributes.UseCgroupFD, attributes.CgroupFD = true, h.group.fd
	}
	return attributes
}

// fork starts a program, without the cgroup if the system refuses it.
func (h *host) fork(path string, words []string, attributes *syscall.ProcAttr) (int, error) {
	pid, err := syscall.ForkExec(path, words, attributes)
	if err == nil || !h.group.isOpen() || errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ENOEXEC) {
		return pid, err
	}
	h.group.remove()
	attributes.Sys.UseCgroupFD = false
	return syscall.ForkExec(path, words, attributes)
}

// settle closes the descriptors that only the server needs, and frees the memory that
// starting it took.
func (h *host) settle() {
	for _, fd := range h.inherited {
		_ = syscall.Close(fd)
	}
	h.group.settle()
	trim()
}

// letGo closes stdin and stdout, so that the client sees the end of the server
// although reaperd is still at work.
func (h *host) letGo() {
	null, err := syscall.Open(os.DevNull, syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	_ = syscall.Dup3(null, 0, 0)
	_ = syscall.Dup3(null, 1, 0)
	_ = syscall.Close(null)
}

func (h *host) close() { h.group.remove() }

// killGroup kills the whole cgroup at once if none of its processes is to stay.
func (h *host) killGroup(all bool) {
	if all {
		h.group.kill()
	}
}
