package scan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Scanner looks at the process table. Between looks it remembers what cannot have
// changed. It is safe for concurrent use.
type Scanner struct {
	options Options
	root    int  // descriptor of the proc directory
	stable  bool // the inodes of a listing tell processes apart
	clocked bool // the processor time of a process tells whether it has run
	// scope is the facts about the host that stay the same ([reader.scope]).
	scope inventory.Host

	// young is up to which age a service may hand over to another main process.
	young time.Duration
	// workers is how many goroutines read at most.
	workers int
	// only is the one PID that is fully read; for others the stat line is enough. 0
	// means all.
	only int
	// patience asks, for looks, for the facts that a process can withhold for ever;
	// again asks for those of what is about to be ended, anew each time.
	patience, again *patient
	// keptArgv is the memory that the arguments of all records hold, in bytes.
	keptArgv atomic.Int64
	// records are empty ones, to be used again: a first look drops nearly all that it makes.
	records sync.Pool

	// services asks the service managers for the main processes of their units.
	services func(context.Context, bool) (map[int]string, error)

	mu    sync.Mutex
	slots []slot // sorted by PID
	spare []slot // those of the look before, to be written over
	looks uint32
	users users
	// version is that of the selection when the unlisted processes were last asked
	// about.
	version uint64
	units   cached[struct{}, map[int]string] // the units of main processes
	// outside are open ends that no process of the table holds.
	outside map[end]cached[struct{}, struct{}]
	// walked is the look that last read everybody's descriptors; 0 is none. keptLinks is
	// how many links the tables have that are kept.
	walked    uint32
	keptLinks atomic.Int64
	// below are the children of each slot. moved means that some process has got
	// another parent since.
	below children
	moved atomic.Bool
}

// proc is where the process table is mounted.
const proc = "/proc"

// New opens the process table.
func New(options Options) (*Scanner, error) {
	options.Selection = cmp.Or[Selection](options.Selection, selectAll(true))
	root, err := unix.Open(proc, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", proc, err)
	}
	s := &Scanner{options: options, root: root, young: time.Minute, workers: min(2, runtime.GOMAXPROCS(0)),
		patience: newPatient(root, silentFor), again: newPatient(root, 0), services: mainProcesses, users: users{}}
	r := newReader(root)
	s.stable, s.clocked, s.scope = r.stableInodes(), finelyClocked(), r.scope()
	return s, nil
}

// Close gives the process table back.
func (s *Scanner) Close() error { return unix.Close(s.root) }

// stableInodes checks that a listing shows the same inode as stat, as on Linux. An
// emulated process table may not.
func (r *reader) stableInodes() bool {
	entries, _ := r.numbers(r.root, ".")
	for _, entry := range entries {
		if inode, there := namespaceAt(r.root, strconv.Itoa(entry.number)); there {
			return inode == entry.inode
		}
	}
	return false
}

// Processes looks at the process table. If the table itself cannot be read, the error
// is returned and the source says "error"; host and source are set all the same.
// Lesser faults are in the source's reason.
func (s *Scanner) Processes(ctx context.Context) (Look, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.newLook()
	defer l.close()
	err := s.fill(ctx, l)
	if err != nil {
		return failed(l.host, err), err
	}
	clients := l.readClients()
	l.listAbove()
	listed, unlisted := l.listed()
	return Look{Processes: listed, Unlisted: unlisted, Host: l.host, Source: l.source(listed), Clients: clients}, nil
}

func (s *Scanner) fill(ctx context.Context, l *look) error {
	if s.options.Sockets != nil {
		l.clients = l.net.clients()
	}
	if err := s.relist(ctx, l); err != nil {
		return fmt.Errorf("read %s: %w", proc, err)
	}
	l.begin()
	l.gather()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("read %s: %w", proc, err)
	}
	l.readConnections()
	s.readServices(ctx, l)
	s.remember(l)
	return nil
}

// relist lists the table and updates the slots.
func (s *Scanner) relist(ctx context.Context, l *look) error {
	listing, err := l.reader.list(make([]entry, 0, len(s.slots)+chunk), s.root, ".")
	if err == nil && len(listing) == 0 {
		err = errEmpty
	}
	if err != nil {
		return err
	}
	return s.refresh(ctx, l, listing)
}

// remember keeps the records of the processes that this look had to do with, and only
// slots of the others. It keeps the tables of those while looks still walk.
func (s *Scanner) remember(l *look) {
	walks := s.walked > 0 && s.looks-s.walked < rolling
	links := 0
	for i := range s.slots {
		slot, member := &s.slots[i], l.members[i]
		if (member == nil || member.table == nil) && !walks {
			slot.still = nil
		}
		if slot.still != nil && slot.still.value.table != nil {
			links += len(slot.still.value.table.links)
		}
		if slot.record == nil {
			continue
		}
		if member == nil {
			s.forget(slot)
			continue
		}
		slot.record.fresh = false
		slot.record.related, slot.record.holds = member != nil && member.related, member != nil && member.holds
	}
	s.outside = l.outside
	s.keptLinks.Store(int64(links))
}

// forget drops the record of a process that cannot matter to a verdict.
func (s *Scanner) forget(slot *slot) {
	slot.mark = s.options.Selection.Mark(&slot.record.process)
	s.drop(slot)
}

// drop empties a record and keeps its memory.
func (s *Scanner) drop(slot *slot) {
	s.keptArgv.Add(-int64(slot.record.size))
	*slot.record = record{}
	s.records.Put(slot.record)
	slot.record = nil
}

// Table lists all processes as they are now, without kernel threads and without
// processes that hidepid hides.
func (s *Scanner) Table() ([]inventory.Row, error) {
	r := newReader(s.root)
	entries, err := r.numbers(s.root, ".")
	if err == nil && len(entries) == 0 {
		err = errEmpty
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", proc, err)
	}
	rows := make([]inventory.Row, 0, len(entries))
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

// inParallel calls do for 0 to n-1, from several goroutines if there are enough
// chunks; each has a number and a reader of its own.
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
