package supervise

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/reaperd/reaperd/internal/procstat"
)

// descendants are all processes below reaperd, parents first. reaperd is a subreaper,
// so they include whatever the server has forked away.
func (h *host) descendants() []process {
	var table []process
	for _, pid := range numbers("/proc") {
		if p := read(pid); p.pid != 0 {
			table = append(table, p)
		}
	}
	return below(table, syscall.Getpid())
}

// read reads one process; the zero value if it does not exist.
func read(pid int) process {
	s, err := procstat.Parse(slurp("/proc/" + strconv.Itoa(pid) + "/stat"))
	if err != nil {
		return process{}
	}
	return process{pid: pid, parent: s.PPID, start: s.Start, exited: s.State == 'Z' || s.State == 'X'}
}

// signal sends a signal to exactly the process that was seen: it opens a handle and
// then compares the identity. reaperd may have become its parent meanwhile.
func (h *host) signal(p process, sig syscall.Signal) {
	fd, err := pidfdOpen(p.pid)
	if err != nil {
		return
	}
	defer syscall.Close(fd)
	now := read(p.pid)
	if now.start == p.start && (now.parent == p.parent || now.parent == syscall.Getpid()) {
		_, _, _ = syscall.Syscall6(sysPidfdSendSignal, uintptr(fd), uintptr(sig), 0, 0, 0, 0)
	}
}

func pidfdOpen(pid int) (int, error) {
	fd, _, errno := syscall.Syscall(sysPidfdOpen, uintptr(pid), 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(fd), nil
}

// serve reports that one of the processes holds the stdin and the stdout that the
// client gave: it serves although its launcher has exited.
func (h *host) serve(left []process) bool {
	return len(h.pipes) > 0 && slices.ContainsFunc(left, func(p process) bool { return h.holds(p.pid) })
}

func (h *host) holds(pid int) bool {
	folder := "/proc/" + strconv.Itoa(pid) + "/fd/"
	held := map[string]bool{}
	for _, fd := range numbers(folder) {
		name, _ := os.Readlink(folder + strconv.Itoa(fd))
		held[name] = true
	}
	return held[h.pipes[0]] && held[h.pipes[1]]
}

func argvOf(pid int) []string {
	line := slurp("/proc/" + strconv.Itoa(pid) + "/cmdline")
	return strings.Split(string(bytes.TrimRight(line, "\x00")), "\x00")
}
