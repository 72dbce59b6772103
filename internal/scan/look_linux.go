package scan

import (
	"iter"
	"slices"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
)

// look is one look at the table while it is being made.
type look struct {
	scanner *Scanner
	reader  *reader
	net     *netReader
	host    inventory.Host
	clocks  clocks
	// complete asks for every holder of an open end, whoever holds it.
	complete bool

	processes []inventory.Process // sorted by PID
	members   []member            // what the look knows of each
	pids      []int
	below     children
	queue     []int // related, and not read yet
	links     index
	outside   map[end]uint64 // as the scanner's; only what this look asked for
	pss       int            // how many may be asked for their proportional size
	// containers are those found by mount namespace; "" is none.
	containers   map[uint64]string
	containersMu sync.Mutex

	unread     int // processes that are listed and could not be read
	complaints []string
	gaps       []inventory.Gap // what each complaint is about
}

// member is one process of the look.
type member struct {
	process  *inventory.Process
	slot     int
	whole    bool // a candidate, or below one
	nearest  int  // the candidate at or above it that is nearest; -1 is none
	related  bool // its stdin and stdout matter
	gone     bool // it ended while it was being read
	holds    bool // it has the other end of some related stream
	pss      bool // its proportional size may be asked for
	anchored answer

	stdin, stdout stream
	table         *descriptors
	tree          map[uint64]bool // sockets of the tree it is the root of
}

// maxPSS is how many processes a look asks for their proportional set size,
// which makes the kernel walk their page tables.
const maxPSS = 300

func (s *Scanner) newLook() *look {
	if s.room.reader == nil {
		s.room = room{reader: newReader(s.root), replies: make([]byte, 64<<10)}
	}
	r := s.room.reader
	return &look{
		scanner: s, reader: r, net: newNetReader(s.room.replies), host: r.host(), clocks: readClocks(),
		complete: !s.stable, containers: map[uint64]string{}, outside: map[end]uint64{},
	}
}

func (l *look) close() {
	l.net.close()
	clear(l.members) // what was read is not to be kept alive
	room := &l.scanner.room
	room.members, room.pids = l.members[:0], l.pids[:0]
	if len(room.reader.buf) > largestKept {
		room.reader = newReader(l.scanner.root)
	}
}

// largestKept is how large a buffer may be, in bytes, that is kept for the next
// look: one huge argument vector is no reason to hold its size for months.
const largestKept = 256 << 10

func (l *look) complain(gap inventory.Gap, reason string) {
	l.gaps, l.complaints = append(l.gaps, gap), append(l.complaints, reason)
}

// begin takes the processes over from the slots, finds the candidates, and
// relates what is to be read with them.
func (l *look) begin() {
	l.takeOver()
	l.below = childrenOf(len(l.members), l.parent)
	for i := range l.members {
		if l.scanner.options.candidate(l.members[i].process) {
			l.members[i].nearest = i
		}
	}
	for i := range l.members {
		if l.members[i].nearest == i {
			l.takeWhole(i)
		}
	}
	for i := range l.members {
		if l.slot(i).holds {
			l.relate(i)
		}
	}
}

// takeOver copies the processes: what is handed out belongs to the caller.
func (l *look) takeOver() {
	s := l.scanner
	l.processes = make([]inventory.Process, 0, len(s.slots))
	l.members = slices.Grow(s.room.members, len(s.slots))
	l.pids = slices.Grow(s.room.pids, len(s.slots))
	for i := range s.slots {
		slot := &s.slots[i]
		if slot.kernel {
			continue
		}
		l.processes = append(l.processes, slot.process) // never grows: pointers into it hold
		process := &l.processes[len(l.processes)-1]
		process.User = s.userName(process.UID.Or(-1))
		if slot.read != s.looks { // figures of an earlier look are none of this one
			process.CPUSeconds, process.RSSBytes = inventory.Fact[float64]{}, inventory.Fact[uint64]{}
		}
		l.members = append(l.members, member{process: process, slot: i, nearest: -1})
		l.pids = append(l.pids, process.PID)
	}
}

func (l *look) slot(i int) *slot { return &l.scanner.slots[l.members[i].slot] }

func (l *look) find(pid int) (int, bool) { return slices.BinarySearch(l.pids, pid) }

func (l *look) parent(i int) (int, bool) {
	ppid := l.members[i].process.PPID.Or(0)
	if ppid <= 0 {
		return 0, false
	}
	parent, ok := l.find(ppid)
	return parent, ok && parent != i
}

// children are the children of each member, as lists through the siblings. 0
// ends a list; other numbers are an index and one.
type children struct{ first, next []int32 }

func childrenOf(n int, parent func(int) (int, bool)) children {
	c := children{first: make([]int32, n), next: make([]int32, n)}
	for i := n - 1; i >= 0; i-- { // so that lists ascend
		if above, ok := parent(i); ok {
			c.next[i], c.first[above] = c.first[above], int32(i+1)
		}
	}
	return c
}

func (c children) of(i int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for at := c.first[i]; at != 0; at = c.next[at-1] {
			if !yield(int(at - 1)) {
				return
			}
		}
	}
}

// takeWhole marks a candidate and everything below it for reading whole. A
// nearer candidate's tree is its own.
func (l *look) takeWhole(candidate int) {
	todo := []int{candidate}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		member := &l.members[i]
		if member.nearest >= 0 && member.nearest != candidate || member.whole {
			continue
		}
		member.whole, member.nearest = true, candidate
		l.relate(i)
		todo = slices.AppendSeq(todo, l.below.of(i))
	}
}

// relate notes that a process's stdin and stdout matter.
func (l *look) relate(i int) {
	if !l.members[i].related {
		l.members[i].related = true
		l.queue = append(l.queue, i)
	}
}

// gather reads what matters to the candidates, to a fix-point: what stands
// above a related process is related too, and so is whoever holds the other
// end of its stdin or stdout.
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
	}
}

// readAll reads related processes side by side, and relates their parents.
func (l *look) readAll(batch []int) {
	for _, i := range batch {
		member := &l.members[i]
		if member.pss = member.whole && l.pss < maxPSS; member.pss {
			l.pss++
		}
	}
	l.inParallel(len(batch), 8, func(r *reader, _, n int) { l.read(r, batch[n]) })
	for _, i := range batch {
		member := &l.members[i]
		member.process.User = l.scanner.userName(member.process.UID.Or(-1))
		if parent, ok := l.parent(i); ok && !member.gone {
			l.relate(parent)
		}
	}
}

// read reads one related process through a handle.
func (l *look) read(r *reader, i int) {
	member := &l.members[i]
	h, err := l.open(r, i)
	process := member.process
	if err != nil {
		member.gone = gone(err)
		process.Stdin, process.Stdout = inventory.Unreadable[inventory.Stdio](), inventory.Unreadable[inventory.Stdio]()
		return
	}
	defer h.close()
	at := l.placeOf(i, h)
	process.Cgroup, process.ContainerID = at.cgroup, at.container
	idle := l.idleOf(i, h)
	if l.matters(member) {
		member.table = idle.descriptorsOf(h)
		process.OpenFDs = member.table.openFDs(h.dead)
	}
	if h.dead {
		return
	}
	member.stdin, member.stdout = h.stream(stdinDirection(), idle, l.net), h.stream(stdoutDirection(), idle, l.net)
	process.Stdin, process.Stdout = member.stdin.stdio, member.stdout.stdio
	if process.TTYUsedAt = member.stdin.used; process.TTYUsedAt.IsZero() {
		process.TTYUsedAt = member.stdout.used
	}
	if member.whole {
		l.readWhole(member, h, idle)
	}
	if process.Env == nil && member.whole && l.scanner.patience.isUnknown(process.ID(), process.UID.Or(-1)) {
		// It may wish to be kept: nothing is concluded from its streams.
		unknown := stream{stdio: inventory.Unreadable[inventory.Stdio]()}
		member.stdin, member.stdout = unknown, unknown
		process.Stdin, process.Stdout = unknown.stdio, unknown.stdio
	}
}

// matters tells what of a related process is asked beyond its own stdin and
// stdout. PID 1 is everybody's ancestor and nobody's server: it has many
// descriptors, and matters only where it is a candidate.
func (l *look) matters(m *member) bool { return m.process.PID != 1 || m.whole }

// open takes hold of a member, as it is now: what this look has taken from
// memory is read again.
func (l *look) open(r *reader, i int) (*handle, error) {
	member, slot := &l.members[i], l.slot(i)
	if l.scanner.isRemembered(slot) {
		slot.described = 0 // no matter how old
		if err := l.scanner.readSlot(r, slot, l.clocks); err != nil {
			return nil, err
		}
		if slot.process.ID() != member.process.ID() {
			return nil, unix.ESRCH
		}
		*member.process = slot.process
	}
	if l.scanner.stable {
		return r.openSlot(slot, l.sameNumbers())
	}
	return r.open(member.process.ID(), l.sameNumbers())
}

// place is a process's cgroup and container, as of the look at which all of it
// was read; 0 is never.
type place struct {
	cgroup, container string
	described         uint64
}

// placeOf is where a process stands: read as often as what it runs.
func (l *look) placeOf(i int, h *handle) place {
	slot := l.slot(i)
	if slot.described == 0 || slot.place.described != slot.described {
		cgroup, container := l.place(h)
		slot.place = place{cgroup, container, slot.described}
	}
	return slot.place
}

// place reads a process's cgroup and container. Where its cgroup namespace
// shows nothing, the mounts of its mount namespace may.
func (l *look) place(h *handle) (cgroup, container string) {
	cgroup, container = cgroupOf(h.line("cgroup"))
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
		mounts, _ := h.text("mountinfo")
		container = containerInMounts(mounts)
		l.containers[space] = container
	}
	return cgroup, container
}

func (l *look) readWhole(m *member, h *handle, idle *idle) {
	process := m.process
	process.Env = l.environment(m, h)
	process.IOChars = idle.ioChars(h)
	process.MemoryBytes, process.MemoryKind = l.memory(m, h)
	if file := cidfileArgument(process.Args()); file != "" {
		process.ContainerFile = l.containerFile(m, h, file)
	}
}

// containerFile is what [handle.containerFile] reads, through a handle of its
// own: a file system that never answers may keep it for ever.
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

// question asks for a file of a process that the process can make wait for ever.
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

// environment is what a process was started with: read once a program.
func (l *look) environment(m *member, h *handle) map[string]string {
	slot := &l.scanner.slots[m.slot]
	if slot.markers == nil || slot.markersOf != slot.image || slot.image == (image{}) {
		slot.markers, _ = asked(l.scanner.patience, h.question(m, "environ"), func(r *reader, fd int) map[string]string {
			found, _ := r.environment(fd) // an environment that cannot be read is none that is known
			return found
		})
		slot.markersOf = slot.image
	}
	return slot.markers
}

// memory is the proportional size where that can be asked for. It costs the
// kernel milliseconds for a large process, so that a figure stands while it is
// good to a sixteenth (see footprint).
func (l *look) memory(m *member, h *handle) (inventory.Fact[uint64], string) {
	slot, rss := &l.scanner.slots[m.slot], m.process.RSSBytes
	resident, known := rss.Get()
	due := (l.scanner.looks+uint64(m.process.PID))%rolling == 0
	if known && !due && slot.footprint.stands(resident) {
		return inventory.Known(slot.footprint.pss), "pss"
	}
	slot.footprint = footprint{}
	if m.pss {
		size := h.question(m, "smaps_rollup")
		size.size = true
		if bytes, _ := asked(l.scanner.patience, size, (*reader).pss); bytes > 0 {
			slot.footprint = footprint{pss: bytes, resident: resident}
			return inventory.Known(bytes), "pss"
		}
	}
	return rss, "rss"
}

// footprint is a proportional set size with the resident set size at that
// time, both in bytes. The zero value is none.
type footprint struct{ pss, resident uint64 }

// stands tells whether a process is still as large as it was, to a sixteenth.
func (f footprint) stands(resident uint64) bool {
	return f.resident > 0 && max(resident, f.resident)-min(resident, f.resident) <= f.resident/16
}

// sameNumbers tells whether PIDs in the table are those of system calls.
func (l *look) sameNumbers() bool { return l.host.SelfPID == unix.Getpid() }

// readClients tells for everything related whether it listens, and how many
// connections from outside its tree there are. PID 1 matters only as a candidate.
func (l *look) readClients() {
	for i := range l.members {
		member := &l.members[i]
		if !member.related || member.gone || !member.process.Alive() || !l.matters(member) {
			continue
		}
		l.readUse(i, member.process)
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
	top := &l.members[root]
	if top.tree == nil {
		top.tree = map[uint64]bool{}
		l.addSockets(root, top.tree, map[int]bool{})
	}
	return top.tree
}

func (l *look) sameStdin(a, b int) bool {
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
	for child := range l.below.of(i) {
		l.addSockets(child, into, seen)
	}
}

// tableOf reads a member's descriptors where nothing has needed them so far.
func (l *look) tableOf(i int) *descriptors {
	member := &l.members[i]
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

// listed are the processes that are still there.
func (l *look) listed() []inventory.Process {
	if !slices.ContainsFunc(l.members, func(m member) bool { return m.gone }) {
		return l.processes
	}
	kept := l.processes[:0]
	for i := range l.members {
		if !l.members[i].gone {
			kept = append(kept, l.processes[i])
		}
	}
	return kept
}

// belowManager reports that a process's parent may be a service manager.
func (l *look) belowManager(i int) bool {
	parent, listed := l.parent(i)
	ppid := l.members[i].process.PPID.Or(0)
	return ppid == 1 || ppid > 1 && (!listed || l.members[parent].process.Comm == "systemd")
}

// systemdRuns reports whether the table's PID 1 may be systemd. It is not
// where the table is a container's; where PID 1 is hidden it may be.
func (l *look) systemdRuns() bool {
	i, ok := l.find(1)
	if !ok {
		return l.host.PIDNamespace == "init"
	}
	comm := l.members[i].process.Comm
	return comm == "systemd" || comm == "init"
}

// isSystemd reports whether process 1 calls itself systemd; as "init" it may be
// another.
func (l *look) isSystemd() bool {
	i, ok := l.find(1)
	return ok && l.members[i].process.Comm == "systemd"
}
