package exits

import (
	"bytes"
	"errors"
	"strconv"
)

// errEnded is a process that has ended: never a failure.
var errEnded = errors.New("process has ended")

var errStat = errors.New("not a stat line")

// startField is the place of the start mark, in clock ticks since boot, among
// the fields behind the name (field 22 of /proc/PID/stat, proc_pid_stat(5)).
const startField = 22 - 3

// startOf reads the start mark from /proc/PID/stat. The name stands in
// parentheses and may hold spaces and parentheses itself: it ends at the last.
func startOf(stat []byte) (uint64, error) {
	end := bytes.LastIndexByte(stat, ')')
	if end < 0 {
		return 0, errStat
	}
	fields := bytes.Fields(stat[end+1:])
	if len(fields) <= startField {
		return 0, errStat
	}
	start, err := strconv.ParseUint(string(fields[startField]), 10, 64)
	if err != nil {
		return 0, errStat
	}
	return start, nil
}
