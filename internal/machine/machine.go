// Package machine reads the facts about this host that stay the same while it runs:
// kernel, boot, virtualisation, memory. They are part of every snapshot, to make
// another host's report understandable, and decide nothing. They come from gopsutil,
// which knows them on every system, and are read once.
package machine

import (
	"context"
	"time"

	"github.com/shirou/gopsutil/v3/host"
	"github.com/shirou/gopsutil/v3/mem"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Facts are those of one host. A fact that could not be told is zero.
type Facts struct {
	Kernel   string    // the kernel's release, as uname -r has it
	BootedAt time.Time // to the second
	// Virtualization is the kind of virtual machine or container that the host runs
	// in, such as kvm, docker or wsl; "" is none, or none known.
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

// Add adds the facts to a host that a look has described. Facts that the look itself
// found stay.
func (f Facts) Add(h *inventory.Host) {
	h.Kernel, h.BootedAt, h.Virtualization = f.Kernel, f.BootedAt, f.Virtualization
	if h.MemoryBytes == 0 {
		h.MemoryBytes = f.MemoryBytes
	}
}
