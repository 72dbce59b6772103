package scan

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/darwin"
	"github.com/reaperd/reaperd/internal/inventory"
)

// Scanner looks at the process table.
type Scanner = Mac

// New returns a scanner of this Mac's process table.
func New(options Options) (*Scanner, error) {
	kernel, err := darwin.Open()
	if err != nil {
		return nil, err
	}
	return NewMac(kernel, options, func() inventory.Host { return hostOf(kernel) }), nil
}

// hostOf describes this Mac. It has no PID namespaces: the table is the whole
// host's. Its uptime clock stands while the machine sleeps.
func hostOf(kernel darwin.Kernel) inventory.Host {
	h := inventory.Host{OS: "darwin", PIDNamespace: "init", SelfPID: os.Getpid(), UID: inventory.Known(os.Geteuid())}
	h.Hostname, _ = os.Hostname()
	h.BootID = darwin.BootID(kernel)
	h.MemoryBytes, _ = darwin.NumberOf(kernel, "hw.memsize")
	var awake unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_UPTIME_RAW, &awake); err == nil {
		h.AwakeSeconds = inventory.Known(float64(awake.Nano()) / 1e9)
	}
	return h
}

// BootID names this boot of the host as snapshots do; "" if that is not known.
func BootID() string {
	kernel, err := darwin.Open()
	if err != nil {
		return ""
	}
	return darwin.BootID(kernel)
}
