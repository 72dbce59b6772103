package supervise

import (
	"bytes"
	"strconv"
)

// process is one row of the process table.
type process struct {
	pid, parent, session int
	// start is the system's own mark: with the PID it names the process.
	start uint64
	ended bool // a zombie
}

// parseStat reads /proc/PID/stat (proc_pid_stat(5)). The name stands in
// parentheses and may hold any character: it ends at the last one.
func parseStat(pid int, stat []byte) (process, bool) {
	end := bytes.LastIndexByte(stat, ')')
	if end < 0 {
		return process{}, false
	}
	fields := bytes.Fields(stat[end+1:]) // from field 3
	if len(fields) < 20 {
		return process{}, false
	}
	p := process{pid: pid, ended: fields[0][0] == 'Z' || fields[0][0] == 'X'}
	var parent, session, start error
	p.parent, parent = strconv.Atoi(string(fields[1]))
	p.session, session = strconv.Atoi(string(fields[3]))
	p.start, start = strconv.ParseUint(string(fields[19]), 10, 64)
	return p, parent == nil && session == nil && start == nil
}

// below are the processes of a table that descend from one of them, parents
// before children.
func below(table []process, root int) []process {
	children := map[int][]process{}
	for _, p := range table {
		children[p.parent] = append(children[p.parent], p)
	}
	var found []process
	for wave := []int{root}; len(wave) > 0; wave = wave[1:] {
		found = append(found, children[wave[0]]...)
		for _, child := range children[wave[0]] {
			wave = append(wave, child.pid)
		}
	}
	return found
}
