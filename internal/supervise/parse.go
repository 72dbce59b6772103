package supervise

import (
	"strconv"
	"strings"
)

// parseCgroup finds the path of the version 2 group in /proc/self/cgroup. A group
// outside reaperd's cgroup namespace cannot be reached and counts as none.
func parseCgroup(text string) (path string, ok bool) {
	for line := range strings.Lines(text) {
		if rest, found := strings.CutPrefix(strings.TrimRight(line, "\n"), "0::"); found {
			return rest, strings.HasPrefix(rest, "/") && !strings.Contains(rest, "/..")
		}
	}
	return "", false
}

// parseReadOnly reads a line of /proc/self/maps and returns where that file is mapped
// read-only (proc_pid_maps(5)).
func parseReadOnly(line, file string) (from, size uintptr, ok bool) {
	fields := strings.Fields(line)
	if len(fields) < 6 || fields[5] != file || len(fields[1]) != 4 || fields[1][1] != '-' {
		return 0, 0, false
	}
	start, end, _ := strings.Cut(fields[0], "-")
	low, errLow := strconv.ParseUint(start, 16, 64)
	high, errHigh := strconv.ParseUint(end, 16, 64)
	if errLow != nil || errHigh != nil || high <= low {
		return 0, 0, false
	}
	return uintptr(low), uintptr(high - low), true
}
