//go:build !linux && !darwin

package scan

import (
	"context"
	"strconv"
	"time"

	"github.com/shirou/gopsutil/v3/host"
	"github.com/shirou/gopsutil/v3/mem"
	"github.com/shirou/gopsutil/v3/process"

	"github.com/reaperd/reaperd/internal/inventory"
)

// list reads the table through gopsutil. The start mark is its creation time
// in milliseconds: coarser than the system's own, and the only one at hand here
// (without any, a reused PID could not be told at all).
func list(ctx context.Context) ([]inventory.Process, error) {
	table, err := process.ProcessesWithContext(ctx)
	if err != nil {
		return nil, err
	}
	processes := make([]inventory.Process, 0, len(table))
	for _, p := range table {
		created, err := p.CreateTimeWithContext(ctx)
		if err != nil || p.Pid <= 0 {
			continue // gone, or not ours to see
		}
		found := inventory.Process{PID: int(p.Pid), Start: uint64(created), StartedAt: time.UnixMilli(created)}
		if ppid, err := p.PpidWithContext(ctx); err == nil {
			found.PPID = inventory.Known(int(ppid))
		}
		processes = append(processes, found)
	}
	return processes, nil
}

func describe(ctx context.Context, p *inventory.Process) {
	from := &process.Process{Pid: int32(p.PID)}
	p.Comm, _ = from.NameWithContext(ctx)
	p.Exe, _ = from.ExeWithContext(ctx)
	p.Argv, _ = from.CmdlineSliceWithContext(ctx)
	p.Cwd, _ = from.CwdWithContext(ctx)
	p.User, _ = from.UsernameWithContext(ctx)
	if uids, err := from.UidsWithContext(ctx); err == nil && len(uids) > 0 {
		p.UID = inventory.Known(int(uids[min(1, len(uids)-1)])) // the effective one where there are several
	}
}

func readWhole(ctx context.Context, p *inventory.Process) {
	from := &process.Process{Pid: int32(p.PID)}
	if memory, err := from.MemoryInfoWithContext(ctx); err == nil {
		p.RSSBytes = inventory.Known(memory.RSS)
		p.MemoryBytes, p.MemoryKind = p.RSSBytes, "rss"
	}
	if times, err := from.TimesWithContext(ctx); err == nil {
		p.CPUSeconds = inventory.Known(times.User + times.System)
	}
	if threads, err := from.NumThreadsWithContext(ctx); err == nil {
		p.Threads = inventory.Known(int(threads))
	}
}

func addHost(h *inventory.Host) {
	if memory, err := mem.VirtualMemory(); err == nil {
		h.MemoryBytes = memory.Total
	}
	h.BootID = BootID()
}

// BootID names this boot of the host, as snapshots do; empty where it is not told.
func BootID() string {
	boot, err := host.BootTime()
	if err != nil {
		return ""
	}
	return strconv.FormatUint(boot, 10)
}
