package host

import (
	"context"
	"errors"
	"time"

	"github.com/reaperd/reaperd/internal/docker"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/reap"
	"github.com/reaperd/reaperd/internal/scan"
)

// Process reads one process anew; there is false where it has ended.
func (h *Host) Process(id inventory.ID) (p inventory.Process, there bool, err error) {
	p, err = h.table.Process(id)
	if errors.Is(err, scan.ErrGone) {
		return p, false, nil
	}
	return p, err == nil, err
}

// Runs reports a process that is there now.
func (h *Host) Runs(id inventory.ID) bool {
	_, there, _ := h.Process(id)
	return there
}

// SweepRuns reports that the sweep by hand which wrote an intention runs still, as runs tells of
// a process.
func SweepRuns(entry *journal.Entry, runs func(inventory.ID) bool) bool {
	id, err := inventory.ParseID(entry.Reaper)
	return err == nil && entry.BootID == scan.BootID() && runs(id)
}

// Container reads one container anew; there is false where it was removed.
func (h *Host) Container(ctx context.Context, id string) (c inventory.Container, there bool, err error) {
	c, err = h.engines.Inspect(ctx, id)
	if errors.Is(err, docker.ErrGone) {
		return c, false, nil
	}
	return c, err == nil, err
}

// Reaper acts on this host, and records each act first.
func (h *Host) Reaper(record reap.Recorder) *reap.Reaper {
	return &reap.Reaper{Processes: h.table, Containers: containers{h.engines}, Recorder: record}
}

// stopper is the part of the engines that stops containers.
type stopper interface {
	Inspect(ctx context.Context, id string) (inventory.Container, error)
	Stop(ctx context.Context, id string, grace time.Duration) (human.Stop, error)
	Remove(ctx context.Context, id string, volumes bool) error
}

// containers ends containers for a [reap.Reaper].
type containers struct{ stopper }

// Gone reports that the container no longer runs.
func (c containers) Gone(ctx context.Context, id string) (bool, error) {
	found, err := c.Inspect(ctx, id)
	if errors.Is(err, docker.ErrGone) {
		return true, nil
	}
	return err == nil && !found.Running(), err
}
