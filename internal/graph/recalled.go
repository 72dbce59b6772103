package graph

import (
	"slices"

	"github.com/reaperd/reaperd/internal/inventory"
)

// ByShape are the ids of the servers of a look that nothing but the shape told which they had below a
// session or gateway. A daemon that starts later is handed them ([Options.ByShape]): nobody sees that
// shape any more once they are leaked.
func (g *Graph) ByShape() (ids []string) {
	for _, t := range g.Targets {
		if t.ByShape && t.Container == nil {
			ids = append(ids, t.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// ProcessesOf are the processes among the ids of targets: the roots of trees.
func ProcessesOf(targets []string) map[inventory.ID]bool {
	processes := make(map[inventory.ID]bool, len(targets))
	for _, target := range targets {
		if id, err := inventory.ParseID(target); err == nil {
			processes[id] = true
		}
	}
	return processes
}
