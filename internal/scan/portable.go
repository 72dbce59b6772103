package scan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/shirou/gopsutil/v3/host"
	"github.com/shirou/gopsutil/v3/mem"
	"github.com/shirou/gopsutil/v3/process"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Portable is the scanner of systems that reaperd has no reader of its own for, such as
// FreeBSD: it asks gopsutil. It is built everywhere and tested on Linux beside the reader
// there.
//
// gopsutil does not tell who holds the other ends of stdin and stdout. They count as
// unreadable, so no server seen this way is ever proven orphaned.
type Portable struct {
	whole
	options Options
}

// whole is what scanners have in common that list every process at every look and hold
// nothing open.
type whole struct{}

// List adds nothing.
func (whole) List(*Look, []int) {}

// Close does nothing.
func (whole) Close() error { return nil }

// Processes looks at the process table. If the table itself cannot be read, the error
// is returned and the source says "error".
func (s *Portable) Processes(ctx context.Context) (Look, error) {
	h := portableHost(ctx)
	processes, err := s.table(ctx)
	if err != nil {
		return failed(h, err), err
	}
	names := users{}
	for i := range processes {
		s.complete(ctx, &processes[i], names)
	}
	return Look{Processes: processes, Host: h, Source: sourceOf(nil, nil, false)}, ctx.Err()
}

// table reads the bare table: PID, parent and start of each process, sorted by PID. The
// start mark is the time of creation in milliseconds: coarser than the system's own, and
// the only one at hand (without any, a reused PID could not be told at all).
func (s *Portable) table(ctx context.Context) ([]inventory.Process, error) {
	table, err := process.ProcessesWithContext(ctx)
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
	slices.SortFunc(processes, func(a, b inventory.Process) int { return cmp.Compare(a.PID, b.PID) })
	if err == nil && len(processes) == 0 {
		err = errEmpty
	}
	if err != nil {
		return nil, fmt.Errorf("read the process table: %w", err)
	}
	return processes, nil
}

// errEmpty is a table that cannot be true.
var errEmpty = errors.New("no process in it")

// complete adds what names a process and its user, and of a candidate what it uses.
func (s *Portable) complete(ctx context.Context, p *inventory.Process, names users) {
	from := &process.Process{Pid: int32(p.PID)}
	p.Comm, _ = from.NameWithContext(ctx)
	p.Exe, _ = from.ExeWithContext(ctx)
	p.Argv, _ = from.CmdlineSliceWithContext(ctx)
	p.Cwd, _ = from.CwdWithContext(ctx)
	p.User, _ = from.UsernameWithContext(ctx)
	if uids, err := from.UidsWithContext(ctx); err == nil && len(uids) > 0 {
		p.UID = inventory.Known(int(uids[min(1, len(uids)-1)])) // the effective one where there are several
		p.User = cmp.Or(p.User, names.name(p.UID.Or(-1)))
	}
	p.Stdin, p.Stdout = inventory.Unreadable[inventory.Stdio](), inventory.Unreadable[inventory.Stdio]()
	if !s.options.candidate(p) {
		return
	}
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

// Table lists all processes as they are now.
func (s *Portable) Table() ([]inventory.Row, error) {
	processes, err := s.table(context.Background())
	rows := make([]inventory.Row, len(processes))
	for i := range processes {
		rows[i] = inventory.Row{ID: processes[i].ID(), PPID: processes[i].PPID.Or(0)}
	}
	return rows, err
}

// Process reads one process fresh and whole. It returns [ErrGone] when that
// identity no longer exists.
func (s *Portable) Process(id inventory.ID) (inventory.Process, error) {
	ctx := context.Background()
	processes, err := s.table(ctx)
	at := slices.IndexFunc(processes, func(p inventory.Process) bool { return p.ID() == id })
	if err != nil || at < 0 {
		return inventory.Process{}, fmt.Errorf("process %s: %w", id, cmp.Or(err, ErrGone))
	}
	one := &Portable{options: Options{Candidate: func(*inventory.Process) bool { return true }}}
	one.complete(ctx, &processes[at], users{})
	return processes[at], nil
}

// portableBootID names this boot of the host; "" where it is not told.
func portableBootID() string {
	boot, err := host.BootTime()
	if err != nil {
		return ""
	}
	return strconv.FormatUint(boot, 10)
}

func portableHost(ctx context.Context) inventory.Host {
	h := inventory.Host{OS: runtime.GOOS, PIDNamespace: "unknown", SelfPID: os.Getpid(), BootID: portableBootID()}
	h.Hostname, _ = os.Hostname()
	if uid := os.Geteuid(); uid >= 0 {
		h.UID = inventory.Known(uid)
	}
	if memory, err := mem.VirtualMemoryWithContext(ctx); err == nil {
		h.MemoryBytes = memory.Total
	}
	return h
}
