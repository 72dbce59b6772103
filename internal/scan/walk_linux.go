package scan

import (
	"math"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
)

// walk reads the descriptors of all other processes, once a look, by PID. When a
// holder is found, it is verified that the PID is still that process's.
func (l *look) walk() {
	if l.links.all {
		return
	}
	l.countTables()
	found := make([][]holder, max(1, l.scanner.workers))
	l.inParallel(len(l.members), 64, func(r *reader, worker, i int) {
		slot, member := l.slot(i), l.members[i]
		if slot.kernel || slot.dead() || member != nil && (member.gone || member.table != nil) {
			return
		}
		var table heldTable
		err := error(unix.EFBIG)
		if len(found[worker]) <= maxLinks {
			table, err = l.tableOfStranger(r, i)
		}
		for _, link := range table.links {
			found[worker] = append(found[worker], holder{descriptor: link, member: i})
		}
		switch {
		case member == nil && err != nil && !gone(err):
			l.countUnread(slot)
		case member == nil:
		case err == nil:
			member.process.OpenFDs = inventory.Known(table.count)
		case !gone(err):
			member.process.OpenFDs = inventory.Unreadable[int]()
		}
	})
	for _, links := range found {
		l.links.add(links...)
	}
	l.links.settle()
	l.links.all = true
	l.scanner.walked = l.scanner.looks
}

// heldTable is the descriptor table of a process that no look had to do with: the
// number of descriptors, and those that have, or may have, another end.
type heldTable struct {
	count int
	links []descriptor
}

// maxKeptLinks bounds how many links are kept of all such tables together: 4 MiB.
const maxKeptLinks = 1 << 18

// tableOfStranger is the descriptor table of a process that this look has not read.
// The entries that only the process itself can change are kept while it has not run.
func (l *look) tableOfStranger(r *reader, i int) (heldTable, error) {
	s, slot := l.scanner, l.slot(i)
	ran := l.ranSoFar(int(slot.pid))
	if ran != 0 && slot.table != nil && slot.table.stands(ran, s.looks) {
		return slot.table.value, nil
	}
	s.dropTable(slot)
	links, count, err := r.appendLinks(r.links[:0], r.root, l.fdDirectory(r, slot), i)
	r.links = links
	if err != nil {
		return heldTable{}, err
	}
	table := heldTable{count: count, links: make([]descriptor, len(links))}
	for at := range links {
		table.links[at] = links[at].descriptor
	}
	if ran != 0 && s.keptLinks.Add(int64(len(links))) <= maxKeptLinks {
		slot.table = &cached[int64, heldTable]{}
		slot.table.keep(ran, table, s.looks, l.untilTurn(i, redescribing))
	}
	return table, nil
}

// ranSoFar is the processor time of a process in ns; 0 if that does not show whether
// it has run.
func (l *look) ranSoFar(pid int) int64 {
	if !l.sameNumbers || !l.scanner.stable || !l.scanner.clocked {
		return 0
	}
	return int64(processorTime(pid))
}

// countTables adds up how many links are kept.
func (l *look) countTables() {
	count := 0
	for i := range l.members {
		if table := l.slot(i).table; table != nil {
			count += len(table.value.links)
		}
	}
	l.scanner.keptLinks.Store(int64(count))
}

// dropTable drops a process's kept descriptors.
func (s *Scanner) dropTable(slot *slot) {
	if slot.table != nil {
		s.keptLinks.Add(-int64(len(slot.table.value.links)))
		slot.table = nil
	}
}

// dropTables drops all kept descriptors once no look needs them any more.
func (s *Scanner) dropTables() {
	if s.walked == 0 || s.looks-s.walked < rolling {
		return
	}
	for i := range s.slots {
		s.dropTable(&s.slots[i])
	}
	s.walked = 0
}

// countUnread counts an unlisted process whose descriptors could not be read: it may
// hold anything.
func (l *look) countUnread(s *slot) {
	l.unlisted.all.Add(1)
	if s.uid != -1 && s.uid != int32(l.host.UID.Or(0)) {
		l.unlisted.others.Add(1)
	}
}

// maxDescriptors is how many descriptors of one process are examined, maxLinks how many
// of all processes one goroutine of a walk keeps. A process may open a million: one
// beyond a limit may hold anything.
const (
	maxDescriptors = 1 << 16
	maxLinks       = 1 << 20
)

// appendLinks adds the descriptors in a directory that have, or may have, another
// end, and returns how many descriptors there are.
func (r *reader) appendLinks(to []holder, from int, directory string, member int) ([]holder, int, error) {
	dir, err := unix.Openat(from, directory, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return to, 0, err
	}
	defer unix.Close(dir)
	r.entries, err = r.appendEntries(r.entries[:0], dir)
	if err == nil && len(r.entries) > maxDescriptors {
		r.entries, err = nil, unix.EFBIG
	}
	if err != nil {
		return to, 0, err
	}
	for _, open := range r.entries {
		link, err := r.readlinkNumbered(dir, open.number, "")
		if err != nil && !gone(err) {
			return to, 0, err
		}
		kind, key := parseLink(link)
		if err == nil && kind != linkOther && open.number <= math.MaxInt32 {
			to = append(to, holder{descriptor: descriptor{fd: int32(open.number), kind: kind, key: key}, member: member})
		}
	}
	return to, len(r.entries), nil
}
