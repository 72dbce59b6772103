package scan

import (
	"bytes"
	"errors"
	"strconv"
)

// kernelThread is PF_KTHREAD, exiting is PF_EXITING of field 9 of
// /proc/PID/stat (include/linux/sched.h).
const (
	kernelThread = 0x00200000
	exiting      = 0x00000004
)

// ticksPerSecond is USER_HZ, 100 on every architecture Go runs Linux on.
const ticksPerSecond = 100

// stat is the part of /proc/PID/stat that reaperd uses. comm points into the parsed
// bytes.
type stat struct {
	pid     int
	comm    []byte
	state   byte
	ppid    int
	pgid    int
	sid     int
	tty     uint32
	flags   uint64
	ticks   uint64 // user and system time
	threads int
	start   uint64 // ticks since boot
	rss     uint64 // pages
	program program
}

// program is a hash of what shows that a process has executed another program: its
// name, and the addresses that the kernel chooses at random for code, data, stack,
// arguments and environment (fields 26 to 28 and 45 to 51). 0 means that this user
// may not see them.
type program uint64

var errStat = errors.New("not a stat line")

// parseStat reads one line of /proc/PID/stat. The name stands in parentheses
// and may hold spaces and parentheses itself: it ends at the last one.
func parseStat(line []byte) (stat, error) {
	open, end := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if open < 1 || end < open || end+3 >= len(line) {
		return stat{}, errStat
	}
	pid, err := strconv.Atoi(string(bytes.TrimSpace(line[:open])))
	if err != nil || pid <= 0 || !isStateLetter(line[end+2]) {
		return stat{}, errStat
	}
	s := stat{pid: pid, comm: line[open+1 : end], state: line[end+2]}
	f := fields{rest: line[end+3:]}
	s.ppid = int(f.signed())
	s.pgid = int(f.signed())
	s.sid = int(f.signed())
	s.tty = uint32(f.signed())
	f.skip(1) // tpgid
	s.flags = f.unsigned()
	f.skip(4) // minor and major faults
	s.ticks = f.unsigned() + f.unsigned()
	f.skip(4) // children's times, priority, nice
	s.threads = int(f.signed())
	f.skip(1) // itrealvalue
	s.start = f.unsigned()
	f.skip(1) // vsize
	s.rss = uint64(max(0, f.signed()))
	if f.bad {
		return stat{}, errStat
	}
	s.program = f.program(s.comm)
	return s, nil
}

// isStateLetter reports a letter as the kernel writes it for a state.
func isStateLetter(c byte) bool { return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' }

// program reads the fields behind field 24. If the line ends before, the program is
// 0.
func (f fields) program(comm []byte) program {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a
	hash, stack := uint64(offset), uint64(0)
	add := func(word []byte) {
		for _, c := range word {
			hash = (hash ^ uint64(c)) * prime
		}
		hash = (hash ^ ' ') * prime
	}
	add(comm)
	f.skip(1) // limit
	add(f.next())
	add(f.next())
	word := f.next()
	stack = f.digits(word)
	add(word)
	f.skip(16) // registers, signals, scheduling
	for range 7 {
		add(f.next())
	}
	if f.bad || stack == 0 {
		return 0
	}
	return program(max(hash, 1))
}

// dead reports whether nothing of the process runs any more.
func (s *stat) dead() bool { return s.state == 'X' || s.state == 'Z' && s.threads <= 1 }

// headless reports that the leading thread has exited and others still run: the
// process's files are then below task/.
func (s *stat) headless() bool { return s.state == 'Z' && s.threads > 1 }

// condition is how much of a process there is to read. The zero value is all.
type condition uint8

const (
	running  condition = iota
	headless           // below task/ only: its leading thread has exited, and others run on
	exited             // nothing: it is a zombie, or on its way
)

func (s *stat) condition() condition {
	switch {
	case s.headless():
		return headless
	case s.dead() || s.flags&exiting != 0:
		return exited
	}
	return running
}

// fields reads numbers separated by single spaces; bad is set once one is
// missing or is no number.
type fields struct {
	rest []byte
	bad  bool
}

func (f *fields) next() []byte {
	for len(f.rest) > 0 && f.rest[0] == ' ' {
		f.rest = f.rest[1:]
	}
	n := 0
	for n < len(f.rest) && f.rest[n] != ' ' && f.rest[n] != '\n' {
		n++
	}
	word := f.rest[:n]
	f.rest = f.rest[n:]
	f.bad = f.bad || n == 0
	return word
}

func (f *fields) skip(n int) {
	for range n {
		f.next()
	}
}

func (f *fields) unsigned() uint64 { return f.digits(f.next()) }

func (f *fields) signed() int64 {
	word := f.next()
	if len(word) > 1 && word[0] == '-' {
		return -int64(f.digits(word[1:]))
	}
	return int64(f.digits(word))
}

func (f *fields) digits(word []byte) uint64 {
	n := uint64(0)
	for _, c := range word {
		if c < '0' || c > '9' {
			f.bad = true
			return 0
		}
		n = n*10 + uint64(c-'0')
	}
	return n
}

// lineNumber is the number behind a name at the start of a line; 0 if absent.
func lineNumber(data []byte, name string) uint64 {
	for line := range bytes.Lines(data) {
		if rest, ok := bytes.CutPrefix(line, []byte(name)); ok {
			f := fields{rest: rest}
			return f.unsigned()
		}
	}
	return 0
}
