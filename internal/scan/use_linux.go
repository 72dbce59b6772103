package scan

import (
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
	all, err := l.net.listenersOf(h)
	if err == nil && all.listening(inodes).none() {
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
	if at.none() { // it has closed it meanwhile
		return
	}
	p.Listening, p.ListenPorts = inventory.Known(true), at.ports()
	ours := l.treeSockets(i)
	count, known := all.connections(at, func(inode uint64) bool { return ours[inode] })
	if p.Connections = inventory.Known(count); !known {
		p.Connections = inventory.Unreadable[int]()
	}
}

// treeSockets are the sockets of the tree a process belongs to: of the root above
// the candidate at or above it (itself if there is none), and of all below that.
func (l *look) treeSockets(i int) map[uint64]bool {
	if nearest := l.members[i].nearest; nearest >= 0 {
		i = nearest
	}
	root := rootAbove(l, i, len(l.members))
	top := l.members[root]
	if top.sockets == nil {
		top.sockets = socketsBelow(l, root)
	}
	return top.sockets
}

func (l *look) stdin(i int) inventory.Fact[inventory.Stdio] {
	if l.members[i] == nil {
		return inventory.Fact[inventory.Stdio]{}
	}
	return l.members[i].process.Stdin
}

func (l *look) sockets(i int) iter.Seq[uint64] { return slices.Values(l.tableOf(i).sockets()) }

func (l *look) children(i int) iter.Seq[int] { return l.scanner.below.of(i) }

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
	member.table = h.descriptors()
	member.process.OpenFDs = member.table.openFDs(h.dead)
	return member.table
}
