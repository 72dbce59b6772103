package scan

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// walk reads everything that all processes have open, once a look. What of a process is
// read by PID counts only if the PID is still that process's when it is found to hold
// something.
func (l *look) walk() {
	if l.links.all {
		return
	}
	found := make([][]holder, max(1, l.scanner.workers))
	l.inParallel(len(l.members), 64, func(r *reader, worker, i int) {
		member, table := l.members[i], &descriptors{err: unix.EFBIG}
		switch slot := l.slot(i); {
		case slot.kernel || slot.dead() || member != nil && member.gone:
			return
		case member != nil && member.table != nil:
			table = member.table
		case len(found[worker]) <= maxLinks:
			table = l.tableOfStranger(r, i)
		}
		if l.addThreads(r, i, table) != nil {
			l.hide(i)
		}
		from := 0
		if member != nil {
			from = member.indexed
		}
		for at := from; at < len(table.links); at++ {
			found[worker] = append(found[worker], holder{descriptor: table.links[at], member: i, of: &table.links[at]})
		}
	})
	for _, links := range found {
		l.links.add(links...)
	}
	l.links.settle()
	l.links.all = true
	l.scanner.walked = l.scanner.looks
	l.readQueues()
}

// hide notes that a process may hold more than could be read of it.
func (l *look) hide(i int) {
	if member := l.members[i]; member != nil {
		member.hides = true
		return
	}
	slot := l.slot(i)
	l.unlisted.all.Add(1)
	if slot.uid != -1 && slot.uid != int32(l.host.UID.Or(0)) {
		l.unlisted.others.Add(1)
	}
}

// tableOfStranger is the table of a process that this look has not read.
func (l *look) tableOfStranger(r *reader, i int) *descriptors {
	slot := l.slot(i)
	table := l.table(l.still(i, l.untilTurn(i, redescribing)), func() *descriptors {
		return r.descriptors(r.root, r.living(slot)+"/fd")
	})
	if member := l.members[i]; member != nil {
		member.process.OpenFDs = table.openFDs(false)
	}
	return table
}

// maxKeptLinks bounds how many links are kept of all tables together: 4 MiB.
const maxKeptLinks = 1 << 18

// table is a process's own table, kept as long as not too much is.
func (l *look) table(known *still, read func() *descriptors) *descriptors {
	if known.table != nil {
		return known.table
	}
	table := read()
	if !table.dead && cmp.Or(table.err, table.rings) == nil && l.scanner.keptLinks.Add(int64(len(table.links))) <= maxKeptLinks {
		known.table = table
	}
	return table
}

// ranSoFar is the processor time of a process in ns; 0 if that does not show whether
// it has run.
func (l *look) ranSoFar(pid int) int64 {
	if !l.sameNumbers || !l.scanner.stable || !l.scanner.clocked {
		return 0
	}
	return int64(processorTime(pid))
}

// maxDescriptors is how many descriptors of one process are examined, maxLinks how many
// of all processes one goroutine of a walk keeps. A process may open a million: one
// beyond a limit may hold anything.
const (
	maxDescriptors = 1 << 16
	maxLinks       = 1 << 20
)

// descriptors reads a table of descriptors, which is a folder.
func (r *reader) descriptors(from int, folder string) *descriptors {
	dir, err := unix.Openat(from, folder, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return unreadTable(err)
	}
	defer unix.Close(dir)
	r.entries, err = r.appendEntries(r.entries[:0], dir)
	if err == nil && len(r.entries) > maxDescriptors {
		r.entries, err = nil, unix.EFBIG
	}
	if err != nil {
		return unreadTable(err)
	}
	r.links = r.links[:0]
	table := &descriptors{count: len(r.entries)}
	for _, open := range r.entries {
		link, err := r.readlinkNumbered(dir, open.number, "")
		if err != nil && !gone(err) {
			return unreadTable(err)
		}
		switch kind, key := parseLink(link); {
		case err != nil || kind == linkOther || open.number > math.MaxInt32:
		case kind == linkRing:
			table.rings = cmp.Or(table.rings, r.addRing(from, folder+"info/"+strconv.Itoa(open.number)))
		default:
			r.links = append(r.links, descriptor{fd: int32(open.number), kind: kind, key: key})
		}
	}
	table.links = slices.Clone(r.links)
	return table
}

// addRing adds what is registered with an io_uring. The kernel does not tell that while the
// ring is locked, which takes a moment.
func (r *reader) addRing(from int, fdinfo string) error {
	for range 16 {
		data, err := r.whole(from, fdinfo)
		if err != nil {
			return err
		}
		if links, told := parseRing(data); told {
			r.links = append(r.links, links...)
			return nil
		}
	}
	return unix.EBUSY
}

// unreadTable is a table that could not be read. A process that has exited holds
// nothing.
func unreadTable(err error) *descriptors {
	if gone(err) {
		return &descriptors{dead: true}
	}
	return &descriptors{err: err}
}
