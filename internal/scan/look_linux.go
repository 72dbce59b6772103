package scan

import (
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
)

// look is one look at the table while it is made. Processes are numbered by their
// slots.
type look struct {
	scanner *Scanner
	reader  *reader
	net     *netReader
	host    inventory.Host
	clocks  clocks
	// sameNumbers means that the PIDs in the table are those of system calls.
	sameNumbers bool
	// complete searches every holder of an open end, even where it changes no
	// verdict.
	complete bool

	// members are the listed processes; nil for the others.
	members []*member
	queue   []int // related, and not read yet
	links   index
	outside map[end]cached[struct{}, struct{}] // as the scanner's; only what this look asked for
	pss     int                                // how many may be asked for their proportional size
	copies  map[uint32]int                     // processes that run the same file, by [slot].file; nil before the first member is read
	// containers are those found by mount namespace; "" is none.
	containers   map[uint64]string
	containersMu sync.Mutex
	// clients are the Unix sockets as of the beginning of the look; nil if they are not asked for.
	clients clientSockets

	unread     int // processes that are listed and could not be read
	unlisted   unlistedTables
	complaints []string
	gaps       []inventory.Gap // what each complaint is about
	underWay   bool            // descriptors were sent to a socket and not received, or may have been
}

// unlistedTables counts the descriptor tables of processes that are left out and
// could not be read: all, and those of other users.
type unlistedTables struct{ all, others atomic.Int32 }

// member is one process that the look lists.
type member struct {
	standing
	process  inventory.Process
	gone     bool // it exited while it was being read
	holds    bool // it has the other end of some related stream
	pss      bool // its proportional size may be asked for
	below    bool // all below it is listed
	silent   bool // it was not asked for its environment, or did not answer in time
	hides    bool // it may have more open than could be read
	unseen   int  // descriptors that were sent to its sockets and that it has not received
	anchored answer

	stdin, stdout stream
	table         *descriptors
	still         *still
	indexed       int // so many of its links are in the index
}

func (s *Scanner) newLook() *look {
	host := hostNow(s.scope)
	return &look{
		scanner: s, reader: newReader(s.root), net: newNetReader(), host: host, clocks: readClocks(), sameNumbers: host.SelfPID == unix.Getpid(),
		complete: !s.stable, containers: map[uint64]string{}, outside: map[end]cached[struct{}, struct{}]{},
	}
}

func (l *look) close() { l.net.close() }

func (l *look) complain(gap inventory.Gap, reason string) {
	l.gaps, l.complaints = append(l.gaps, gap), append(l.complaints, reason)
}

// begin finds the candidates and relates the processes to read with them.
func (l *look) begin() {
	s := l.scanner
	l.members = make([]*member, len(s.slots))
	for i := range s.slots {
		l.meet(i)
	}
	for i, member := range l.members {
		if member != nil && member.nearest == i {
			takeWhole(l, i)
		}
	}
	for i := range s.slots {
		if record := s.slots[i].record; record != nil && record.holds {
			l.relate(i)
		}
	}
}

// meet makes a member of a process that is listed by itself: a candidate, the first
// process, or reaperd's own.
func (l *look) meet(i int) {
	slot := l.slot(i)
	if slot.kernel {
		return
	}
	if slot.record == nil {
		if !l.wants(slot) || l.scanner.known(l.reader, slot, l.clocks) != nil {
			return
		}
	}
	options := &l.scanner.options
	switch candidate := options.candidate(&slot.record.process); {
	case candidate:
		l.list(i).nearest = i
	case slot.pid == 1, int(slot.pid) == l.host.SelfPID, options.Selection.Lists(&slot.record.process):
		l.list(i)
	}
}

// wants reports that a process left out so far must be read again.
func (l *look) wants(slot *slot) bool {
	return slot.pid == 1 || int(slot.pid) == l.host.SelfPID || l.scanner.options.Selection.Wants(slot.id(), slot.mark)
}

// list is the member of a process; it is made at the first call.
func (l *look) list(i int) *member {
	if l.members[i] != nil {
		return l.members[i]
	}
	s, slot := l.scanner, l.slot(i)
	m := new(member)
	m.nearest = -1
	if slot.record == nil && s.known(l.reader, slot, l.clocks) != nil {
		m.gone = true
		m.process.PID, m.process.Start = int(slot.pid), slot.start
	} else {
		m.process = slot.record.process
		if slot.read != s.looks && !slot.record.related { // figures of an earlier look are none of this one
			m.process.CPUSeconds, m.process.RSSBytes = inventory.Fact[float64]{}, inventory.Fact[uint64]{}
		}
	}
	m.process.User = s.users.name(m.process.UID.Or(-1))
	l.members[i] = m
	return m
}

func (l *look) slot(i int) *slot { return &l.scanner.slots[i] }

func (l *look) find(pid int) (int, bool) { return findSlot(l.scanner.slots, pid) }

func (l *look) parent(i int) (int, bool) { return l.scanner.parentOf(i) }

// relate notes that a process's stdin and stdout matter.
func (l *look) relate(i int) {
	if member := l.list(i); !member.related {
		member.related = true
		l.queue = append(l.queue, i)
	}
}

// listTree lists everything below a process that may be part of a server's tree
// without being a candidate: a shell with the server's stdin.
func (l *look) listTree(i int) {
	todo := []int{i}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		member := l.list(i)
		if member.below || member.whole {
			continue
		}
		member.below = true
		todo = slices.AppendSeq(todo, l.scanner.below.of(i))
	}
}

// asSeen is the process with what only the whole look tells.
func (m *member) asSeen() inventory.Process {
	p := m.process
	if m.hides {
		p.OpenFDs = inventory.Unreadable[int]()
	}
	if m.unseen > 0 {
		p.UnseenFDs = inventory.Known(m.unseen)
	}
	return p
}

// listed are the listed processes that still exist, and how many others there are.
func (l *look) listed() (listed []inventory.Process, unlisted int) {
	count := 0
	for i, member := range l.members {
		switch {
		case member != nil && !member.gone:
			count++
		case member == nil && !l.slot(i).kernel:
			unlisted++
		}
	}
	listed = make([]inventory.Process, 0, count)
	for _, member := range l.members {
		if member != nil && !member.gone {
			listed = append(listed, member.asSeen())
		}
	}
	return listed, unlisted
}
