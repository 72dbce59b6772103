package scan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Scanner looks at the process table. It remembers between looks what cannot
// have changed. Its methods may be called from several goroutines.
type Scanner struct {
	options Options
	path    string
	root    int  // descriptor of the proc directory
	stable  bool // the inodes of a listing tell processes apart

	// young is up to which age a process is read at every look: it may not
	// have become yet what it was started for.
	young time.Duration
	// workers is how many goroutines read at most.
	workers int
	// only is the one PID that is described; of others the stat line is
	// enough. 0 is all.
	only int
	// patience asks of processes what they can make wait for ever.
	patience *patient
	// keptArgv is what the arguments of all slots hold in memory, in bytes.
	keptArgv atomic.Int64

	// services asks the service managers for the main processes of their units.
	services func(context.Context, bool) (map[int]string, error)

	mu    sync.Mutex
	slots []slot // sorted by PID
	spare []slot // those of the look before, to be written over
	room  room
	looks uint64
	users map[int]string
	asked uint64 // the look at which the service managers answered; 0 is none
	// outside are ends that nobody in the table was found to hold although they
	// are open, and the look at which everybody was read.
	outside map[end]uint64
}

// room is memory that one look leaves to the next.
type room struct {
	members []member
	pids    []int
	reader  *reader
	replies []byte
}

// slot is what is remembered of one process.
type slot struct {
	inode     uint64
	kernel    bool   // a kernel thread, which is never listed
	related   bool   // the last look had to do with it
	holds     bool   // it held an end that the last look asked for
	adopted   bool   // it has another parent than when it was first seen
	read      uint64 // the look at which process was read; 0 is never
	since     uint64 // the look at which it was first seen with its parent
	described uint64 // the look at which all of process was read
	keptArgv  int    // what its arguments hold in memory, in bytes
	image     image
	condition condition
	markers   map[string]string // of the environment of markersOf; nil is not read
	markersOf image
	footprint footprint
	place     place
	idle      idle
	process   inventory.Process
}

// New opens the process table.
func New(options Options) (*Scanner, error) {
	path := cmp.Or(options.ProcRoot, "/proc")
	root, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	s := &Scanner{options: options, path: path, root: root, young: time.Minute, workers: 2,
		patience: newPatient(root), services: mainProcesses, users: map[int]string{}}
	s.stable = newReader(root).stableInodes()
	return s, nil
}

// Close gives the process table back.
func (s *Scanner) Close() error { return unix.Close(s.root) }

// stableInodes checks on the process itself that the inode in a listing is the
// one that stat shows, as Linux has it; emulated process tables may not.
func (r *reader) stableInodes() bool {
	self, err := r.readlink(r.root, "self")
	if err != nil {
		return false
	}
	pid, err := strconv.Atoi(string(self))
	if err != nil {
		return false
	}
	entries, err := r.numbers(r.root, ".")
	if err != nil {
		return false
	}
	i, ok := findEntry(entries, pid)
	inode, readable := namespaceAt(r.root, strconv.Itoa(pid))
	return ok && readable && inode == entries[i].inode
}

// Processes looks at the process table. Where the table itself cannot be read
// the look's source says "error" and the same error is returned; host and
// source are filled in all the same. Anything less is in the source's reason.
func (s *Scanner) Processes(ctx context.Context) (Look, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.newLook()
	defer l.close()
	err := s.fill(ctx, l)
	if err != nil {
		return Look{Host: l.host, Source: inventory.Source{
			Name: inventory.SourceProcesses, Status: inventory.StatusError, Reason: err.Error(),
		}}, err
	}
	source := l.source()
	return Look{Processes: l.listed(), Host: l.host, Source: source}, nil
}

func (s *Scanner) fill(ctx context.Context, l *look) error {
	entries, err := l.reader.numbers(s.root, ".")
	if err == nil && len(entries) == 0 {
		err = errors.New("no process in it")
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", s.path, err)
	}
	if err := s.refresh(ctx, l, entries); err != nil {
		return fmt.Errorf("read %s: %w", s.path, err)
	}
	l.begin()
	l.gather()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("read %s: %w", s.path, err)
	}
	l.readClients()
	s.remember(l)
	s.readServices(ctx, l)
	return nil
}

// refresh brings the slots up to the listing: what is new is read, what is old
// is read again where it may have changed.
func (s *Scanner) refresh(ctx context.Context, l *look, entries []entry) error {
	s.looks++
	slots := s.merge(entries)
	var stale []int
	for i := range slots {
		if s.isStale(&slots[i], slots, entries, l.clocks) {
			stale = append(stale, i)
		}
	}
	errs := make([]error, len(stale))
	l.inParallel(len(stale), 64, func(r *reader, _, n int) {
		if ctx.Err() == nil {
			errs[n] = s.readSlot(r, &slots[stale[n]], l.clocks)
		}
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	err := l.dropUnread(slots, stale, errs)
	s.slots, s.spare = slices.DeleteFunc(slots, func(s slot) bool { return s.process.PID == 0 }), s.slots
	if len(s.slots) == 0 {
		return err
	}
	return nil
}

// dropUnread takes the PID from slots that could not be read, and returns the
// last error that does not mean that the process has ended.
func (l *look) dropUnread(slots []slot, stale []int, errs []error) (last error) {
	for n, err := range errs {
		if err == nil {
			continue
		}
		slots[stale[n]].process.PID = 0
		if !gone(err) {
			l.unread++
			last = err
		}
	}
	return last
}

// merge carries the slots of processes that are still the same over to the
// listing's order; both are sorted by PID.
func (s *Scanner) merge(entries []entry) []slot {
	slots := slices.Grow(s.spare[:0], len(entries))[:len(entries)]
	clear(slots)
	s.keptArgv.Store(0)
	old := 0
	for i, entry := range entries {
		for old < len(s.slots) && s.slots[old].process.PID < entry.number {
			old++
		}
		if old < len(s.slots) && s.slots[old].process.PID == entry.number && s.slots[old].inode == entry.inode {
			slots[i] = s.slots[old]
			s.keptArgv.Add(int64(slots[i].keptArgv))
			continue
		}
		slots[i] = newSlot(entry)
	}
	return slots
}

// rolling is after how many looks at the latest everything's state is read
// again, and of what the look has to do with whose it is and what it runs, where
// it goes on running what it did: a user, a title or a directory may change all
// the same. Of others that is read again after redescribing looks.
const (
	rolling      = 16
	redescribing = 64
)

func (s *Scanner) isYoung(slot *slot, at clocks) bool {
	return at.now.Sub(slot.process.StartedAt) < s.young
}

func (s *Scanner) isStale(slot *slot, slots []slot, entries []entry, at clocks) bool {
	process := &slot.process
	switch {
	case slot.read == 0 || !s.stable:
		return true
	case slot.kernel:
		return false
	case slot.related, slot.holds, process.State == "Z", (s.looks+uint64(process.PID))%rolling == 0:
		return true
	case s.isYoung(slot, at):
		return true
	}
	// Its parent's place has changed hands: it has another parent now.
	ppid := process.PPID.Or(0)
	i, ok := findEntry(entries, ppid)
	return ppid > 0 && (!ok || slots[i].read == 0)
}

func findSlot(slots []slot, pid int) (int, bool) {
	return slices.BinarySearchFunc(slots, pid, func(s slot, pid int) int { return s.process.PID - pid })
}

func findEntry(entries []entry, pid int) (int, bool) {
	return slices.BinarySearchFunc(entries, pid, func(e entry, pid int) int { return e.number - pid })
}

// readSlot reads what is read of every process of a look.
func (s *Scanner) readSlot(r *reader, slot *slot, at clocks) error {
	pid := slot.process.PID
	line, err := r.stat(pid)
	if err != nil {
		return err
	}
	if slot.read > 0 && slot.process.Start != line.start { // the same inode all the same
		*slot = newSlot(entry{number: pid, inode: slot.inode})
	}
	if slot.kernel = line.flags&kernelThread != 0; !slot.kernel {
		s.update(r, slot, &line, at)
	}
	slot.read = s.looks
	return nil
}

// update takes over what a stat line says, and reads again whose a process is
// and what it runs where that may have changed.
func (s *Scanner) update(r *reader, slot *slot, line *stat, at clocks) {
	now, before := fromStat(line, at), &slot.process
	now.PID, now.Service = before.PID, before.Service
	if slot.read == 0 || before.PPID != now.PPID {
		slot.adopted, slot.since = slot.read > 0, s.looks
	}
	stands := s.stillRuns(slot, line, at)
	if stands {
		now.UID, now.Argv, now.ArgvHash, now.Exe, now.Cwd = before.UID, before.Argv, before.ArgvHash, before.Exe, before.Cwd
	}
	if slot.image == line.image && line.image != (image{}) { // stands where it cannot be read now
		now.Argv, now.ArgvHash = before.Argv, before.ArgvHash
	}
	slot.process, slot.image, slot.condition = now, line.image, line.condition()
	if !stands && (s.only == 0 || s.only == now.PID) {
		s.describe(r, slot)
		slot.described = s.looks
	}
}

// stillRuns reports that what was read of an old process need not be read again:
// there was no exec since.
func (s *Scanner) stillRuns(slot *slot, line *stat, at clocks) bool {
	lasts := uint64(redescribing)
	if slot.related {
		lasts = rolling
	}
	if slot.described == 0 || s.looks-slot.described >= lasts || s.isYoung(slot, at) {
		return false
	}
	return slot.image == line.image && line.image != image{} && slot.condition == line.condition() && slot.process.Comm == string(line.comm)
}

// isRemembered reports that something of a process was read at an earlier look
// which had nothing to do with it.
func (s *Scanner) isRemembered(slot *slot) bool {
	return slot.read != s.looks || s.only == 0 && slot.described != s.looks && !slot.related
}

// newSlot is the slot of a process of which nothing is known.
func newSlot(e entry) slot { return slot{inode: e.inode, process: inventory.Process{PID: e.number}} }

// remember keeps what a look had to do with.
func (s *Scanner) remember(l *look) {
	for i := range l.members {
		member, slot := &l.members[i], l.slot(i)
		slot.related, slot.holds = member.related, member.holds
	}
	s.outside = l.outside
}

// userName is the name of a user, "" where the system knows none.
func (s *Scanner) userName(uid int) string {
	name, ok := s.users[uid]
	if !ok {
		if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
			name = u.Username
		}
		s.users[uid] = name
	}
	return name
}

// readServices names the main processes of services. They are PIDs of the
// system's own namespace: where PID 1 is no service manager there are none.
// Asking takes a message for every unit: what was answered stands until a
// service may have started.
func (s *Scanner) readServices(ctx context.Context, l *look) {
	if !l.systemdRuns() || !s.mayHaveStarted(l) {
		return
	}
	units, err := s.services(ctx, l.host.UID.Or(-1) == 0)
	if s.asked = s.looks; err != nil && (!errors.Is(err, errNoSystemd) || l.isSystemd()) {
		s.asked = 0
		l.complain(gapOfServices(err), "services could not be asked: "+err.Error())
	}
	for i := range l.members {
		member := &l.members[i]
		member.process.Service = units[member.process.PID]
		s.slots[member.slot].process.Service = member.process.Service
	}
}

// mayHaveStarted reports that a service may have another main process than when
// its manager was asked last: below a manager somebody is new, or so young that
// it may still hand over.
func (s *Scanner) mayHaveStarted(l *look) bool {
	if s.asked == 0 || s.looks-s.asked >= rolling {
		return true
	}
	for i := range l.members {
		if slot := l.slot(i); (slot.since > s.asked || s.isYoung(slot, l.clocks)) && l.belowManager(i) {
			return true
		}
	}
	return false
}

// Table lists all processes as they are now, kernel threads left out, and what
// hidepid forbids to read.
func (s *Scanner) Table() ([]Row, error) {
	r := newReader(s.root)
	entries, err := r.numbers(s.root, ".")
	if err == nil && len(entries) == 0 {
		err = errors.New("no process in it")
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", s.path, err)
	}
	rows := make([]Row, 0, len(entries))
	for _, entry := range entries {
		row, listed, err := r.row(entry.number)
		switch {
		case err == nil && listed:
			rows = append(rows, row)
		case err != nil && !gone(err) && !isDenied(err):
			return nil, fmt.Errorf("read process %d: %w", entry.number, err)
		}
	}
	return rows, nil
}

func isDenied(err error) bool { return errors.Is(err, fs.ErrPermission) }

// Process reads one process fresh and whole, as a candidate is read at a look.
// Its service is the one the last look found. It returns [ErrGone] when that
// identity no longer exists.
func (s *Scanner) Process(id inventory.ID) (inventory.Process, error) {
	process, settled, err := s.processWithin(id, []entry{{number: id.PID}})
	if err != nil || settled {
		return process, err
	}
	// Holders and clients are known only among all processes.
	entries, err := newReader(s.root).numbers(s.root, ".")
	if err != nil {
		return inventory.Process{}, fmt.Errorf("read %s: %w", s.path, err)
	}
	process, _, err = s.processWithin(id, entries)
	return process, err
}

// serviceOf is the service whose main process it was at the last look.
func (s *Scanner) serviceOf(id inventory.ID) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i, ok := findSlot(s.slots, id.PID); ok && s.slots[i].process.ID() == id {
		return s.slots[i].process.Service
	}
	return ""
}

// processWithin reads one process among those listed. settled tells whether
// knowing the others would add nothing.
func (s *Scanner) processWithin(id inventory.ID, entries []entry) (p inventory.Process, settled bool, err error) {
	once := &Scanner{options: s.options, path: s.path, root: s.root, stable: s.stable, workers: s.workers,
		patience: s.patience, only: id.PID, users: map[int]string{}}
	once.options.Candidate = func(p *inventory.Process) bool { return p.ID() == id }
	l := once.newLook()
	l.complete = true
	defer l.close()
	if err := once.refresh(context.Background(), l, entries); err != nil {
		return p, false, fmt.Errorf("read process %d: %w", id.PID, err)
	}
	l.begin()
	i, ok := l.find(id.PID)
	if !ok || l.members[i].process.ID() != id {
		return p, false, fmt.Errorf("process %s: %w", id, ErrGone)
	}
	l.gather()
	l.readClients()
	member := &l.members[i]
	if member.gone {
		return p, false, fmt.Errorf("process %s: %w", id, ErrGone)
	}
	member.process.Service = s.serviceOf(id)
	listens := !member.process.Listening.IsZero() && member.process.Listening.Or(true)
	return *member.process, !listens && !member.hasOpenEnd(), nil
}

// inParallel runs do for 0 to n-1, on several goroutines where there are some
// chunks for each; each has a number and a reader of its own.
func (l *look) inParallel(n, chunk int, do func(r *reader, worker, i int)) {
	workers := max(1, min(l.scanner.workers, n/(4*chunk)))
	if workers == 1 {
		for i := range n {
			do(l.reader, 0, i)
		}
		return
	}
	var next atomic.Int64
	var wait sync.WaitGroup
	for worker := range workers {
		wait.Go(func() {
			r := newReader(l.scanner.root)
			for {
				from := int(next.Add(int64(chunk))) - chunk
				if from >= n {
					return
				}
				for i := from; i < min(n, from+chunk); i++ {
					do(r, worker, i)
				}
			}
		})
	}
	wait.Wait()
}

// hidden says whose processes are missing from the table; empty is nobody's.
func (l *look) hidden() string {
	uid := l.host.UID.Or(0)
	if uid == 0 {
		return ""
	}
	if root, err := filepath.EvalSymlinks(l.scanner.path); err == nil {
		mounts, _ := l.reader.whole(l.scanner.root, "self/mountinfo")
		if hidesProcesses(string(mounts), root) && !l.seesOthers(uid) {
			return fmt.Sprintf("hidepid: only uid %d's processes are visible", uid)
		}
	}
	return ""
}

func (l *look) seesOthers(uid int) bool {
	return slices.ContainsFunc(l.members, func(m member) bool { return m.process.UID.Or(uid) != uid })
}

// source sums up how well the table could be read.
func (l *look) source() inventory.Source {
	hidden := l.hidden()
	if hidden != "" {
		l.complain(inventory.GapProcesses, hidden)
	}
	missing := hidden != "" || l.unread > 0
	if l.unread > 0 {
		l.complain(inventory.GapProcesses, fmt.Sprintf("%d processes could not be read", l.unread))
	}
	if why := unreadTables(l.processes, l.host.UID.Or(0)); why != "" {
		l.complain(inventory.GapDescriptors, why)
	}
	if why := l.scanner.patience.complaint(); why != "" {
		l.complain(inventory.GapSilent, why)
	}
	source := inventory.Source{Name: inventory.SourceProcesses, Status: inventory.StatusOK}
	if len(l.complaints) > 0 {
		source.Status, source.Reason = inventory.StatusPartial, strings.Join(l.complaints, "; ")
		source.Gaps = l.gaps
		source.RowsMissing = inventory.Known(missing)
	}
	return source
}
