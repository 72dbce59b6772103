package daemon

import (
	"log/slog"
	"maps"
	"slices"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/state"
)

// shapes remembers, over restarts of the daemon, which servers are known by nothing but the shape
// that they had below their session. Without it a leak that was pending when the daemon stopped
// would be no server to the next one, and stay for ever. It also remembers what sessions have started beside their servers.
type shapes struct {
	log   *slog.Logger
	state state.Dir

	recalled []string               // ids of targets: what an earlier daemon knew
	known    []string               // as the file has them
	began    map[string]graph.Began // what sessions have started, as its file has it
	past     map[string]graph.Began // what an earlier daemon knew of that
}

// recall reads what an earlier daemon of that boot knew. A file that cannot be read recalls nothing:
// then what leaked before stays.
func (s *shapes) recall(boot string) {
	known, err := s.state.Shapes(boot)
	if err != nil {
		s.log.Warn("read which servers were known by their shape", "err", err)
	}
	s.known, s.recalled = known, known
	if s.past, err = s.state.Began(boot); err != nil {
		s.log.Warn("read what sessions have started", "err", err)
	}
	s.began = s.past
}

// learn writes the file if a look has changed it. A look that may lack processes forgets none.
func (s *shapes) learn(g *graph.Graph) {
	if g == nil || g.Snapshot.Host.BootID == "" {
		return
	}
	now, began := g.ByShape(), g.Began()
	if processes, listed := g.Snapshot.Source(inventory.SourceProcesses); listed && !processes.Whole() {
		now = union(now, s.known)
	} else if !maps.Equal(began, s.began) {
		s.began = began
		if err := s.state.KeepBegan(g.Snapshot.Host.BootID, began); err != nil {
			s.log.Warn("keep what sessions have started", "err", err)
		}
	}
	if slices.Equal(now, s.known) {
		return
	}
	s.known = now
	if err := s.state.KeepShapes(g.Snapshot.Host.BootID, now); err != nil {
		s.log.Warn("keep which servers are known by their shape", "err", err)
	}
}

// union are the ids of both, in order.
func union(a, b []string) []string {
	both := slices.Concat(a, b)
	slices.Sort(both)
	return slices.Compact(both)
}
