package supervise

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// maxLaunchers bounds the search for the client among launchers.
const maxLaunchers = 16

// Owner is reaperd's own identity in the form of REAPERD_OWNER and the label
// reaperd.owner: <pid>:<start>:<boot>:<pid namespace>.
func Owner() string {
	own := syscall.Getpid()
	namespace, _ := os.Readlink("/proc/self/ns/pid")
	boot := slurp("/proc/sys/kernel/random/boot_id")
	return strings.Join([]string{
		strconv.Itoa(own), strconv.FormatUint(read(own).start, 10), strings.TrimSpace(string(boot)), strings.Trim(namespace, "pid:[]"),
	}, ":")
}

// Client is the process that gives the server its stdin: the nearest ancestor with
// another stdin of its own. Processes in between pass theirs on.
func Client() Seen {
	own, _ := os.Readlink("/proc/self/fd/0")
	shared := strings.HasPrefix(own, "pipe:[") || strings.HasPrefix(own, "socket:[")
	pid := syscall.Getppid()
	for range maxLaunchers {
		its, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/fd/0")
		if !shared || err != nil || its != own {
			break
		}
		pid = read(pid).parent
	}
	if pid <= 0 {
		return Seen{}
	}
	return Seen{PID: pid, Argv: argvOf(pid)}
}
