package scan

// This file reads facts that are kept for many looks: see [cached].

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
)

// place is a process's cgroup, container and namespaces.
type place struct {
	cgroup, container string
	user, pid         uint64 // 0: not known
}

// placeOf is where a process stands. It is read as often as its program.
func (l *look) placeOf(i int, h *handle) place {
	record := l.slot(i).record
	if described := l.slot(i).told; described == 0 || !record.place.stands(described, l.scanner.looks) {
		var at place
		at.cgroup, at.container = l.place(h)
		at.user, _ = h.namespace("user")
		at.pid, _ = h.namespace("pid")
		record.place.keep(described, at, l.scanner.looks, forEver)
	}
	return record.place.value
}

// place reads a process's cgroup and container. If its cgroup namespace hides them,
// the mounts of its mount namespace may tell.
func (l *look) place(h *handle) (cgroup, container string) {
	cgroup, container = cgroupOf(h.text("cgroup", true))
	if container != "" || cgroup != "/" || l.host.PIDNamespace == "init" {
		return cgroup, container
	}
	space, ok := h.namespace("mnt")
	if !ok {
		return cgroup, ""
	}
	l.containersMu.Lock()
	defer l.containersMu.Unlock()
	container, known := l.containers[space]
	if !known {
		container = containerInMounts(h.text("mountinfo", false))
		l.containers[space] = container
	}
	return cgroup, container
}

// environment is the markers in a process's environment, read once for each program.
// A process that is silent may have any.
func (l *look) environment(i int, h *handle) map[string]string {
	slot, looks := l.slot(i), l.scanner.looks
	markers := &slot.record.markers
	if slot.program == 0 || markers.value == nil || !markers.stands(slot.program, looks) {
		found, silent := asked(l.scanner.patience, h.question(l.members[i], "environ"), func(_ *reader, fd int) map[string]string {
			found, _ := environment(fd) // an environment that cannot be read is none that is known
			return found
		})
		l.members[i].silent = silent
		markers.keep(slot.program, found, looks, forEver)
	}
	return markers.value
}

// memory is the proportional set size, if it may be asked for. The kernel takes
// milliseconds for a large process, so a figure stands while it is about right (see
// footprint).
func (l *look) memory(i int, h *handle) (inventory.Fact[uint64], string) {
	m, kept := l.members[i], &l.slot(i).record.footprint
	rss := m.process.RSSBytes
	resident, known := rss.Get()
	now := footprint{resident: resident, copies: l.copies[l.slot(i).file]}
	if known && kept.stands(struct{}{}, l.scanner.looks) && kept.value.stands(now) {
		return inventory.Known(kept.value.pss), "pss"
	}
	*kept = cached[struct{}, footprint]{}
	if m.pss {
		size := h.question(m, "smaps_rollup")
		size.size = true
		if bytes, _ := asked(l.scanner.patience, size, (*reader).pss); bytes > 0 {
			now.pss = bytes
			kept.keep(struct{}{}, now, l.scanner.looks, l.untilTurn(i, rolling))
			return inventory.Known(bytes), "pss"
		}
	}
	return rss, "rss"
}

// untilTurn spreads readings: it is how many looks a figure of this process stands,
// so that not all are read at one look.
func (l *look) untilTurn(i int, looks uint32) uint32 {
	return looks - (l.scanner.looks+uint32(l.slot(i).pid))%looks
}

// footprint is a proportional set size, and the resident set size at that time, both
// in bytes, and how many processes ran the same program then. The zero value is none.
type footprint struct {
	pss, resident uint64
	copies        int
}

// stands reports that a process is still as large as it was, to within a sixteenth, and
// shares its program with as many others, to within an eighth.
func (f footprint) stands(now footprint) bool {
	isAsLarge := max(now.resident, f.resident)-min(now.resident, f.resident) <= f.resident/16
	return f.resident > 0 && isAsLarge && max(now.copies, f.copies)-min(now.copies, f.copies) <= f.copies/8
}

// still is what stays the same while a process does not run, since only the process itself
// can change it. What is not known is read when it is asked for.
type still struct {
	table *descriptors // nil is not known
	io    inventory.Fact[uint64]
	// receives tells whether datagrams come to it from anybody.
	receives inventory.Fact[bool]
}

// still is what is known of a process that has not run since; what is found out now is kept
// for so many looks at most. If it cannot be told whether a process has run, nothing is.
func (l *look) still(i int, lasts uint32) *still {
	slot, looks := l.slot(i), l.scanner.looks
	ran := l.ranSoFar(int(slot.pid))
	if ran == 0 {
		slot.still = nil
		return &still{}
	}
	if slot.still == nil || !slot.still.stands(ran, looks) {
		slot.still = &cached[int64, *still]{}
		slot.still.keep(ran, &still{}, looks, lasts)
	}
	return slot.still.value
}

// processorTime is how long all threads of a process have run since it started, ended
// ones included, in nanoseconds (clock_getcpuclockid(3)); 0 if it cannot be read.
func processorTime(pid int) time.Duration {
	const scheduled = 2
	var ran unix.Timespec
	// It does not wait: the runtime need not be told.
	_, _, failed := unix.RawSyscall(unix.SYS_CLOCK_GETTIME, uintptr(^pid<<3|scheduled), uintptr(unsafe.Pointer(&ran)), 0)
	if failed != 0 {
		return 0
	}
	return time.Duration(ran.Nano())
}

// finelyClocked reports that processor time is fine enough to show an exec, as it is
// if the scheduler has a fine clock: two readings in a row differ a little. One of
// several pairs is enough, since the process may be interrupted.
func finelyClocked() bool {
	self := unix.Getpid()
	for range 16 {
		before := processorTime(self)
		after := processorTime(self)
		if before > 0 && after > before && after-before < 100*time.Microsecond {
			return true
		}
	}
	return false
}

// ioChars is characters read plus written.
func (s *still) ioChars(h *handle) inventory.Fact[uint64] {
	if !s.io.IsKnown() {
		s.io = h.ioChars()
	}
	return s.io
}
