//go:build linux

package soak

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/reaperd/reaperd"
	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/docker"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/reap"
	"github.com/reaperd/reaperd/internal/scan"
	"github.com/reaperd/reaperd/internal/sweep"
)

// rules reap at once what two looks agree on.
const rules = `version: 1
extends: builtin
mode: enforce
schedule: "@every 1s"
rules:
  - {name: orphaned-servers, for: 0s, grace: 1s}
  - {name: orphaned-containers, for: 0s, grace: 1s}
  - {name: disconnected-servers, for: 1s, grace: 1s}
`

// Sample is what a sweeper takes, as it says itself.
type sample struct {
	Sweeps     int           `json:"sweeps"`
	Took       time.Duration `json:"took"`
	Processes  int           `json:"processes"` // of the last look
	Containers int           `json:"containers"`
	Reaped     int           `json:"reaped"` // all in all
	Failed     int           `json:"failed"`
	Goroutines int           `json:"goroutines"`
	Files      int           `json:"files"`
	Heap       uint64        `json:"heap"` // bytes in use behind a collection
	RSS        int           `json:"rss"`  // kB
}

// host is this machine for a sweeper.
type host struct {
	scanner   *scan.Scanner
	engines   *docker.Engines
	catalogue *catalogue.Memo
	previous  *graph.Graph
}

func newHost() (*host, error) {
	h := &host{
		engines:   docker.New(docker.Options{Environment: docker.HostEnvironment()}),
		catalogue: catalogue.Remember(catalogue.New()),
	}
	var err error
	h.scanner, err = scan.New(scan.Options{Candidate: func(p *inventory.Process) bool {
		return p.PPID.Or(0) == 1 || h.catalogue.Process(p).Role != catalogue.RoleNone || h.previous != nil && h.previous.Knows(p)
	}})
	return h, err
}

func (h *host) Look(ctx context.Context, previous *graph.Graph) (*inventory.Snapshot, error) {
	h.previous = previous
	h.catalogue.Forget()
	containers, sources := h.engines.Containers(ctx)
	look, err := h.scanner.Processes(ctx)
	if err != nil {
		return nil, err
	}
	return &inventory.Snapshot{
		Version: inventory.Version, TakenAt: time.Now(), Host: look.Host,
		Sources: append([]inventory.Source{look.Source}, sources...), Processes: look.Processes, Containers: containers,
	}, nil
}

func (h *host) Process(id inventory.ID) (inventory.Process, bool, error) {
	p, err := h.scanner.Process(id)
	if errors.Is(err, scan.ErrGone) {
		return p, false, nil
	}
	return p, err == nil, err
}

func (h *host) Container(ctx context.Context, id string) (inventory.Container, bool, error) {
	c, err := h.engines.Inspect(ctx, id)
	if errors.Is(err, docker.ErrGone) {
		return c, false, nil
	}
	return c, err == nil, err
}

func (h *host) Table() ([]reap.Row, error) {
	rows, err := h.scanner.Table()
	table := make([]reap.Row, len(rows))
	for i, row := range rows {
		table[i] = reap.Row{ID: row.ID, PPID: row.PPID, State: row.State, SID: row.SID}
	}
	return table, err
}

// containers ends containers.
type containers struct{ engines *docker.Engines }

func (c containers) Stop(ctx context.Context, id string, grace time.Duration) (reap.Stopped, error) {
	ended, err := c.engines.Stop(ctx, id, grace)
	switch {
	case err != nil:
		return "", err
	case ended == docker.EndedExited:
		return reap.StoppedByItself, nil
	case ended == docker.EndedKilled:
		return reap.StoppedByKill, nil
	}
	return reap.StoppedAbsent, nil
}

func (c containers) Remove(ctx context.Context, id string) error { return c.engines.Remove(ctx, id) }

func (c containers) Gone(ctx context.Context, id string) (bool, error) {
	found, err := c.engines.Inspect(ctx, id)
	if errors.Is(err, docker.ErrGone) {
		return true, nil
	}
	return err == nil && !found.Running(), err
}

// sweeper makes one sweep after the other.
type sweeper struct {
	*sweep.Sweeper
	previous *graph.Graph
	sample   sample
	began    time.Time
}

func newSweeper(journalFile string) (*sweeper, error) {
	loaded, err := policy.Load(policy.File{Name: "soak", Data: []byte(rules)}, policy.File{Name: policy.Builtin, Data: reaperd.DefaultPolicy()})
	if err != nil {
		return nil, err
	}
	written, err := journal.Open(journalFile, journal.Options{})
	if err != nil {
		return nil, err
	}
	h, err := newHost()
	if err != nil {
		return nil, err
	}
	return &sweeper{began: time.Now(), Sweeper: &sweep.Sweeper{
		Observer: h, Catalogue: h.catalogue, Policy: loaded, Fresh: h,
		Reaper: &reap.Reaper{Processes: h, Containers: containers{h.engines}, Recorder: written},
	}}, nil
}

// once makes one sweep.
func (s *sweeper) once(ctx context.Context) error {
	g, err := s.Look(ctx, s.previous)
	if err != nil {
		return err
	}
	view := s.Judge(s.previous, g)
	s.previous = g
	plan := s.Plan(view.Verdicts, g)
	s.sample.Sweeps++
	s.sample.Processes, s.sample.Containers = len(g.Snapshot.Processes), len(g.Snapshot.Containers)
	if len(plan.Acts) == 0 {
		return nil
	}
	now := inventory.Moment{At: time.Now(), Awake: g.Snapshot.Host.AwakeSeconds}
	outcomes, err := s.Act(ctx, plan, view, now, fmt.Sprint("soak-", s.sample.Sweeps))
	for _, outcome := range outcomes {
		switch outcome.Result {
		case reap.ResultExited, reap.ResultKilled:
			s.sample.Reaped++
		case reap.ResultFailed, reap.ResultEscaped:
			s.sample.Failed++
		}
	}
	return err
}

// tell writes a sample.
func (s *sweeper) tell() error {
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	s.sample.Goroutines, s.sample.Files, s.sample.Heap = runtime.NumGoroutine(), len(files), memory.HeapInuse
	s.sample.Took = time.Since(s.began)
	return json.NewEncoder(os.Stdout).Encode(s.sample)
}

// samples is how often a sweeper tells.
const samples = 40

// sweepMany makes so many sweeps and tells of them on stdout.
func sweepMany(ctx context.Context, count int, journalFile string) error {
	s, err := newSweeper(journalFile)
	if err != nil {
		return err
	}
	for s.sample.Sweeps < count {
		if err := s.once(ctx); err != nil && !errors.Is(err, sweep.ErrStale) {
			return fmt.Errorf("sweep %d: %w", s.sample.Sweeps, err)
		}
		if s.sample.Sweeps%max(1, count/samples) == 0 {
			if err := s.tell(); err != nil {
				return err
			}
		}
	}
	return nil
}
