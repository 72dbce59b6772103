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

// BootID names this boot of the host as snapshots do; "" if that is not known.
func BootID() string {
	id, err := os.ReadFile("/proc/" + bootIDFile)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}

const bootIDFile = "sys/kernel/random/boot_id"

// hostNow adds the facts about the host that may differ at each look.
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

// scope describes the facts about the host that stay the same while this process
// runs: the boot, and the PID namespace of the proc directory.
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
