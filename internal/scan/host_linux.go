package scan

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
)

// initPIDNamespace is PROC_PID_INIT_INO, the inode of the host's own PID
// namespace (include/linux/proc_ns.h).
const initPIDNamespace = 0xEFFFFFFC

// BootID names this boot of the host, as snapshots do; empty where it is not told.
func BootID() string {
	id, err := os.ReadFile("/proc/" + bootIDFile)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}

const bootIDFile = "sys/kernel/random/boot_id"

// host describes the machine and the scope that the proc directory shows.
func (r *reader) host() inventory.Host {
	host := inventory.Host{OS: "linux", PIDNamespace: "unknown", UID: inventory.Known(os.Geteuid())}
	host.Hostname, _ = os.Hostname()
	if id, err := r.once(r.root, bootIDFile); err == nil {
		host.BootID = strings.TrimSpace(string(id))
	}
	if inode, ok := namespaceAt(r.root, "self/ns/pid"); ok {
		host.PIDNamespaceID = inode
		host.PIDNamespace = "other"
		if inode == initPIDNamespace {
			host.PIDNamespace = "init"
		}
	}
	if self, err := r.readlink(r.root, "self"); err == nil {
		host.SelfPID, _ = strconv.Atoi(string(self))
	}
	var awake unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &awake); err == nil {
		host.AwakeSeconds = inventory.Known(float64(awake.Nano()) / 1e9)
	}
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err == nil {
		host.MemoryBytes = uint64(info.Totalram) * uint64(info.Unit)
	}
	return host
}
