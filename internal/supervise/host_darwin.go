package supervise

import (
	"os"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/darwin"
)

// host is the system that the server runs on. macOS has no subreaper. Processes that
// the server starts are recognised by their group, and by the unique number of the
// process that forked them, which survives reparenting.
type host struct {
	parent   int
	tellsEnd bool
	queue    int
	mac      *darwin.System

	mu    sync.Mutex
	known map[uint64]bool // unique numbers of all descendants ever seen
	main  int
}

// open prepares to watch.
func (h *host) open(terminal bool) error {
	h.parent = os.Getppid()
	h.tellsEnd = terminal || hangsUp(0)
	h.known = map[uint64]bool{}
	var err error
	if h.mac, err = darwin.Open(); err != nil {
		return err
	}
	if h.queue, err = unix.Kqueue(); err != nil {
		return os.NewSyscallError("open kqueue", err)
	}
	unix.CloseOnExec(h.queue)
	return nil
}

func (h *host) attributes(terminal bool) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: !terminal}
}

// fork starts the server and watches it for forks.
func (h *host) fork(path string, words []string, attributes *syscall.ProcAttr) (int, error) {
	pid, err := syscall.ForkExec(path, words, attributes)
	if err != nil {
		return 0, err
	}
	h.main = pid
	h.follow(pid)
	return pid, nil
}

func (h *host) settle() {}

// letGo does nothing: reaperd ends within the grace, and its stdin and stdout close
// then.
func (h *host) letGo() {}

func (h *host) close() { _ = unix.Close(h.queue) }

func (h *host) killGroup(bool) {}

// serve reports that the server still serves after its first process has exited. macOS
// does not show here who holds which descriptors, so any process left in the server's
// group counts.
func (h *host) serve(left []process) bool {
	return h.tellsEnd && slices.ContainsFunc(left, func(p process) bool {
		group, err := unix.Getpgid(p.pid)
		return err == nil && group == h.main
	})
}

// follow asks for the forks of a process. One that has exited already needs no
// watching.
func (h *host) follow(pid int) {
	var event unix.Kevent_t
	unix.SetKevent(&event, pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_CLEAR)
	event.Fflags = unix.NOTE_FORK
	_, _ = unix.Kevent(h.queue, []unix.Kevent_t{event}, nil, nil)
}

// clientGone is closed when stdin has hung up or, if stdin has no other end, when the
// parent has exited. The same queue reports forks.
func (h *host) clientGone() <-chan struct{} {
	var event unix.Kevent_t
	if h.tellsEnd {
		// A mark that no pipe reaches: data wakes nobody, the end does.
		unix.SetKevent(&event, 0, unix.EVFILT_READ, unix.EV_ADD|unix.EV_CLEAR)
		event.Fflags, event.Data = unix.NOTE_LOWAT, 1<<30
	} else {
		unix.SetKevent(&event, h.parent, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
		event.Fflags = unix.NOTE_EXIT
	}
	gone := make(chan struct{})
	_, err := unix.Kevent(h.queue, []unix.Kevent_t{event}, nil, nil)
	if !h.tellsEnd && (err != nil || os.Getppid() != h.parent) { // it exited before it was watched
		close(gone)
		return gone
	}
	go h.watch(gone)
	return gone
}

// watch reads events until the queue is closed.
func (h *host) watch(gone chan<- struct{}) {
	events := make([]unix.Kevent_t, 16)
	for {
		n, err := unix.Kevent(h.queue, nil, events, nil)
		if err != nil && err != unix.EINTR {
			return
		}
		for _, event := range events[:max(0, n)] {
			switch {
			case event.Fflags&unix.NOTE_FORK != 0 && event.Filter == unix.EVFILT_PROC:
				h.descendants()
			case event.Filter == unix.EVFILT_READ && event.Flags&unix.EV_EOF == 0:
			case gone != nil:
				close(gone)
				gone = nil
			}
		}
	}
}

// descendants are the processes below reaperd, those in the server's group, and those
// whose parent was once among them.
func (h *host) descendants() []process {
	table, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	var found []process
	for more := true; more; {
		more = false
		for i := range table {
			if p, unique, mine := h.member(&table[i]); mine && !slices.Contains(found, p) {
				found, more = append(found, p), true
				if unique != 0 && !h.known[unique] {
					h.known[unique] = true
					h.follow(p.pid)
				}
			}
		}
	}
	return found
}

// member reads one row, with the process's unique number, and reports whether the process
// is the server's. The number is 0 where it is not told.
func (h *host) member(k *unix.KinfoProc) (p process, unique uint64, mine bool) {
	p = process{
		pid: int(k.Proc.P_pid), parent: int(k.Eproc.Ppid),
		start: uint64(time.Unix(k.Proc.P_starttime.Unix()).UnixMicro()), exited: k.Proc.P_stat == zombie,
	}
	is, err := darwin.IdentityOf(h.mac, p.pid)
	mine = p.pid != os.Getpid() && (p.parent == os.Getpid() || int(k.Eproc.Pgid) == h.main && h.main != 0 ||
		err == nil && (h.known[is.Unique] || h.known[is.Parent]))
	return p, is.Unique, mine
}

// trim does nothing: on macOS the ordinary command runs, with everything initialised.
func trim() {}

// zombie is SZOMB of bsd/sys/proc.h.
const zombie = 5

func (h *host) signal(p process, sig syscall.Signal) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", p.pid)
	if err == nil && uint64(time.Unix(info.Proc.P_starttime.Unix()).UnixMicro()) == p.start {
		_ = syscall.Kill(p.pid, sig)
	}
}

// Owner is reaperd's own identity in the form of REAPERD_OWNER: <pid>:<start>:<boot>.
func Owner() string {
	own := os.Getpid()
	info, err := unix.SysctlKinfoProc("kern.proc.pid", own)
	if err != nil {
		return ""
	}
	start := time.Unix(info.Proc.P_starttime.Unix()).UnixMicro()
	mac, err := darwin.Open()
	if err != nil {
		return ""
	}
	return strconv.Itoa(own) + ":" + strconv.FormatInt(start, 10) + ":" + darwin.BootID(mac)
}

// Client is the parent: macOS does not tell here who gives the server its stdin.
func Client() Seen { return Seen{PID: os.Getppid(), Argv: argvOf(os.Getppid())} }

func argvOf(pid int) []string {
	mac, err := darwin.Open()
	if err != nil {
		return []string{""}
	}
	found, err := darwin.ArgumentsOf(mac, pid)
	if err != nil || len(found.Argv) == 0 {
		return []string{""}
	}
	return found.Argv
}
