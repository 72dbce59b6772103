package scan

import (
	"hash/maphash"
	"iter"
	"slices"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/procstat"
)

// slot is what is kept of every process: enough to see that it is still the same,
// runs the same program, and has the same parent.
type slot struct {
	inode   uint64 // of /proc/PID
	start   uint64
	ran     int64 // its processor time in ns before its stat line was read; 0 is unknown
	program procstat.Program
	mark    uint64 // [Selection].Mark, where it has no record
	pid     int32
	ppid    int32
	uid     int32  // -1 is unknown
	since   uint32 // the look at which it was first seen with its parent
	read    uint32 // the look at which its stat line was read; 0 is never
	told    uint32 // the look at which its description was read; 0 is never
	file    uint32 // the file that it runs, as a hash of its path; 0 is unknown

	condition  procstat.Condition
	kernel     bool // a kernel thread, which is never listed
	adopted    bool // it has another parent than when it was first seen
	reparented bool // it got that while no look listed it
	systemd    bool // its name is a service manager's
	// record is the rest, of a process that can matter to a verdict; nil for others.
	record *record
	// still is what is known of it as long as its processor time is the key; nil is nothing.
	still *cached[int64, *still]
}

// record is what is kept of a process that can matter to a verdict.
type record struct {
	process inventory.Process // as its stat line, its owner and its program tell
	related bool              // its stdin and stdout mattered to the last look
	holds   bool              // it held an end that the last look asked for
	fresh   bool              // it was made in this look
	size    int               // what its arguments hold in memory, in bytes

	undescribed bool // its owner, program and arguments are to be read
	folderless  bool // its working directory was not read

	markers   cached[procstat.Program, map[string]string]
	place     cached[uint32, place]
	footprint cached[struct{}, footprint]
}

// imprint tells whether a process still runs the same program.
type imprint struct {
	program   procstat.Program
	condition procstat.Condition
}

// take takes over from a stat line what tells whether a process still runs the same
// program, and returns what it was before. If it differs, the description is of another.
func (s *slot) take(line *procstat.Stat) (before imprint) {
	before = imprint{s.program, s.condition}
	s.program, s.condition, s.systemd = line.Program, line.Condition(), string(line.Comm) == "systemd"
	if before != (imprint{s.program, s.condition}) {
		s.told = 0
	}
	return before
}

// dead reports a process of which nothing runs any more.
func (s *slot) dead() bool { return s.condition == procstat.Exited }

func (s *slot) id() inventory.ID { return inventory.ID{PID: int(s.pid), Start: s.start} }

var fileSeed = maphash.MakeSeed()

// fileNumber tells the files apart that processes run. Two may get the same number, which
// costs a reading.
func fileNumber(path string) uint32 {
	if path == "" {
		return 0
	}
	return uint32(maphash.String(fileSeed, path))
}

// newSlot is the slot of a process that was not read yet.
func newSlot(e entry) slot { return slot{inode: e.inode, pid: int32(e.number), uid: -1} }

func findSlot(slots []slot, pid int) (int, bool) {
	return slices.BinarySearchFunc(slots, int32(pid), func(s slot, pid int32) int { return int(s.pid) - int(pid) })
}

// merge appends the slots of a new listing, those of unchanged processes as they are; all
// are sorted by PID. gone are the PIDs of the others.
func merge(into, slots []slot, listing []entry) (merged []slot, gone []int32) {
	into = slices.Grow(into, len(listing))
	old := 0
	for _, entry := range listing {
		for ; old < len(slots) && int(slots[old].pid) < entry.number; old++ {
			gone = append(gone, slots[old].pid)
		}
		if old < len(slots) && int(slots[old].pid) == entry.number && slots[old].inode == entry.inode {
			into = append(into, slots[old])
			old++
			continue
		}
		into = append(into, newSlot(entry))
	}
	for ; old < len(slots); old++ {
		gone = append(gone, slots[old].pid)
	}
	return into, gone
}

// children are the children of each process, as lists through the siblings. 0 ends a
// list; other numbers are an index plus one.
type children struct{ first, next []int32 }

func (c children) of(i int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for at := c.first[i]; at != 0; at = c.next[at-1] {
			if !yield(int(at - 1)) {
				return
			}
		}
	}
}

// childrenOf lists the children of n processes.
func childrenOf(n int, parent func(int) (int, bool)) children {
	c := children{first: make([]int32, n), next: make([]int32, n)}
	for i := n - 1; i >= 0; i-- { // so that lists ascend
		if above, ok := parent(i); ok {
			c.next[i], c.first[above] = c.first[above], int32(i+1)
		}
	}
	return c
}
