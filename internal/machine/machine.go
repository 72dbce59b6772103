// Package machine tells the facts about this host that stay as they are while it
// runs: its kernel, when it was booted, what it runs in, its memory. They stand in
// every snapshot, so that a report of somebody else's host can be understood, and
// decide nothing.
//
// They come from gopsutil, which knows them on every system, and are read once:
// no look at the process table waits for them.
package machine

import (
	"context"
	"time"

	"github.com/shirou/gopsutil/v3/host"
	"github.com/shirou/gopsutil/v3/mem"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Facts are those of one host. What could not be told is zero.
type Facts struct {
	Kernel   string    // the kernel's release, as uname -r has it
	BootedAt time.Time // to the second
	// Virtualization is what the host is a guest of, such as kvm, docker or wsl;
	// empty is nothing, or nothing known.
	Virtualization string
	MemoryBytes    uint64
}

// Read asks the system.
func Read(ctx context.Context) Facts {
	var f Facts
	f.Kernel, _ = host.KernelVersionWithContext(ctx)
	if booted, err := host.BootTimeWithContext(ctx); err == nil && booted > 0 {
		f.BootedAt = time.Unix(int64(booted), 0).UTC()
	}
	if system, role, err := host.VirtualizationWithContext(ctx); err == nil && role == "guest" {
		f.Virtualization = system
	}
	if memory, err := mem.VirtualMemoryWithContext(ctx); err == nil {
		f.MemoryBytes = memory.Total
	}
	return f
}

// Add writes the facts into a host that a look described; what the look told
// itself stays.
func (f Facts) Add(h *inventory.Host) {
	h.Kernel, h.BootedAt, h.Virtualization = f.Kernel, f.BootedAt, f.Virtualization
	if h.MemoryBytes == 0 {
		h.MemoryBytes = f.MemoryBytes
	}
}
