package scan

import "github.com/reaperd/reaperd/internal/inventory"

// readClients tells for everything related whether it listens, and how many
// connections from outside its tree there are. PID 1 matters only as a candidate.
func (l *look) readClients() {
	for i, member := range l.members {
		if member == nil || !member.related || member.gone || !member.process.Alive() || !l.matters(i) {
			continue
		}
		l.readUse(i, &member.process)
	}
}

// readUse tells whether a process listens, where, and who is connected to it.
func (l *look) readUse(i int, p *inventory.Process) {
	table := l.tableOf(i)
	if table.dead {
		return
	}
	p.Listening, p.Clients = inventory.Known(false), inventory.Known(0)
	inodes := table.sockets()
	switch {
	case table.err != nil:
		p.Listening, p.Clients = inventory.Unreadable[bool](), inventory.Unreadable[int]()
	case len(inodes) > 0:
		l.readListeners(i, p, inodes)
	}
}

func (l *look) readListeners(i int, p *inventory.Process, inodes []uint64) {
	h, err := l.open(l.reader, i)
	if err != nil { // it has ended: nothing is recorded
		p.Listening, p.Clients = inventory.Fact[bool]{}, inventory.Fact[int]{}
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
		p.Listening, p.Clients = inventory.Unreadable[bool](), inventory.Unreadable[int]()
		return
	}
	at := all.listening(inodes)
	if at.none() { // it has closed it meanwhile
		return
	}
	p.Listening, p.ListenPorts = inventory.Known(true), at.ports()
	ours := l.treeSockets(i)
	count, known := all.clients(at, func(inode uint64) bool { return ours[inode] })
	if p.Clients = inventory.Known(count); !known {
		p.Clients = inventory.Unreadable[int]()
	}
}

// treeSockets are the sockets of the tree a process belongs to: from the
// candidate at or above it (itself if there is none) up while the parent has
// the same stdin, and all that is below there.
func (l *look) treeSockets(i int) map[uint64]bool {
	root := i
	if nearest := l.members[i].nearest; nearest >= 0 {
		root = nearest
	}
	for range l.members { // no more steps than processes, whatever the PPIDs say
		parent, ok := l.parent(root)
		if !ok || !l.sameStdin(root, parent) {
			break
		}
		root = parent
	}
	top := l.members[root]
	if top.sockets == nil {
		top.sockets = map[uint64]bool{}
		l.addSockets(root, top.sockets, map[int]bool{})
	}
	return top.sockets
}

func (l *look) sameStdin(a, b int) bool {
	if l.members[b] == nil {
		return false
	}
	mine, known := l.members[a].process.Stdin.Get()
	its, alsoKnown := l.members[b].process.Stdin.Get()
	return known && alsoKnown && mine.Connected() && mine.ID == its.ID
}

func (l *look) addSockets(i int, into map[uint64]bool, seen map[int]bool) {
	if seen[i] {
		return
	}
	seen[i] = true
	for _, inode := range l.tableOf(i).sockets() {
		into[inode] = true
	}
	for child := range l.scanner.below.of(i) {
		l.addSockets(child, into, seen)
	}
}

// tableOf reads a process's descriptors where nothing has needed them so far.
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
