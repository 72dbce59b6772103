package supervise

import (
	"os"
	"strings"
	"syscall"
)

// notNeeded is advice to madvise(2), which package syscall does not name:
// MADV_DONTNEED.
const notNeeded = 4

// trim gives back the pages of the program file that starting has touched. The system
// reads them again when they are needed.
func trim() {
	own, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	for line := range strings.Lines(string(slurp("/proc/self/maps"))) {
		from, size, ok := parseReadOnly(line, own)
		if ok {
			_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, size, notNeeded)
		}
	}
}
