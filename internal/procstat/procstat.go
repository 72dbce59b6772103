// Package procstat reads a line of Linux's /proc/PID/stat. It is all that reaperd knows of
// that file; whoever waits beside every server imports it, so it imports no library.
package procstat

import (
	"bytes"
	"errors"
	"strconv"
)

// kernelThread is PF_KTHREAD, exiting is PF_EXITING of field 9
// (include/linux/sched.h).
const (
	kernelThread = 0x00200000
	exiting      = 0x00000004
)

// TicksPerSecond is USER_HZ, 100 on every architecture Go runs Linux on.
const TicksPerSecond = 100

// Stat is the part of a line that reaperd uses (proc_pid_stat(5)).
type Stat struct {
	PID     int
	Comm    []byte // cut to 15 bytes; it points into the parsed bytes
	State   byte   // a letter: 'Z' is a zombie, 'X' is dead
	PPID    int
	PGID    int
	SID     int
	TTY     uint32
	Ticks   uint64 // user and system time
	Threads int
	Start   uint64 // ticks since boot
	RSS     uint64 // pages
	Program Program

	flags uint64
}

// Program is a hash of what shows that a process has executed another program: its
// name, and the addresses that the kernel chooses at random for code, data, stack,
// arguments and environment (fields 26 to 28 and 45 to 51). 0 means that this user
// may not see them.
type Program uint64

var errLine = errors.New("not a stat line")

// Parse reads one line. The name stands in parentheses
// and may hold spaces and parentheses itself: it ends at the last one.
func Parse(line []byte) (Stat, error) {
	open, end := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if open < 1 || end < open || end+3 >= len(line) {
		return Stat{}, errLine
	}
	pid, err := strconv.Atoi(string(bytes.TrimSpace(line[:open])))
	if err != nil || pid <= 0 || !isStateLetter(line[end+2]) {
		return Stat{}, errLine
	}
	s := Stat{PID: pid, Comm: line[open+1 : end], State: line[end+2]}
	f := fields{rest: line[end+3:]}
	s.PPID = int(f.signed())
	s.PGID = int(f.signed())
	s.SID = int(f.signed())
	s.TTY = uint32(f.signed())
	f.skip(1) // tpgid
	s.flags = f.unsigned()
	f.skip(4) // minor and major faults
	s.Ticks = f.unsigned() + f.unsigned()
	f.skip(4) // children's times, priority, nice
	s.Threads = int(f.signed())
	f.skip(1) // itrealvalue
	s.Start = f.unsigned()
	f.skip(1) // vsize
	s.RSS = uint64(max(0, f.signed()))
	if f.bad {
		return Stat{}, errLine
	}
	s.Program = f.program(s.Comm)
	return s, nil
}

// isStateLetter reports a letter as the kernel writes it for a state.
func isStateLetter(c byte) bool { return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' }

// program reads the fields behind field 24. If the line ends before, the program is
// 0.
func (f fields) program(comm []byte) Program {
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
	return Program(max(hash, 1))
}

// Condition is how much of a process there is to read. The zero value is all.
type Condition uint8

const (
	Running  Condition = iota
	Headless           // below task/ only: its leading thread has exited, and others run on
	Exited             // nothing: it is a zombie, or on its way
)

func (s *Stat) Condition() Condition {
	switch {
	case s.State == 'Z' && s.Threads > 1:
		return Headless
	case s.State == 'X', s.State == 'Z', s.flags&exiting != 0:
		return Exited
	}
	return Running
}

// IsKernelThread reports a thread of the kernel's, which runs no program.
func (s *Stat) IsKernelThread() bool { return s.flags&kernelThread != 0 }

// IsEnding reports a process that runs its exit and is no zombie yet.
func (s *Stat) IsEnding() bool { return s.flags&exiting != 0 && s.State != 'Z' && s.State != 'X' }

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
