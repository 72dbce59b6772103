package daemon

import (
	"log/slog"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/scan"
	"github.com/reaperd/reaperd/internal/state"
)

// pinned are what people have asked to keep, read at every look and before every act. A file that cannot
// be read pins everything that it could be about.
type pinned struct {
	dir  state.Dir
	log  *slog.Logger
	said string // the problem that was logged last
}

// at returns the pins that hold in a look. It logs each problem once.
func (p *pinned) at(seen *inventory.Snapshot) func(*graph.Target) (graph.Pin, bool) {
	by, err := p.dir.Pinned(seen.Host.BootID, seen.TakenAt)
	problem := ""
	if err != nil {
		problem = err.Error()
	}
	if problem != "" && problem != p.said {
		p.log.Warn("pins cannot be read; what they may be about is kept", "err", problem)
	}
	p.said = problem
	return by
}

// now tells why a target is pinned by now, even if the last look did not know it yet. Several goroutines may ask.
func (p *pinned) now(t *graph.Target) (why string, isPinned bool) {
	by, _ := p.dir.Pinned(scan.BootID(), time.Now())
	pin, isPinned := by(t)
	return pin.Why, isPinned
}
