package scan

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
)

// idle is what a process has that it alone can change: while it has not run, all
// of it stands. The zero value is nothing.
type idle struct {
	ran  time.Duration // its processor time before any of this was read; 0 is not known
	look uint64        // at which it was read

	table *descriptors
	// links are what stdin and stdout are open on: pipes and sockets, which have
	// no names that others could change. Empty is not known.
	links [2]string
	io    inventory.Fact[uint64]
}

// processorTime is what all threads of a process have run since it started, those
// that have ended included, to the nanosecond (clock_getcpuclockid(3)); 0 where
// it is not to be had.
func processorTime(pid int) time.Duration {
	const scheduled = 2
	var ran unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|scheduled), &ran); err != nil {
		return 0
	}
	return time.Duration(ran.Nano())
}

// idleOf is what still stands of a process, to be completed by what is read of it
// now. It is empty where the process has run since, or may have: where numbers
// here are not those of system calls, and now and then in any case.
func (l *look) idleOf(i int, h *handle) *idle {
	slot := l.slot(i)
	var ran time.Duration
	if h.sameNumbers && l.scanner.stable && !h.dead {
		ran = processorTime(h.pid)
	}
	if ran == 0 || ran != slot.idle.ran || l.scanner.looks-slot.idle.look >= rolling {
		slot.idle = idle{ran: ran, look: l.scanner.looks}
	}
	return &slot.idle
}

// descriptorsOf is a process's descriptor table.
func (s *idle) descriptorsOf(h *handle) *descriptors {
	if s.ran == 0 {
		return h.descriptors()
	}
	if s.table == nil {
		table := h.descriptors()
		if table.dead || table.err != nil {
			return table
		}
		s.table = table
	}
	return s.table
}

// link is what stdin or stdout is open on; the bytes hold until the next call.
func (s *idle) link(h *handle, fd int) ([]byte, error) {
	if s.links[fd] != "" {
		return []byte(s.links[fd]), nil
	}
	link, err := h.r.readlink(h.dir, h.fdPath(fd))
	if err != nil {
		return nil, err
	}
	if kind, _ := parseLink(link); s.ran != 0 && (kind == linkPipe || kind == linkSocket) {
		s.links[fd] = string(link)
	}
	return link, nil
}

// ioChars is characters read plus written.
func (s *idle) ioChars(h *handle) inventory.Fact[uint64] {
	if s.ran == 0 {
		return h.ioChars()
	}
	if !s.io.IsKnown() {
		s.io = h.ioChars()
	}
	return s.io
}
