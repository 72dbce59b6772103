package scan

import (
	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/inventory"
)

// gather reads everything related to the candidates: parents of related processes are
// related, and so are the holders of the other ends of their stdin and stdout. It
// repeats until none is added.
func (l *look) gather() {
	for len(l.queue) > 0 {
		var read []int
		for len(l.queue) > 0 {
			batch := l.queue
			l.queue = nil
			l.readAll(batch)
			read = append(read, batch...)
		}
		l.addTables(read)
		for _, i := range read {
			l.attachHolders(i)
		}
		for _, i := range read {
			l.attachOthers(i)
		}
		for _, i := range read {
			l.listAround(i)
		}
	}
	l.listAbove()
	l.listZombies()
}

// listAbove lists the ancestors of the listed processes.
func (l *look) listAbove() {
	for i := range l.members {
		if l.members[i] == nil {
			continue
		}
		for above := range l.above(i) {
			if l.members[above] != nil {
				break
			}
			l.list(above)
		}
	}
}

// listAround lists processes that may be in one tree with a related process, although
// they are neither above it nor below a candidate: the tree of a parent with the same
// stdin (a wrapper), and that of a neighbour in a pipeline.
func (l *look) listAround(i int) {
	if l.members[i].gone {
		return
	}
	slot := l.slot(i)
	if parent, ok := l.parent(i); ok && slot.ppid != 1 && l.mayShareStdin(i, parent) {
		l.listTree(parent)
	}
	member := l.members[i]
	for _, stream := range []*stream{&member.stdin, &member.stdout} {
		for _, holder := range l.holdersOf(stream).members {
			if holder != i && l.slot(holder).ppid == slot.ppid {
				l.listTree(holder)
			}
		}
	}
}

// mayShareStdin reports that two processes have the same stdin, or that this cannot
// be told.
func (l *look) mayShareStdin(a, b int) bool {
	if l.members[b] == nil {
		return true
	}
	mine, known := l.members[a].process.Stdin.Get()
	its, alsoKnown := l.members[b].process.Stdin.Get()
	if !known || !alsoKnown || mine.Kind == inventory.KindUnknown || its.Kind == inventory.KindUnknown {
		return true
	}
	return mine.Connected() && mine.ID == its.ID
}

// listZombies lists the dead children of listed processes.
func (l *look) listZombies() {
	for i := range l.members {
		if slot := l.slot(i); !slot.dead() || slot.kernel || l.members[i] != nil {
			continue
		}
		if parent, ok := l.parent(i); ok && l.members[parent] != nil {
			l.list(i)
		}
	}
}

// maxPSS is how many processes a look asks for their proportional set size. The
// kernel walks page tables for each.
const maxPSS = 300

// readAll reads related processes in parallel, and relates their parents.
func (l *look) readAll(batch []int) {
	if l.copies == nil {
		l.copies = l.countCopies()
	}
	for _, i := range batch {
		member := l.members[i]
		if member.pss = member.whole && l.pss < maxPSS; member.pss {
			l.pss++
		}
	}
	l.inParallel(len(batch), 8, func(r *reader, _, n int) { l.read(r, batch[n]) })
	for _, i := range batch {
		member := l.members[i]
		member.process.User = l.scanner.users.name(member.process.UID.Or(-1))
		if parent, ok := l.parent(i); ok && !member.gone {
			l.relate(parent)
		}
	}
}

// countCopies counts the processes that run the same file as a listed one: they share its
// pages, those too that nothing lists.
func (l *look) countCopies() map[uint32]int {
	copies := map[uint32]int{}
	for i, m := range l.members {
		if m != nil {
			copies[l.slot(i).file] = 0
		}
	}
	delete(copies, 0)
	for i := range l.scanner.slots {
		slot := l.slot(i)
		if n, counts := copies[slot.file]; counts && !slot.dead() {
			copies[slot.file] = n + 1
		}
	}
	return copies
}

// read reads one related process through a handle.
func (l *look) read(r *reader, i int) {
	member := l.members[i]
	if member.gone {
		return
	}
	h, err := l.open(r, i)
	process := &member.process
	if err != nil {
		member.gone = gone(err)
		process.Stdin, process.Stdout = inventory.Unreadable[inventory.Stdio](), inventory.Unreadable[inventory.Stdio]()
		return
	}
	defer h.close()
	at := l.placeOf(i, h)
	process.Cgroup, process.ContainerID, process.UserNamespace, process.PIDNamespace = at.cgroup, at.container, at.user, at.pid
	member.still = l.still(i, rolling)
	if l.matters(i) {
		member.table = l.table(member.still, h.descriptors)
		process.OpenFDs = member.table.openFDs(h.dead)
	}
	if h.dead {
		return
	}
	member.stdin, member.stdout = h.stream(readEnd(0), member.table, l.net), h.stream(writeEnd(1), member.table, l.net)
	process.Stdin, process.Stdout = member.stdin.stdio, member.stdout.stdio
	if process.TTYUsedAt = member.stdin.used; process.TTYUsedAt.IsZero() {
		process.TTYUsedAt = member.stdout.used
	}
	if member.whole {
		l.readWhole(i, h)
	}
	if member.silent {
		// It may ask to be kept, so nothing may follow from its streams.
		unknown := stream{stdio: inventory.Unreadable[inventory.Stdio]()}
		member.stdin, member.stdout = unknown, unknown
		process.Stdin, process.Stdout = unknown.stdio, unknown.stdio
	}
}

// matters reports a process of which more is read than stdin and stdout. PID 1 is
// everybody's ancestor and has many descriptors: it matters only as a candidate.
func (l *look) matters(i int) bool { return l.slot(i).pid != 1 || l.members[i].whole }

// open opens a member as it is now: facts that this look took from a cache are read
// again.
func (l *look) open(r *reader, i int) (*handle, error) {
	member, slot := l.members[i], l.slot(i)
	if l.scanner.isRemembered(slot) {
		if err := l.scanner.known(r, slot, l.clocks); err != nil {
			return nil, err
		}
		member.process = slot.record.process
	}
	return r.open(slot, l.scanner.stable, l.sameNumbers)
}

// readWhole reads the facts of candidates and of processes below one.
func (l *look) readWhole(i int, h *handle) {
	member := l.members[i]
	process := &member.process
	process.Env = l.environment(i, h)
	process.IOChars = member.still.ioChars(h)
	process.MemoryBytes, process.MemoryKind = l.memory(i, h)
	if line, _, ok := cmdline.ReadContainerRun(process.Args()); ok && line.CIDFile != "" {
		process.ContainerFile = l.containerFile(member, h, line.CIDFile)
	}
}

// containerFile is what [handle.containerFile] reads, through a handle of its own: a
// file system that never answers may block it for ever.
func (l *look) containerFile(m *member, h *handle, file string) string {
	uid, known := m.process.UID.Get()
	if !known {
		return ""
	}
	id, _ := asked(l.scanner.patience, question{of: m.process.ID(), uid: uid, dir: h.dir, path: "."}, func(r *reader, dir int) string {
		return (&handle{r: r, dir: dir, below: h.below}).containerFile(file, uid)
	})
	return id
}

// question asks for a file of a process that the process can make block for ever.
func (h *handle) question(m *member, file string) question {
	return question{of: m.process.ID(), uid: m.process.UID.Or(-1), dir: h.dir, path: h.below + file}
}

// openFDs is the number of descriptors; a zombie has none to count.
func (d *descriptors) openFDs(dead bool) inventory.Fact[int] {
	switch {
	case dead || d.dead:
		return inventory.Fact[int]{}
	case d.err != nil:
		return inventory.Unreadable[int]()
	}
	return inventory.Known(d.count)
}
