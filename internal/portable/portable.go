// Package portable reads the process table of systems that reaperd has no reader
// of its own for, such as FreeBSD, through gopsutil. It is built everywhere and
// tested on Linux beside the reader there.
//
// gopsutil does not tell who holds the other ends of stdin and stdout. They count as
// unreadable, so no server seen this way is ever proven orphaned.
package portable

import (
	"context"
	"strconv"
	"time"

	"github.com/shirou/gopsutil/v3/host"
	"github.com/shirou/gopsutil/v3/process"

	"github.com/reaperd/reaperd/internal/inventory"
)

// List reads the bare table: PID, parent and start of each process. The start
// mark is the time of creation in milliseconds: coarser than the system's own,
// and the only one at hand (without any, a reused PID could not be told at all).
func List(ctx context.Context) ([]inventory.Process, error) {
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

// Describe adds what names a process and its user.
func Describe(ctx context.Context, p *inventory.Process) {
	from := &process.Process{Pid: int32(p.PID)}
	p.Comm, _ = from.NameWithContext(ctx)
	p.Exe, _ = from.ExeWithContext(ctx)
	p.Argv, _ = from.CmdlineSliceWithContext(ctx)
	p.Cwd, _ = from.CwdWithContext(ctx)
	p.User, _ = from.UsernameWithContext(ctx)
	if uids, err := from.UidsWithContext(ctx); err == nil && len(uids) > 0 {
		p.UID = inventory.Known(int(uids[min(1, len(uids)-1)])) // the effective one where there are several
	}
	p.Stdin, p.Stdout = inventory.Unreadable[inventory.Stdio](), inventory.Unreadable[inventory.Stdio]()
}

// Measure adds what a process uses.
func Measure(ctx context.Context, p *inventory.Process) {
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

// BootID names this boot of the host; empty where it is not told.
func BootID() string {
	boot, err := host.BootTime()
	if err != nil {
		return ""
	}
	return strconv.FormatUint(boot, 10)
}
