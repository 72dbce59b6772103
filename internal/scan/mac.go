package scan

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/reaperd/reaperd/internal/darwin"
	"github.com/reaperd/reaperd/internal/inventory"
)

// Mac is the scanner of macOS. Between looks it keeps only names: of users, and of
// launchd's jobs. Every look reads everything: the table in one call, the identity
// and command line of each process, and, if any end is open, the descriptors of
// everybody who may be read.
//
// A process is tied to its row of the table by the start mark, which the kernel
// returns together with the unique id. After everything was read, the unique id is
// asked for again: the facts are then one process's. What another user's process
// hides is unreadable, and keeps.
//
// It is built on every system and asks a [darwin.Kernel], which may be a played one.
// It is safe for concurrent use.
type Mac struct {
	whole
	kernel  darwin.Kernel
	options Options
	host    func() inventory.Host

	mu    sync.Mutex
	users users
	jobs  jobs
}

// NewMac returns a scanner that asks a kernel, on the host that host describes.
func NewMac(kernel darwin.Kernel, options Options, host func() inventory.Host) *Mac {
	return &Mac{kernel: kernel, options: options, host: host, users: users{}}
}

// Processes looks at the process table. Where the table itself cannot be read
// the look's source says "error" and the same error is returned.
func (m *Mac) Processes(ctx context.Context) (Look, error) {
	l, err := m.newLook(ctx)
	var clients Clients
	if err == nil {
		for i := range l.members {
			l.describe(i)
		}
		l.begin(m.options.candidate)
		l.gather()
		l.readUse()
		clients = l.readClients(m.options.sockets())
		m.readJobs(ctx, l)
		err = ctx.Err()
	}
	if err != nil {
		return failed(l.host, err), err
	}
	return Look{Processes: l.listed(), Host: l.host, Source: l.source(), Clients: clients}, nil
}

// Process reads one process fresh and whole, as a candidate is read at a look.
// Its service is the one the last look found. It returns [ErrGone] when that
// identity no longer exists.
func (m *Mac) Process(id inventory.ID) (inventory.Process, error) {
	l, err := m.newLook(context.Background())
	if err != nil {
		return inventory.Process{}, err
	}
	i, ok := l.byPID[id.PID]
	if !ok || l.members[i].process.ID() != id {
		return inventory.Process{}, fmt.Errorf("process %s: %w", id, ErrGone)
	}
	l.describe(i)
	l.begin(func(p *inventory.Process) bool { return p.ID() == id })
	l.gather()
	l.readUse()
	member := &l.members[i]
	if member.gone {
		return inventory.Process{}, fmt.Errorf("process %s: %w", id, ErrGone)
	}
	member.process.Service = m.jobOf(id)
	return *member.process, nil
}

// Table lists all processes as they are now.
func (m *Mac) Table() ([]inventory.Row, error) {
	table, err := m.readTable()
	if err != nil {
		return nil, err
	}
	rows := make([]inventory.Row, len(table))
	for i, p := range table {
		rows[i] = inventory.Row{ID: inventory.ID{PID: p.PID, Start: p.Start}, PPID: p.PPID, State: p.State}
		if sid, err := m.kernel.SessionOf(p.PID); err == nil {
			rows[i].SID = sid
		}
	}
	return rows, nil
}

// readTable reads the bare table, sorted by PID.
func (m *Mac) readTable() ([]darwin.Process, error) {
	table, err := darwin.Table(m.kernel)
	if err == nil && len(table) == 0 {
		err = errEmpty
	}
	if err != nil {
		return nil, fmt.Errorf("read the process table: %w", err)
	}
	slices.SortFunc(table, func(a, b darwin.Process) int { return a.PID - b.PID })
	return table, nil
}

// userName is the name of a user, "" where the system knows none.
func (m *Mac) userName(uid int) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.users.name(uid)
}

// source sums up how well the table could be read.
func (l *macLook) source() inventory.Source {
	complaints, gaps := l.complaints, l.gaps
	if why := unreadWords(unreadTables(l.processes, l.host.UID.Or(0))); why != "" {
		complaints, gaps = append(complaints, why), append(gaps, inventory.GapDescriptors)
	}
	return sourceOf(gaps, complaints, false)
}
