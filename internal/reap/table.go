package reap

import (
	"errors"
	"sync"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

// table is one reading of the process table. It says nothing about the time before
// begun.
type table struct {
	begun    time.Time
	rows     map[int]inventory.Row
	children map[int][]inventory.Row // by parent, in the order of the reading
}

func newTable(begun time.Time, rows []inventory.Row) *table {
	t := &table{begun: begun, rows: make(map[int]inventory.Row, len(rows)), children: map[int][]inventory.Row{}}
	for _, row := range rows {
		t.rows[row.ID.PID] = row
		t.children[row.PPID] = append(t.children[row.PPID], row)
	}
	return t
}

// has reports that exactly this process is in the table.
func (t *table) has(id inventory.ID) bool {
	row, ok := t.rows[id.PID]
	return ok && row.ID == id
}

// ancestors are the PIDs above a process, up to the first.
func (t *table) ancestors(pid int) map[int]bool {
	above := map[int]bool{}
	for row, ok := t.rows[pid]; ok && row.PPID > 0 && !above[row.PPID]; row, ok = t.rows[row.PPID] {
		above[row.PPID] = true
	}
	return above
}

// tables shares readings of the process table between trees that are ended at the
// same time. All who ask during a reading share the next one.
type tables struct {
	source Processes

	reading sync.Mutex // held while the table is read
	mu      sync.Mutex
	next    *reading // asked for and not begun
	last    *table
}

type reading struct {
	done  chan struct{}
	table *table
	err   error
}

// errNoReading is the error for those whose reading panicked.
var errNoReading = errors.New("read process table: not finished")

// tablesOf are the shared readings, which read from this source from now on.
func (s *Shared) tablesOf(source Processes) *tables {
	s.tables.reading.Lock()
	defer s.tables.reading.Unlock()
	s.tables.source = source
	return &s.tables
}

// fresh is a reading that begins after the call.
func (t *tables) fresh() (*table, error) {
	t.mu.Lock()
	turn := t.next
	if turn != nil {
		t.mu.Unlock()
		<-turn.done
		return turn.table, turn.err
	}
	turn = &reading{done: make(chan struct{}), err: errNoReading}
	t.next = turn
	t.mu.Unlock()
	t.read(turn)
	return turn.table, turn.err
}

func (t *tables) read(turn *reading) {
	t.reading.Lock()
	defer t.reading.Unlock()
	defer close(turn.done)
	t.mu.Lock()
	t.next = nil // whoever asks from here on wants a later one
	t.mu.Unlock()

	begun := time.Now()
	rows, err := t.source.Table()
	if turn.err = err; err != nil {
		return
	}
	turn.table = newTable(begun, rows)
	t.mu.Lock()
	t.last = turn.table
	t.mu.Unlock()
}

// recent is a reading that began at most age ago.
func (t *tables) recent(age time.Duration) (*table, error) {
	t.mu.Lock()
	last := t.last
	t.mu.Unlock()
	if last != nil && time.Since(last.begun) <= age {
		return last, nil
	}
	return t.fresh()
}
