package host

import (
	"context"
	"time"

	"github.com/shirou/gopsutil/v3/host"

	"github.com/reaperd/reaperd/internal/inventory"
)

// facts are those that stay the same while this machine runs. They are part of every
// snapshot, to make another host's report understandable, and decide nothing. What could
// not be told is zero.
type facts struct {
	kernel   string    // its release, as uname -r has it
	bootedAt time.Time // to the second
	// virtualization is the kind of virtual machine or container that the host runs
	// in, such as kvm, docker or wsl; "" is none, or none known.
	virtualization string
}

func readFacts(ctx context.Context) (f facts) {
	f.kernel, _ = host.KernelVersionWithContext(ctx)
	if booted, err := host.BootTimeWithContext(ctx); err == nil && booted > 0 {
		f.bootedAt = time.Unix(int64(booted), 0).UTC()
	}
	if system, role, err := host.VirtualizationWithContext(ctx); err == nil && role == "guest" {
		f.virtualization = system
	}
	return f
}

// add adds the facts to a host that a look has described.
func (f facts) add(h *inventory.Host) {
	h.Kernel, h.BootedAt, h.Virtualization = f.kernel, f.bootedAt, f.virtualization
}
