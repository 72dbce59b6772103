package scan

import (
	"context"
	"strconv"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
)

// list reads the table in one call, and each process's original parent.
func list(context.Context) ([]inventory.Process, error) {
	table, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, err
	}
	processes := make([]inventory.Process, 0, len(table))
	for i := range table {
		if table[i].Proc.P_pid > 0 { // 0 is the kernel itself
			processes = append(processes, fromKinfo(&table[i]))
		}
	}
	addOriginalParents(processes)
	return processes, nil
}

// fromKinfo takes the start mark in microseconds since 1970, as the kernel
// stamped it at the fork; clock steps do not change it afterwards.
func fromKinfo(k *unix.KinfoProc) inventory.Process {
	pid := int(k.Proc.P_pid)
	started := time.Unix(k.Proc.P_starttime.Unix())
	p := inventory.Process{
		PID:       pid,
		Start:     uint64(started.UnixMicro()),
		StartedAt: started,
		PPID:      inventory.Known(int(k.Eproc.Ppid)),
		PGID:      inventory.Known(int(k.Eproc.Pgid)),
		UID:       inventory.Known(int(k.Eproc.Ucred.Uid)),
		State:     stateLetter(k.Proc.P_stat),
		Comm:      unix.ByteSliceToString(k.Proc.P_comm[:]),
	}
	if sid, err := unix.Getsid(pid); err == nil {
		p.SID = inventory.Known(sid)
	}
	return p
}

// stateLetter turns p_stat (SIDL to SZOMB of bsd/sys/proc.h) into ps's letter.
func stateLetter(state int8) string {
	const letters = "?IRSTZ"
	if state < 1 || int(state) >= len(letters) {
		return ""
	}
	return letters[state : state+1]
}

// Flavours of proc_info's call to describe a process, and its number.
const (
	describeProcess = 2  // PROC_INFO_CALL_PIDINFO
	taskInfoFlavour = 4  // PROC_PIDTASKINFO
	cwdFlavour      = 9  // PROC_PIDVNODEPATHINFO
	uniqueFlavour   = 17 // PROC_PIDUNIQIDENTIFIERINFO
)

// processInfo asks the kernel for one struct about a process; nil where it
// does not say. The buffer has exactly the struct's size.
func processInfo(pid, flavour int, buffer []byte) []byte {
	n, _, errno := unix.Syscall6(unix.SYS_PROC_INFO, describeProcess, uintptr(pid), uintptr(flavour), 0,
		uintptr(unsafe.Pointer(&buffer[0])), uintptr(len(buffer)))
	if errno != 0 || n > uintptr(len(buffer)) {
		return nil
	}
	return buffer[:n]
}

// addOriginalParents names who forked each process, where that one still runs.
func addOriginalParents(processes []inventory.Process) {
	buffer := make([]byte, 56)
	ids := make([]uniqueIDs, len(processes))
	byUnique := make(map[uint64]inventory.ID, len(processes))
	for i := range processes {
		if known, ok := parseUniqueIDs(processInfo(processes[i].PID, uniqueFlavour, buffer)); ok {
			ids[i] = known
			byUnique[known.self] = processes[i].ID()
		}
	}
	for i := range processes {
		if parent, ok := byUnique[ids[i].parent]; ok && ids[i].parent != 0 {
			processes[i].OriginalParent = parent.String()
		}
	}
}

// describe adds what a process runs and where; both are shown for the own
// user's processes and to root.
func describe(_ context.Context, p *inventory.Process) {
	if p.State == "Z" {
		p.Argv = []string{}
		return
	}
	if data, err := unix.SysctlRaw("kern.procargs2", p.PID); err == nil {
		if args, ok := parseProcArgs(data); ok {
			p.Exe, p.Argv = args.exe, args.argv
		}
	}
	p.Cwd = parseCwd(processInfo(p.PID, cwdFlavour, make([]byte, 2352)))
}

// readWhole adds a candidate's figures and markers.
func readWhole(_ context.Context, p *inventory.Process) {
	if data, err := unix.SysctlRaw("kern.procargs2", p.PID); err == nil {
		if args, ok := parseProcArgs(data); ok {
			p.Env = markersIn(args.environ)
		}
	}
	info, ok := parseTaskInfo(processInfo(p.PID, taskInfoFlavour, make([]byte, 96)))
	if !ok {
		return
	}
	p.Threads = inventory.Known(info.threads)
	p.RSSBytes = inventory.Known(info.resident)
	p.MemoryBytes, p.MemoryKind = p.RSSBytes, "rss"
	if frequency, err := unix.SysctlUint64("hw.tbfrequency"); err == nil && frequency > 0 {
		p.CPUSeconds = inventory.Known(float64(info.time) / float64(frequency))
	}
}

// addHost adds what macOS says of itself. It has no PID namespaces: the table
// is the whole host's. Its uptime clock stands while the machine sleeps.
func addHost(h *inventory.Host) {
	h.PIDNamespace = "init"
	h.BootID = BootID()
	h.MemoryBytes, _ = unix.SysctlUint64("hw.memsize")
	var awake unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_UPTIME_RAW, &awake); err == nil {
		h.AwakeSeconds = inventory.Known(float64(awake.Nano()) / 1e9)
	}
}

// BootID names this boot of the host, as snapshots do; empty where it is not told.
func BootID() string {
	if id, err := unix.Sysctl("kern.bootsessionuuid"); err == nil && id != "" {
		return id
	}
	boot, err := unix.SysctlTimeval("kern.boottime")
	if err != nil {
		return ""
	}
	return strconv.FormatInt(boot.Nano(), 10)
}
