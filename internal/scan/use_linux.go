package scan

import (
	"cmp"
	"iter"
	"slices"

	"github.com/reaperd/reaperd/internal/inventory"
)

// readConnections finds out of each related process whether it listens, and how many
// connections come from outside its tree. PID 1 counts only as a candidate.
func (l *look) readConnections() {
	for i, member := range l.members {
		if member == nil || !member.related || member.gone || !member.process.Alive() || !l.matters(i) {
			continue
		}
		l.readUse(i, &member.process)
	}
}

// hasDisplay finds out whether one of these sockets leads to a display. What a parent has
// too, its child was only started with.
func (l *look) hasDisplay(i int, h *handle, inodes []uint64) inventory.Fact[bool] {
	all, err := l.net.of(h)
	if err != nil {
		return inventory.Unreadable[bool]()
	}
	var inherited []uint64
	if parent, ok := l.parent(i); ok && l.members[parent] != nil {
		inherited = l.tableOf(parent).sockets()
	}
	return inventory.Known(slices.ContainsFunc(inodes, func(inode uint64) bool {
		return all.isToDisplay(inode) && !slices.Contains(inherited, inode)
	}))
}

// readUse finds out whether a process listens, where, and who is connected to it.
func (l *look) readUse(i int, p *inventory.Process) {
	table := l.tableOf(i)
	if table.dead {
		return
	}
	p.Listening, p.Connections = inventory.Known(false), inventory.Known(0)
	inodes := table.sockets()
	switch {
	case table.err != nil:
		p.Listening, p.Connections = inventory.Unreadable[bool](), inventory.Unreadable[int]()
	case len(inodes) > 0:
		l.readListeners(i, p, inodes)
	}
}

func (l *look) readListeners(i int, p *inventory.Process, inodes []uint64) {
	h, err := l.open(l.reader, i)
	if err != nil { // it has exited: nothing is recorded
		p.Listening, p.Connections = inventory.Fact[bool]{}, inventory.Fact[int]{}
		return
	}
	defer h.close()
	datagrams, failed := l.receives(i, h, inodes)
	all, err := l.net.listenersOf(h)
	err = cmp.Or(err, failed)
	if member := l.members[i]; err == nil && all.displays && member.whole && member.nearest != i {
		p.Display = l.hasDisplay(i, h, inodes)
	}
	if err == nil && !datagrams && all.listening(inodes).none() {
		return
	}
	if err == nil {
		all, err = l.net.of(h)
	}
	if err != nil {
		p.Listening, p.Connections = inventory.Unreadable[bool](), inventory.Unreadable[int]()
		return
	}
	at := all.listening(inodes)
	at.datagrams = at.datagrams || datagrams
	if at.none() { // it has closed it meanwhile
		return
	}
	p.Listening, p.ListenPorts = inventory.Known(true), at.ports()
	ours := treeSockets(l, i, len(l.members))
	count, known := all.connections(at, func(inode uint64) bool { return ours[inode] })
	if p.Connections = inventory.Known(count); !known {
		p.Connections = inventory.Unreadable[int]()
	}
}

// receives reports that a process receives datagrams from anybody.
func (l *look) receives(i int, h *handle, inodes []uint64) (bool, error) {
	known := l.members[i].still
	if known.receives.IsKnown() {
		return known.receives.Or(false), nil
	}
	all, err := l.net.receiversOf(h)
	if err == nil {
		known.receives = inventory.Known(all.listening(inodes).datagrams)
	}
	return known.receives.Or(false), err
}

func (l *look) stdin(i int) inventory.Fact[inventory.Stdio] {
	if l.members[i] == nil {
		return inventory.Fact[inventory.Stdio]{}
	}
	return l.members[i].process.Stdin
}

func (l *look) sockets(i int) iter.Seq[uint64] { return slices.Values(l.tableOf(i).sockets()) }

func (l *look) at(i int) *standing { return &l.list(i).standing }

func (l *look) appendChildren(to []int, i int) []int {
	return slices.AppendSeq(to, l.scanner.below.of(i))
}

// tableOf is a process's descriptors; they are read at the first call.
func (l *look) tableOf(i int) *descriptors {
	member := l.list(i)
	if member.table != nil {
		return member.table
	}
	h, err := l.open(l.reader, i)
	if err != nil {
		member.table = unreadTable(err)
		return member.table
	}
	defer h.close()
	member.still = l.still(i, rolling)
	member.table = l.table(member.still, h.descriptors)
	member.process.OpenFDs = member.table.openFDs(h.dead)
	return member.table
}
