//go:build !linux && !darwin

package scan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/portable"
)

// Scanner looks at the process table. It does not tell who holds the other ends of
// stdin and stdout: they are unreadable and prove nothing.
type Scanner struct{ options Options }

// New returns a scanner of the system's own process table.
func New(options Options) (*Scanner, error) { return &Scanner{options: options}, nil }

// Close does nothing: nothing is held.
func (s *Scanner) Close() error { return nil }

// Processes looks at the process table. Where the table itself cannot be read
// the look's source says "error" and the same error is returned.
func (s *Scanner) Processes(ctx context.Context) (Look, error) {
	look := Look{Host: hostFacts(), Source: inventory.Source{Name: inventory.SourceProcesses}}
	processes, err := portable.List(ctx)
	if err == nil && len(processes) == 0 {
		err = errors.New("no process in it")
	}
	if err != nil {
		err = fmt.Errorf("read the process table: %w", err)
		look.Source.Status, look.Source.Reason = inventory.StatusError, err.Error()
		return look, err
	}
	known := users{}
	for i := range processes {
		s.complete(ctx, &processes[i], known)
	}
	slices.SortFunc(processes, func(a, b inventory.Process) int { return cmp.Compare(a.PID, b.PID) })
	look.Processes, look.Source.Status = processes, inventory.StatusOK
	return look, ctx.Err()
}

// List adds nothing: every process is listed here.
func (s *Scanner) List(*Look, []int) {}

// complete adds the facts that are read for each process by itself.
func (s *Scanner) complete(ctx context.Context, process *inventory.Process, known users) {
	portable.Describe(ctx, process)
	if uid, ok := process.UID.Get(); ok && process.User == "" {
		process.User = known.name(uid)
	}
	if s.options.candidate(process) {
		portable.Measure(ctx, process)
	}
}

// Table lists all processes as they are now.
func (s *Scanner) Table() ([]inventory.Row, error) {
	processes, err := portable.List(context.Background())
	if err != nil {
		return nil, fmt.Errorf("read the process table: %w", err)
	}
	rows := make([]inventory.Row, len(processes))
	for i := range processes {
		rows[i] = rowOf(&processes[i])
	}
	return rows, nil
}

func rowOf(p *inventory.Process) inventory.Row {
	row := inventory.Row{ID: p.ID(), PPID: p.PPID.Or(0), SID: p.SID.Or(0)}
	if p.State != "" {
		row.State = p.State[0]
	}
	return row
}

// Process reads one process fresh and whole. It returns [ErrGone] when that
// identity no longer exists.
func (s *Scanner) Process(id inventory.ID) (inventory.Process, error) {
	ctx := context.Background()
	processes, err := portable.List(ctx)
	if err != nil {
		return inventory.Process{}, fmt.Errorf("read process %d: %w", id.PID, err)
	}
	for i := range processes {
		if processes[i].ID() == id {
			one := &Scanner{options: Options{Candidate: func(*inventory.Process) bool { return true }}}
			one.complete(ctx, &processes[i], map[int]string{})
			return processes[i], nil
		}
	}
	return inventory.Process{}, fmt.Errorf("process %s: %w", id, ErrGone)
}

// BootID names this boot of the host as snapshots do; "" if that is not known.
func BootID() string { return portable.BootID() }

func hostFacts() inventory.Host {
	h := inventory.Host{OS: runtime.GOOS, PIDNamespace: "unknown", SelfPID: os.Getpid(), BootID: BootID()}
	h.Hostname, _ = os.Hostname()
	if uid := os.Geteuid(); uid >= 0 {
		h.UID = inventory.Known(uid)
	}
	return h
}
