package scan

import (
	"cmp"
	"math"
	"slices"
	"strconv"

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

	members []member // sorted by PID
	below   [][]int  // the children of each
	queue   []int    // related, and not read yet
	links   []holder // sorted by link; nil before the walk
	pss     int      // how many were asked for their proportional size
	// containers are those found by mount namespace; "" is none.
	containers map[uint64]string

	unread     int // processes that are listed and could not be read
	complaints []string
}

// member is one process of the look.
type member struct {
	process inventory.Process
	slot    int
	whole   bool // a candidate, or below one
	nearest int  // the candidate at or above it that is nearest; -1 is none
	related bool // its stdin and stdout matter
	gone    bool // it ended while it was being read

	stdin, stdout stream
	table         *descriptors
	tree          map[uint64]bool // sockets of the tree it is the root of
}

// byLink orders descriptors so that those which belong together stand together.
func byLink(a, b holder) int {
	return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.key, b.key), cmp.Compare(a.member, b.member))
}

// maxPSS is how many processes a look asks for their proportional set size,
// which makes the kernel walk their page tables.
const maxPSS = 300

func (s *Scanner) newLook() *look {
	r := newReader(s.root)
	return &look{scanner: s, reader: r, net: newNetReader(), host: r.host(), clocks: readClocks(), containers: map[uint64]string{}}
}

func (l *look) close() { l.net.close() }

func (l *look) complain(reason string) { l.complaints = append(l.complaints, reason) }

// begin takes the processes over from the slots and finds the candidates.
func (l *look) begin() {
	s := l.scanner
	l.members = make([]member, 0, len(s.slots))
	for i := range s.slots {
		slot := &s.slots[i]
		if slot.kernel {
			continue
		}
		m := member{process: slot.process, slot: i, nearest: -1}
		m.process.User = s.userName(m.process.UID.Or(-1))
		if slot.read != s.looks { // figures of an earlier look are none of this one
			m.process.CPUSeconds, m.process.RSSBytes = inventory.Fact[float64]{}, inventory.Fact[uint64]{}
		}
		l.members = append(l.members, m)
	}
	l.below = make([][]int, len(l.members))
	for i := range l.members {
		if parent, ok := l.parent(i); ok {
			l.below[parent] = append(l.below[parent], i)
		}
	}
	for i := range l.members {
		if s.options.candidate(&l.members[i].process) {
			l.members[i].nearest = i
		}
	}
	for i := range l.members {
		if l.members[i].nearest == i {
			l.takeWhole(i)
		}
	}
}

func (l *look) find(pid int) (int, bool) {
	return slices.BinarySearchFunc(l.members, pid, func(m member, pid int) int { return m.process.PID - pid })
}

func (l *look) parent(i int) (int, bool) {
	ppid := l.members[i].process.PPID.Or(0)
	if ppid <= 0 {
		return 0, false
	}
	parent, ok := l.find(ppid)
	return parent, ok && parent != i
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
		todo = append(todo, l.below[i]...)
	}
}

// relate notes that a process's stdin and stdout matter. Reading it relates
// its parent, and so all that stands above it.
func (l *look) relate(i int) {
	if !l.members[i].related {
		l.members[i].related = true
		l.queue = append(l.queue, i)
	}
}

// gather reads what matters to the candidates, to a fix-point: whoever holds
// the other end of a related process's stdin or stdout is related too.
func (l *look) gather() {
	for len(l.queue) > 0 {
		batch := l.queue
		l.queue = nil
		for _, i := range batch {
			l.read(i)
		}
		for _, i := range batch {
			l.attachHolders(i)
		}
	}
}

// read reads one related process through a handle.
func (l *look) read(i int) {
	member := &l.members[i]
	h, err := l.reader.open(member.process.ID(), l.sameNumbers())
	process := &member.process
	if err != nil {
		member.gone = gone(err)
		process.Stdin, process.Stdout = inventory.Unreadable[inventory.Stdio](), inventory.Unreadable[inventory.Stdio]()
		return
	}
	defer h.close()
	l.refreshMember(member)
	process.Cgroup, process.ContainerID = l.place(h)
	if !h.dead {
		member.stdin, member.stdout = h.stream(stdinDirection(), l.net), h.stream(stdoutDirection(), l.net)
		process.Stdin, process.Stdout = member.stdin.stdio, member.stdout.stdio
	}
	if member.whole {
		l.readWhole(member, h)
	}
	if ppid := process.PPID.Or(0); ppid > 0 {
		if parent, ok := l.find(ppid); ok && parent != i {
			l.relate(parent)
		}
	}
}

// place reads a process's cgroup and container. Where its cgroup namespace
// shows nothing, the mounts of its mount namespace may.
func (l *look) place(h *handle) (cgroup, container string) {
	data, _ := h.text("cgroup")
	cgroup, container = cgroupOf(data)
	if container != "" || cgroup != "/" || l.host.PIDNamespace == "init" {
		return cgroup, container
	}
	space, ok := h.namespace("mnt")
	if !ok {
		return cgroup, ""
	}
	container, known := l.containers[space]
	if !known {
		mounts, _ := h.text("mountinfo")
		container = containerInMounts(mounts)
		l.containers[space] = container
	}
	return cgroup, container
}

// refreshMember reads again what this look has taken from memory.
func (l *look) refreshMember(m *member) {
	slot := &l.scanner.slots[m.slot]
	if slot.read == l.scanner.looks || l.scanner.readSlot(l.reader, slot, l.clocks) != nil {
		return
	}
	if m.gone = slot.process.ID() != m.process.ID(); m.gone {
		return
	}
	m.process = slot.process
	m.process.User = l.scanner.userName(m.process.UID.Or(-1))
}

func (l *look) readWhole(m *member, h *handle) {
	process := &m.process
	m.table = h.descriptors()
	process.OpenFDs = m.table.openFDs(h.dead)
	if h.dead {
		return
	}
	process.Env = h.environment()
	process.IOChars = h.ioChars()
	process.MemoryBytes, process.MemoryKind = l.memory(process, h)
	if file := cidfileArgument(process.Args()); file != "" {
		process.ContainerFile = h.containerFile(file)
	}
}

// openFDs is the number of descriptors; a zombie has none to count.
func (d *descriptors) openFDs(dead bool) inventory.Fact[int] {
	switch {
	case dead:
		return inventory.Fact[int]{}
	case d.err != nil:
		return inventory.Unreadable[int]()
	}
	return inventory.Known(d.count)
}

func (l *look) memory(process *inventory.Process, h *handle) (inventory.Fact[uint64], string) {
	if l.pss < maxPSS {
		l.pss++
		if bytes, ok := h.pss(); ok {
			return inventory.Known(bytes), "pss"
		}
	}
	return process.RSSBytes, "rss"
}

// sameNumbers tells whether PIDs in the table are those of system calls.
func (l *look) sameNumbers() bool { return l.host.SelfPID == unix.Getpid() }

// attachHolders finds who holds the other ends of a process's streams. They
// are looked for only where an end is open: one walk then serves all. PID 1 is
// everybody's ancestor and nobody's server: who holds its ends is asked only
// where it is a candidate, since the walk would otherwise be done for it alone.
func (l *look) attachHolders(i int) {
	member := &l.members[i]
	if member.gone || member.process.PID == 1 && !member.whole {
		return
	}
	member.process.Stdin = l.withHolders(&member.stdin)
	member.process.Stdout = l.withHolders(&member.stdout)
}

func (l *look) withHolders(s *stream) inventory.Fact[inventory.Stdio] {
	stdio, known := s.stdio.Get()
	if !known || stdio.Peer != inventory.PeerOpen || s.other.kind == linkOther {
		return s.stdio
	}
	l.walk()
	stdio.Holders = []int{}
	wanted := holder{descriptor: descriptor{kind: s.other.kind, key: s.other.key}, member: -1}
	first, _ := slices.BinarySearchFunc(l.links, wanted, byLink)
	for _, at := range l.links[first:] {
		if at.kind != wanted.kind || at.key != wanted.key {
			break
		}
		if l.holds(at, s.other) {
			stdio.Holders = append(stdio.Holders, l.members[at.member].process.PID)
			l.relate(at.member)
		}
	}
	stdio.Holders = slices.Compact(stdio.Holders) // members are sorted by PID
	s.stdio = inventory.Known(stdio)
	return s.stdio
}

// holds verifies that a descriptor is the end that is looked for: of a pipe the
// permission bits of its link tell the direction. What cannot be verified holds.
func (l *look) holds(at holder, other end) bool {
	member := &l.members[at.member]
	row, _, err := l.reader.row(member.process.PID)
	if member.gone = gone(err) || err == nil && row.ID != member.process.ID(); member.gone {
		return false
	}
	if other.mode == 0 {
		return true
	}
	path := l.fdDirectory(l.reader, member) + "/" + strconv.Itoa(int(at.fd))
	var st unix.Stat_t
	if err := unix.Fstatat(l.reader.root, path, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return !gone(err)
	}
	if st.Mode&other.mode == 0 || other.kind != linkPath {
		return st.Mode&other.mode != 0
	}
	err = unix.Fstatat(l.reader.root, path, &st, 0)
	return err != nil && !gone(err) || err == nil && uint64(st.Dev) == other.dev && st.Ino == other.ino
}

// fdDirectory is where a member's descriptors stand below the proc directory.
func (l *look) fdDirectory(r *reader, m *member) string {
	pid := strconv.Itoa(m.process.PID)
	if m.process.State != "Z" {
		return pid + "/fd"
	}
	return pid + "/task/" + strconv.Itoa(r.livingThread(r.root, pid+"/task")) + "/fd"
}

// walk reads the descriptors of all processes, once a look. It reads them by
// PID; that a holder is still who it was is verified when one is found.
func (l *look) walk() {
	if l.links != nil {
		return
	}
	found := make([][]holder, l.workersFor(len(l.members)))
	l.inParallel(len(l.members), func(r *reader, worker, i int) {
		member := &l.members[i]
		if member.gone || member.process.State == "Z" && !member.process.Alive() {
			return
		}
		var count int
		var err error
		found[worker], count, err = r.appendLinks(found[worker], l.fdDirectory(r, member), i)
		switch {
		case err == nil:
			member.process.OpenFDs = inventory.Known(count)
		case !gone(err):
			member.process.OpenFDs = inventory.Unreadable[int]()
		}
	})
	l.links = slices.Concat(found...)
	if l.links == nil {
		l.links = []holder{}
	}
	slices.SortFunc(l.links, byLink)
}

// appendLinks adds what in a descriptor directory has, or may have, another
// end, and tells how many descriptors there are.
func (r *reader) appendLinks(to []holder, directory string, member int) ([]holder, int, error) {
	dir, err := unix.Openat(r.root, directory, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return to, 0, err
	}
	defer unix.Close(dir)
	r.entries, err = r.appendEntries(r.entries[:0], dir)
	if err != nil {
		return to, 0, err
	}
	for _, open := range r.entries {
		link, err := r.readlink(dir, strconv.Itoa(open.number))
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

func (m *member) hasOpenEnd() bool {
	for _, s := range []stream{m.stdin, m.stdout} {
		if stdio, _ := s.stdio.Get(); stdio.Peer == inventory.PeerOpen {
			return true
		}
	}
	return false
}

// readClients tells for everything related whether it listens, and how many
// connections from outside its tree there are. PID 1 matters only as a candidate.
func (l *look) readClients() {
	for i := range l.members {
		member := &l.members[i]
		if !member.related || member.gone || !member.process.Alive() || member.process.PID == 1 && !member.whole {
			continue
		}
		member.process.Listening, member.process.Clients = l.inUse(i)
	}
}

func (l *look) inUse(i int) (listening inventory.Fact[bool], clients inventory.Fact[int]) {
	member, table := &l.members[i], l.tableOf(i)
	if table.err != nil {
		return inventory.Unreadable[bool](), inventory.Unreadable[int]()
	}
	inodes := table.sockets()
	if len(inodes) == 0 {
		return inventory.Known(false), inventory.Known(0)
	}
	h, err := l.reader.open(member.process.ID(), false)
	if err != nil {
		return listening, clients
	}
	defer h.close()
	all, err := l.net.of(h)
	if err != nil {
		return inventory.Unreadable[bool](), inventory.Unreadable[int]()
	}
	at := all.listening(inodes)
	if at.none() {
		return inventory.Known(false), inventory.Known(0)
	}
	ours := l.treeSockets(i)
	count, known := all.clients(at, func(inode uint64) bool { return ours[inode] })
	if !known {
		return inventory.Known(true), inventory.Unreadable[int]()
	}
	return inventory.Known(true), inventory.Known(count)
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
	for _, child := range l.below[i] {
		l.addSockets(child, into, seen)
	}
}

// tableOf reads a member's descriptors where nothing has needed them so far.
func (l *look) tableOf(i int) *descriptors {
	member := &l.members[i]
	if member.table != nil {
		return member.table
	}
	h, err := l.reader.open(member.process.ID(), false)
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
	processes := make([]inventory.Process, 0, len(l.members))
	for i := range l.members {
		if !l.members[i].gone {
			processes = append(processes, l.members[i].process)
		}
	}
	return processes
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
