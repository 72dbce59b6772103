package host

import (
	"slices"

	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

// whole says which processes of one look are read whole, and which of the others
// are listed ([graph.Selection]).
type whole struct {
	*graph.Selection
	catalogue     *catalogue.Memo
	configuration *configuration
	read          uint64 // the version of the configuration that was asked for last
	version       uint64
	recalled      map[inventory.ID]bool // servers by what another program, or an earlier daemon, remembers
}

// use prepares the rules for a look: catalogue, configuration, and the graph of the
// look before.
func (w *whole) use(known *catalogue.Memo, c *configuration, previous *graph.Graph) {
	if w.Selection == nil || w.catalogue != known || w.configuration != c {
		w.catalogue, w.configuration = known, c
		w.Selection = graph.NewSelection(known, func(p *inventory.Process) bool {
			return c.set.Match(p) != nil
		})
		w.read, w.version = c.version, w.version+1
	}
	w.Selection = w.Selection.After(previous)
}

// Version changes whenever an unchanged process may have to be asked again.
func (w *whole) Version() uint64 {
	if w.read != w.configuration.version {
		w.read, w.version = w.configuration.version, w.version+1
	}
	return w.version
}

// DependsOnFolder reports that a process's working directory may decide whether it
// matters.
func (w *whole) DependsOnFolder(p *inventory.Process) bool {
	return w.Selection.DependsOnFolder(p) || w.configuration.set.Knows(p)
}

// Candidate reports a process that is read whole, with all below it.
func (w *whole) Candidate(p *inventory.Process) bool {
	return w.recalled[p.ID()] || w.Selection.Candidate(p)
}

// unlisted are the PIDs that a snapshot mentions and does not list: it must be known
// whether they live.
func unlisted(s *inventory.Snapshot) []int {
	var pids []int
	graph.Mentioned(s, func(pid int) {
		if _, listed := slices.BinarySearchFunc(s.Processes, pid, func(p inventory.Process, pid int) int { return p.PID - pid }); !listed {
			pids = append(pids, pid)
		}
	})
	return pids
}
