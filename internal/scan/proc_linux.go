package scan

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/procstat"
)

// reader reads below one proc file system, with its own buffers. It is for one
// goroutine at a time.
type reader struct {
	root int // descriptor of the proc directory
	buf  []byte
	link [4096]byte
	name [64]byte // of the file that a system call is about
	// entries and links are scratch for directories.
	entries []entry
	links   []descriptor
}

func newReader(root int) *reader { return &reader{root: root, buf: make([]byte, 16<<10)} }

// maxFile limits how much of one file is read, in bytes: a process can make many of
// its files in /proc as long as it likes. A longer file is an error.
const maxFile = 1 << 20

// maxEnvironment limits how much of one environment is searched for markers, in
// bytes.
const maxEnvironment = 8 << 20

// once reads a file that the kernel returns in one go: a read that does not fill the
// buffer was the last. The bytes hold until the next call.
func (r *reader) once(dir int, path string) ([]byte, error) { return r.read(dir, path, false) }

// whole reads until the end, as files of many records need.
func (r *reader) whole(dir int, path string) ([]byte, error) { return r.read(dir, path, true) }

func (r *reader) read(dir int, path string, toEnd bool) ([]byte, error) {
	fd, err := openFile(dir, path)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	return r.readOpen(fd, toEnd)
}

func openFile(dir int, path string) (fd int, err error) {
	return unix.Openat(dir, path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
}

// readOpen is read of a file that is open already.
func (r *reader) readOpen(fd int, toEnd bool) ([]byte, error) {
	used := 0
	for {
		n, err := readSome(fd, r.buf[used:])
		if err != nil {
			return nil, err
		}
		used += n
		if n == 0 || !toEnd && used < len(r.buf) {
			return r.buf[:used], nil
		}
		if used == len(r.buf) {
			if used >= maxFile {
				return nil, unix.EFBIG
			}
			r.buf = slices.Grow(r.buf, used)[:2*used]
		}
	}
}

// readSome reads once. With an error n is 0, not the -1 of the system call: a process
// that ends between the opening and the reading of its files is an error like any
// other.
func readSome(fd int, into []byte) (n int, err error) {
	for {
		if n, err = unix.Read(fd, into); err != unix.EINTR {
			return max(n, 0), err
		}
	}
}

// commandLine reads /proc/PID/cmdline and keeps so many bytes of it at most.
func (r *reader) commandLine(fd int, owner inventory.ID, keep int) (commandLine, error) {
	if len(r.buf) <= keep {
		r.buf = make([]byte, 2*keep)
	}
	var failed error
	line := commandLineOf(owner, keep, func() (piece []byte, last bool) {
		n, err := readSome(fd, r.buf)
		if err != nil {
			failed = err
		}
		return r.buf[:n], n < len(r.buf) // the kernel writes it out in one go
	})
	return line, failed
}

// environment searches /proc/PID/environ for the markers.
func environment(fd int) (map[string]string, error) {
	in := &io.LimitedReader{R: opened(fd), N: maxEnvironment}
	found, err := markersIn(in)
	if err == nil && in.N == 0 {
		return nil, unix.EFBIG
	}
	return found, err
}

// opened is a file that is open.
type opened int

func (fd opened) Read(into []byte) (int, error) {
	n, err := readSome(int(fd), into)
	if n == 0 && err == nil {
		err = io.EOF
	}
	return n, err
}

// numbered is the name of a file that begins with a number, as a system call wants it.
// It holds until the next call.
func (r *reader) numbered(number int, rest string) unsafe.Pointer {
	name := append(strconv.AppendInt(r.name[:0], int64(number), 10), rest...)
	return unsafe.Pointer(unsafe.SliceData(append(name, 0)))
}

// openNumbered is openFile of a numbered file. It makes no garbage, which a first look
// would have to collect.
func (r *reader) openNumbered(dir, number int, rest string) (fd int, err error) {
	file, _, failed := unix.Syscall6(unix.SYS_OPENAT, uintptr(dir), uintptr(r.numbered(number, rest)), unix.O_RDONLY|unix.O_CLOEXEC, 0, 0, 0)
	if failed != 0 {
		return -1, failed
	}
	return int(file), nil
}

// readlinkNumbered is readlink of a numbered file.
func (r *reader) readlinkNumbered(dir, number int, rest string) ([]byte, error) {
	n, _, failed := unix.Syscall6(unix.SYS_READLINKAT, uintptr(dir), uintptr(r.numbered(number, rest)),
		uintptr(unsafe.Pointer(&r.link[0])), uintptr(len(r.link)), 0, 0)
	if failed != 0 {
		return nil, failed
	}
	return r.link[:n], nil
}

// readlink is the target of a link. The bytes hold until the next call.
func (r *reader) readlink(dir int, path string) ([]byte, error) {
	n, err := unix.Readlinkat(dir, path, r.link[:])
	if err != nil {
		return nil, err
	}
	return r.link[:n], nil
}

// gone reports an error which means that the process has exited.
func gone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) }

// clocks are the clocks of one look.
type clocks struct {
	now  time.Time
	boot time.Time // CLOCK_REALTIME - CLOCK_BOOTTIME: what start marks count from
}

// readClocks takes boot time from the clocks, because btime of /proc/stat is in whole
// seconds. In a time namespace the clock and the start marks have the same offset.
func readClocks() clocks {
	now := time.Now()
	var since unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &since); err != nil {
		return clocks{now: now}
	}
	return clocks{now: now, boot: now.Add(-time.Duration(since.Nano()))}
}

// startedAt turns a start mark into a time, never a later one than now. Zero
// is not known.
func (c clocks) startedAt(start uint64) time.Time {
	if c.boot.IsZero() {
		return time.Time{}
	}
	at := c.boot.Add(time.Duration(start) * (time.Second / procstat.TicksPerSecond))
	if at.After(c.now) {
		at = c.now
	}
	return at.Round(0)
}

// row reads the bare line of one process; ok is false for a kernel thread.
func (r *reader) row(pid int) (row inventory.Row, ok bool, err error) {
	s, err := r.stat(pid)
	if err != nil {
		return inventory.Row{}, false, err
	}
	row = inventory.Row{ID: inventory.ID{PID: pid, Start: s.Start}, PPID: s.PPID, State: s.State, SID: s.SID, Ending: s.IsEnding()}
	return row, !s.IsKernelThread(), nil
}

// stat reads the stat line of one process; its bytes hold until the next read.
func (r *reader) stat(pid int) (procstat.Stat, error) {
	fd, err := r.openNumbered(r.root, pid, "/stat")
	if err != nil {
		return procstat.Stat{}, err
	}
	line, err := r.readOpen(fd, false)
	unix.Close(fd)
	if err != nil {
		return procstat.Stat{}, err
	}
	return procstat.Parse(line)
}

// describe adds the owner and the command line of these processes, without the
// working directory ([Scanner.addFolder]). If a process's leading thread has exited,
// they are those of another thread.
func (s *Scanner) describe(r *reader, slots ...*slot) {
	running, lines := make([]*slot, 0, len(slots)), make([]question, 0, len(slots))
	for _, slot := range slots {
		p := &slot.record.process
		base := strconv.Itoa(p.PID)
		p.UID = r.owner(base)
		slot.told, slot.uid, slot.record.undescribed = s.looks, int32(p.UID.Or(-1)), false
		if !p.Alive() {
			p.Argv = []string{}
			continue
		}
		base = r.living(slot)
		p.Exe, slot.record.folderless = r.exe(slot, base), true
		slot.file = fileNumber(p.Exe)
		running = append(running, slot)
		lines = append(lines, question{of: p.ID(), uid: p.UID.Or(-1), path: base + "/cmdline"})
	}
	s.readCommandLines(running, lines)
}

// addFolder adds the working directory of a process that was described.
func (s *Scanner) addFolder(r *reader, slot *slot) {
	if slot.record.folderless {
		slot.record.folderless = false
		slot.record.process.Cwd = r.path(r.living(slot) + "/cwd")
	}
}

// living is the path of a process's files below the proc directory.
func (r *reader) living(slot *slot) string {
	base := strconv.Itoa(int(slot.pid))
	if slot.condition == procstat.Headless {
		base += "/task/" + strconv.Itoa(r.livingThread(r.root, base+"/task"))
	}
	return base
}

// isDescribed reports that the owner, program and arguments of a process are known and need
// not be read again yet.
func (s *Scanner) isDescribed(slot *slot) bool {
	lasts := uint32(redescribing)
	if slot.record != nil && slot.record.related {
		lasts = rolling
	}
	return slot.program != 0 && slot.told > 0 && s.looks-slot.told < lasts
}

// readCommandLines reads the arguments of processes. If the kernel does not answer in
// time, a process keeps the arguments that were read earlier of the same program.
func (s *Scanner) readCommandLines(slots []*slot, lines []question) {
	var kept atomic.Int64
	kept.Store(s.keptArgv.Load())
	askedAll(s.patience, lines, func(r *reader, fd, i int) commandLine {
		keep := maxArgvBytes
		if kept.Load() > maxKeptArgv {
			keep = briefArgv
		}
		line, err := r.commandLine(fd, lines[i].of, keep)
		if err != nil {
			return commandLine{}
		}
		kept.Add(int64(line.size()))
		return line
	}, func(i int, line commandLine) {
		record := slots[i].record
		record.process.Argv, record.process.ArgvHash = line.argv, line.hash
		s.keptArgv.Add(int64(line.size() - record.size))
		record.size = line.size()
	})
}

func fromStat(s *procstat.Stat, at clocks) inventory.Process {
	return inventory.Process{
		PID:        s.PID,
		Start:      s.Start,
		StartedAt:  at.startedAt(s.Start),
		PPID:       inventory.Known(s.PPID),
		PGID:       inventory.Known(s.PGID),
		SID:        inventory.Known(s.SID),
		State:      string(s.State),
		Threads:    inventory.Known(s.Threads),
		Comm:       string(s.Comm),
		TTY:        ttyName(s.TTY),
		CPUSeconds: inventory.Known(float64(s.Ticks) / procstat.TicksPerSecond),
		RSSBytes:   inventory.Known(s.RSS * uint64(unix.Getpagesize())),
	}
}

// owner is the effective user of a process. /proc/PID itself shows it even where its
// files cannot be read.
func (r *reader) owner(base string) inventory.Fact[int] {
	var st unix.Stat_t
	if err := unix.Fstatat(r.root, base, &st, 0); err != nil {
		return inventory.Unreadable[int]()
	}
	return inventory.Known(int(st.Uid))
}

// exe is the executable of a process whose files are below base.
func (r *reader) exe(slot *slot, base string) string {
	if slot.condition == procstat.Headless {
		return r.path(base + "/exe")
	}
	target, err := r.readlinkNumbered(r.root, int(slot.pid), "/exe")
	if err != nil {
		return ""
	}
	return string(target)
}

func (r *reader) path(link string) string {
	target, err := r.readlink(r.root, link)
	if err != nil {
		return ""
	}
	return string(target)
}

// livingThread is a thread that runs on although the leading one has exited;
// 0 if none is found. tasks is the path of the process's task directory.
func (r *reader) livingThread(dir int, tasks string) int {
	threads, err := r.numbers(dir, tasks)
	if err != nil {
		return 0
	}
	for _, thread := range threads {
		line, err := r.once(dir, tasks+"/"+strconv.Itoa(thread.number)+"/stat")
		if err != nil {
			continue
		}
		if s, err := procstat.Parse(line); err == nil && s.State != 'Z' && s.State != 'X' {
			return thread.number
		}
	}
	return 0
}

// lineNumber is the number behind a name at the start of a line; 0 if absent.
func lineNumber(data []byte, name string) uint64 {
	for line := range bytes.Lines(data) {
		if rest, ok := bytes.CutPrefix(line, []byte(name)); ok {
			number, _, _ := bytes.Cut(bytes.TrimSpace(rest), []byte(" "))
			n, _ := strconv.ParseUint(string(number), 10, 64)
			return n
		}
	}
	return 0
}
