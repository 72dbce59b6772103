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

// hostNow adds to what stays of a host what may be another at each look.
func hostNow(host inventory.Host) inventory.Host {
	host.UID = inventory.Known(os.Geteuid())
	host.Hostname, _ = os.Hostname()
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

// scope describes what of the host stays as long as this process runs: the boot, and
// the PID namespace that the proc directory shows.
func (r *reader) scope() inventory.Host {
	host := inventory.Host{OS: "linux", PIDNamespace: "unknown"}
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
	return host
}
