// Package procstat reads a line of Linux's /proc/PID/stat for those who want a few
// facts of a few processes. Package scan reads whole tables at every look and has a
// faster reader of its own.
package procstat

import (
	"bytes"
	"errors"
	"strconv"
)

// Stat is what a line says of a process. Sources: proc_pid_stat(5).
type Stat struct {
	Name  string // cut to 15 bytes
	State byte   // a letter: 'Z' is a zombie, 'X' is dead
	PPID  int
	SID   int
	Start uint64 // ticks since boot
}

var errLine = errors.New("not a stat line")

// Parse reads one line. The name stands in parentheses and may hold spaces and
// parentheses itself: it ends at the last one.
func Parse(line []byte) (Stat, error) {
	open, end := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if open < 0 || end < open {
		return Stat{}, errLine
	}
	const state, ppid, sid, start = 0, 1, 3, 19 // proc_pid_stat(5) counts from 1, and the name is its field 2
	fields := bytes.Fields(line[end+1:])
	if len(fields) <= start {
		return Stat{}, errLine
	}
	s := Stat{Name: string(line[open+1 : end]), State: fields[state][0]}
	var faults [3]error
	s.PPID, faults[0] = strconv.Atoi(string(fields[ppid]))
	s.SID, faults[1] = strconv.Atoi(string(fields[sid]))
	s.Start, faults[2] = strconv.ParseUint(string(fields[start]), 10, 64)
	if faults != [3]error{} {
		return Stat{}, errLine
	}
	return s, nil
}

// Exited reports a process of which nothing runs any more.
func (s Stat) Exited() bool { return s.State == 'Z' || s.State == 'X' }
