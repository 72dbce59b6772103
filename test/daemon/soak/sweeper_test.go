//go:build linux

package soak

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/reaperd/reaperd"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/host"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/sweep"
)

// rules is a policy that reaps at once whatever two looks agree on.
const rules = `version: 1
extends: builtin
mode: enforce
schedule: "@every 1s"
rules:
  - {name: orphaned-servers, for: 0s, grace: 1s}
  - {name: orphaned-containers, for: 0s, grace: 1s}
  - {name: disconnected-servers, for: 1s, grace: 1s}
`

// sample is a sweeper's report on its own use of resources.
type sample struct {
	Sweeps     int           `json:"sweeps"`
	Took       time.Duration `json:"took"`
	Processes  int           `json:"processes"` // of the last look
	Containers int           `json:"containers"`
	Reaped     int           `json:"reaped"` // since the start
	Failed     int           `json:"failed"`
	Goroutines int           `json:"goroutines"`
	Files      int           `json:"files"`
	Heap       uint64        `json:"heap"` // bytes in use after a garbage collection
	RSS        int           `json:"rss"`  // kB
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
	written, err := journal.Open(journalFile)
	if err != nil {
		return nil, err
	}
	h, err := host.Open(host.Options{Policy: loaded, Log: slog.New(slog.NewTextHandler(os.Stderr, nil)), State: state.Dir(filepath.Dir(journalFile)), Guarded: true})
	if err != nil {
		return nil, err
	}
	return &sweeper{began: time.Now(), Sweeper: &sweep.Sweeper{
		Observer: h, Catalogue: h.Catalogue(), Policy: loaded, Pinned: h.Pinned, KeptNow: h.PinnedNow, Fresh: h, Reaper: h.Reaper(written),
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
	plan := policy.MakePlan(view.Verdicts, s.Policy, g.Snapshot.Moment())
	s.sample.Sweeps++
	s.sample.Processes, s.sample.Containers = len(g.Snapshot.Processes), len(g.Snapshot.Containers)
	if len(plan.Acts) == 0 {
		return nil
	}
	now := inventory.Moment{At: time.Now(), Awake: g.Snapshot.Host.AwakeSeconds}
	outcomes, err := s.Act(ctx, plan, view, now)
	for _, outcome := range outcomes {
		switch outcome.Result {
		case human.Exited, human.Killed:
			s.sample.Reaped++
		case human.ResultFailed, human.Escaped:
			s.sample.Failed++
		}
	}
	return err
}

// tell writes a sample to stdout.
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

// samples is how many samples a sweeper writes.
const samples = 40

// sweepMany makes this many sweeps and writes samples to stdout.
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
