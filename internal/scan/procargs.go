package scan

import (
	"bytes"
	"encoding/binary"
)

// procArgs is what macOS gives for kern.procargs2.
type procArgs struct {
	exe  string
	argv []string
	// environ holds the environment as NAME=value entries ended by NULs. It is
	// empty where the system withholds it.
	environ []byte
}

// parseProcArgs reads kern.procargs2: the number of arguments, the path of the
// executable, NULs up to a word's edge and more, the arguments, the
// environment. Empty arguments are kept; an empty first one cannot be told from
// the padding. Not all of them there is false.
func parseProcArgs(data []byte) (procArgs, bool) {
	if len(data) < 4 {
		return procArgs{}, false
	}
	count := int(int32(binary.NativeEndian.Uint32(data)))
	exe, rest, ok := bytes.Cut(data[4:], []byte{0})
	if !ok || count < 0 || count > len(data) {
		return procArgs{}, false
	}
	found := procArgs{exe: string(exe), argv: make([]string, 0, count)}
	rest = bytes.TrimLeft(rest, "\x00")
	for range count {
		argument, more, ok := bytes.Cut(rest, []byte{0})
		if !ok {
			return procArgs{}, false
		}
		found.argv = append(found.argv, string(argument))
		rest = more
	}
	found.environ = rest
	return found, true
}

// uniqueIDs are the identities macOS keeps of a process and of the one that
// forked it. Reparenting does not change them, and none is used twice.
type uniqueIDs struct{ self, parent uint64 }

// parseUniqueIDs reads struct proc_uniqidentifierinfo (bsd/sys/proc_info.h):
// a UUID of 16 bytes, then the two.
func parseUniqueIDs(data []byte) (uniqueIDs, bool) {
	if len(data) < 32 {
		return uniqueIDs{}, false
	}
	return uniqueIDs{self: binary.NativeEndian.Uint64(data[16:]), parent: binary.NativeEndian.Uint64(data[24:])}, true
}

// taskInfo is what reaperd takes from struct proc_taskinfo.
type taskInfo struct {
	resident uint64 // bytes
	time     uint64 // user and system, in the units of hw.tbfrequency
	threads  int
}

// parseTaskInfo reads struct proc_taskinfo: six 64-bit numbers (virtual and
// resident size, total and thread times), then twelve of 32 bits, the tenth of
// which is the number of threads.
func parseTaskInfo(data []byte) (taskInfo, bool) {
	if len(data) < 96 {
		return taskInfo{}, false
	}
	return taskInfo{
		resident: binary.NativeEndian.Uint64(data[8:]),
		time:     binary.NativeEndian.Uint64(data[16:]) + binary.NativeEndian.Uint64(data[24:]),
		threads:  int(int32(binary.NativeEndian.Uint32(data[84:]))),
	}, true
}

// parseCwd reads struct proc_vnodepathinfo: the working directory's vnode (152
// bytes) and its path.
func parseCwd(data []byte) string {
	const vnode = 152
	if len(data) <= vnode {
		return ""
	}
	path, _, _ := bytes.Cut(data[vnode:], []byte{0})
	return string(path)
}
