package supervise

import (
	"bytes"
	"encoding/binary"
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

// uniqueNumbers are macOS's numbers of a process and of the one that forked it. They
// survive reparenting and are never used twice.
type uniqueNumbers struct{ own, parent uint64 }

// parseUnique reads struct proc_uniqidentifierinfo (bsd/sys/proc_info.h): a UUID
// of 16 bytes, then the two.
func parseUnique(data []byte) uniqueNumbers {
	if len(data) < 32 {
		return uniqueNumbers{}
	}
	return uniqueNumbers{own: binary.NativeEndian.Uint64(data[16:]), parent: binary.NativeEndian.Uint64(data[24:])}
}

// parseArguments reads macOS's kern.procargs2: the number of arguments, the path
// of the executable, NULs, the arguments, the environment. It returns at least
// one argument.
func parseArguments(data []byte) []string {
	if len(data) < 4 {
		return []string{""}
	}
	count := int(binary.NativeEndian.Uint32(data))
	_, rest, _ := bytes.Cut(data[4:], []byte{0})
	words := strings.Split(string(bytes.TrimLeft(rest, "\x00")), "\x00")
	return words[:max(1, min(count, len(words)))]
}
