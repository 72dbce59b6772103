package scan

import (
	"context"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/procstat"
)

// How many looks the description of a process is kept, at most: its owner, program and
// arguments, which only the process itself can change.
const (
	rolling      = 16 // of a process whose stdin and stdout mattered to the last look
	redescribing = 64 // of any other
)

// chunk is how many processes are read before the scanner asks which of them matter. It
// uses the records of the others for the next processes.
const chunk = 256

// refresh updates the slots to the listing: new processes are read, old ones are read
// again if they may have changed.
func (s *Scanner) refresh(ctx context.Context, l *look, listing []entry) error {
	s.looks++
	before := len(s.slots)
	merged, gone := merge(s.spare[:0], s.slots, listing)
	s.spare, s.slots = s.slots, merged
	clear(s.spare) // so that the memory that it points to can be freed
	s.askAnew()
	s.countArgv()
	stale := make([]int32, 0, len(s.slots))
	for i := range s.slots {
		if s.isStale(&s.slots[i], l) {
			stale = append(stale, int32(i))
		}
	}
	err := s.readSlots(ctx, l, stale)
	gone = s.appendExited(gone, stale)
	moved := s.appendMoved(nil, gone)
	if again := s.readSlots(ctx, l, moved); again != nil {
		err = again
	}
	if stop := ctx.Err(); stop != nil {
		return stop
	}
	changed := len(gone)+len(moved) > 0 || before != len(s.slots) || len(s.below.first) != before
	if s.dropUnread() || s.moved.Swap(false) || changed {
		s.below = childrenOf(len(s.slots), s.parentOf)
	}
	if len(s.slots) > 0 {
		return nil
	}
	return err
}

// askAnew makes every unlisted process be read again if the selection may now decide
// differently.
func (s *Scanner) askAnew() {
	version := s.options.Selection.Version()
	if version == s.version {
		return
	}
	s.version = version
	for i := range s.slots {
		if s.slots[i].record == nil {
			s.slots[i].told = 0
		}
	}
}

// countArgv adds up the memory that arguments hold.
func (s *Scanner) countArgv() {
	size := 0
	for i := range s.slots {
		if record := s.slots[i].record; record != nil {
			size += record.size
		}
	}
	s.keptArgv.Store(int64(size))
}

// isStale reports that a process's stat line must be read at this look.
func (s *Scanner) isStale(slot *slot, l *look) bool {
	switch {
	case slot.read == 0 || !s.stable:
		return true
	case slot.kernel:
		return false
	case slot.told == 0:
		return true
	}
	// Each look reads half of the processes that did not matter to the last one, by PID:
	// it notices an exec within two looks.
	had := slot.record != nil && (slot.record.related || slot.record.holds)
	switch turn := (s.looks + uint32(slot.pid)) % 2; {
	case !l.sameNumbers || !s.clocked:
		return had || turn == 0
	case !had && turn != 0:
		return false
	}
	ran := int64(processorTime(int(slot.pid)))
	if ran != 0 && ran == slot.ran {
		return had && !s.isDescribed(slot)
	}
	slot.ran = ran
	return true
}

// readSlots reads the stat lines of these slots, and everything of a process that is
// new or runs another program. A slot that could not be read loses its PID.
func (s *Scanner) readSlots(ctx context.Context, l *look, which []int32) (last error) {
	for some := range slices.Chunk(which, chunk) {
		errs := make([]error, len(some))
		l.inParallel(len(some), chunk/8, func(r *reader, _, n int) {
			if ctx.Err() == nil {
				errs[n] = s.readSlot(r, &s.slots[some[n]], l.clocks)
			}
		})
		s.describeSome(l, some)
		for n, err := range errs {
			slot := &s.slots[some[n]]
			switch {
			case err == nil:
				s.settle(l.reader, slot)
			case !gone(err):
				l.unread++
				last = err
				fallthrough
			default:
				s.lose(slot)
			}
		}
	}
	return last
}

// describeSome reads the owners and command lines of some processes for which they
// are not known, several at a time.
func (s *Scanner) describeSome(l *look, some []int32) {
	var which []*slot
	for _, i := range some {
		if slot := &s.slots[i]; slot.record != nil && slot.record.undescribed {
			which = append(which, slot)
		}
	}
	parts := slices.Collect(slices.Chunk(which, chunk/8))
	l.inParallel(len(parts), 1, func(r *reader, _, n int) { s.describe(r, parts[n]...) })
	which = slices.DeleteFunc(which, func(slot *slot) bool {
		return slot.record.fresh && !s.options.Selection.DependsOnFolder(&slot.record.process)
	})
	l.inParallel(len(which), chunk/8, func(r *reader, _, n int) { s.addFolder(r, which[n]) })
}

// settle keeps the record of a process met at this look only if it matters by itself.
func (s *Scanner) settle(r *reader, slot *slot) {
	if slot.record == nil || !slot.record.fresh {
		return
	}
	slot.record.fresh = false
	if p := &slot.record.process; !s.options.candidate(p) && !s.options.Selection.Lists(p) {
		s.forget(slot)
		return
	}
	s.addFolder(r, slot)
}

// lose empties a slot.
func (s *Scanner) lose(slot *slot) {
	if slot.record != nil {
		s.drop(slot)
	}
	slot.condition, slot.pid = procstat.Exited, -slot.pid
}

// dropUnread drops the slots that were lost, and reports whether there were any.
func (s *Scanner) dropUnread() bool {
	all := len(s.slots)
	s.slots = slices.DeleteFunc(s.slots, func(s slot) bool { return s.pid < 0 })
	return len(s.slots) < all
}

// appendExited adds the PIDs of processes that this look found exited: their children
// have other parents now.
func (s *Scanner) appendExited(gone, stale []int32) []int32 {
	for _, i := range stale {
		if slot := &s.slots[i]; slot.dead() {
			gone = append(gone, max(slot.pid, -slot.pid))
		}
	}
	slices.Sort(gone)
	return gone
}

// appendMoved adds the slots that this look did not read and whose parent has exited.
func (s *Scanner) appendMoved(moved, gone []int32) []int32 {
	if len(gone) == 0 {
		return moved
	}
	for i := range s.slots {
		slot := &s.slots[i]
		if slot.pid < 0 || slot.kernel || slot.read == s.looks || slot.ppid <= 0 {
			continue
		}
		if _, lost := slices.BinarySearch(gone, slot.ppid); lost {
			moved = append(moved, int32(i))
		}
	}
	return moved
}

func (s *Scanner) parentOf(i int) (int, bool) {
	ppid := int(s.slots[i].ppid)
	if ppid <= 0 {
		return 0, false
	}
	parent, ok := findSlot(s.slots, ppid)
	return parent, ok && parent != i
}

// readSlot reads a process's stat line, and the rest if it may have changed.
func (s *Scanner) readSlot(r *reader, slot *slot, at clocks) error {
	line, err := r.stat(int(slot.pid))
	if err != nil {
		return err
	}
	if slot.read > 0 && slot.start != line.Start { // another process, although the inode of /proc/PID is the same
		*slot = newSlot(entry{number: int(slot.pid), inode: slot.inode})
	}
	known := slot.read > 0
	slot.read, slot.start = s.looks, line.Start
	if slot.kernel = line.IsKernelThread(); slot.kernel {
		return nil
	}
	s.place(slot, &line, known)
	before := slot.take(&line)
	switch {
	case slot.record != nil:
		s.update(slot, &line, at, before.program)
	case known && s.isDescribed(slot):
	case known && slot.dead() && before.condition == procstat.Exited && slot.told > 0:
	default:
		s.meet(slot, &line, at)
	}
	return nil
}

// place notes the parent of a process.
func (s *Scanner) place(slot *slot, line *procstat.Stat, known bool) {
	if known && slot.ppid == int32(line.PPID) {
		return
	}
	slot.adopted = known
	slot.reparented = known && (slot.reparented || slot.record == nil)
	slot.ppid, slot.since = int32(line.PPID), s.looks
	s.moved.Store(true)
}

// meet makes a record of a process, which is to be described.
func (s *Scanner) meet(slot *slot, line *procstat.Stat, at clocks) {
	if slot.record, _ = s.records.Get().(*record); slot.record == nil {
		slot.record = &record{}
	}
	slot.record.fresh = true
	slot.record.process = fromStat(line, at)
	slot.record.process.Reparented = slot.reparented
	if slot.since <= s.units.asOf {
		slot.record.process.Service = s.units.value[int(slot.pid)]
	}
	slot.record.undescribed = s.only == 0 || s.only == int(slot.pid)
}

// update takes over a stat line, and has the process's owner and program read again if
// they may have changed; before is what it ran before.
func (s *Scanner) update(slot *slot, line *procstat.Stat, at clocks, before procstat.Program) {
	record := slot.record
	now, last := fromStat(line, at), &record.process
	now.Service, now.Reparented = last.Service, slot.reparented
	stands := s.isDescribed(slot)
	if stands {
		now.UID, now.Exe, now.Cwd = last.UID, last.Exe, last.Cwd
	}
	if slot.program != 0 && before == slot.program { // it stays if it cannot be read now
		now.Argv, now.ArgvHash = last.Argv, last.ArgvHash
	}
	record.process = now
	record.undescribed = !stands && (s.only == 0 || s.only == now.PID)
}

// known makes a record of a process that turns out to matter, or updates the one from
// an earlier look.
func (s *Scanner) known(r *reader, slot *slot, at clocks) error {
	line, err := r.stat(int(slot.pid))
	if err != nil {
		return err
	}
	if slot.start != line.Start {
		return unix.ESRCH
	}
	slot.read = s.looks
	s.place(slot, &line, true)
	before := slot.take(&line)
	slot.told = 0 // it is read again, however new it is
	if slot.record == nil {
		s.meet(slot, &line, at)
	} else {
		s.update(slot, &line, at, before.program)
	}
	if slot.record.undescribed {
		s.describe(r, slot)
		s.addFolder(r, slot)
	}
	return nil
}

// isRemembered reports that a process was read at an earlier look to which it did not
// matter.
func (s *Scanner) isRemembered(slot *slot) bool {
	if slot.record == nil {
		return true
	}
	return s.only == 0 && slot.told != s.looks && !slot.record.related
}
