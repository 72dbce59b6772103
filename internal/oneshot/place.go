package oneshot

import (
	"slices"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/word"
)

// Place finds out in which containers the processes run that words mean and that are no targets. A look reads that
// only for processes near a server, and an engine that was not read does not tell it either.
func (s *Sight) Place(words []string) {
	for _, subject := range words {
		processes := word.Strangers(s.View.Graph, subject)
		if p := word.Process(s.View.Graph.Snapshot, subject); p != nil {
			processes = append(slices.Clone(processes), p)
		}
		for _, p := range processes {
			s.place(p)
		}
	}
}

func (s *Sight) place(p *inventory.Process) {
	if s.host != nil {
		place(s.View.Graph, p, s.host.Process)
	}
}

// place adds to a process of a look the container in which read finds it. The container in which reaperd itself runs
// hides nothing: its processes are judged like those of a host.
func place(g *graph.Graph, p *inventory.Process, read func(inventory.ID) (inventory.Process, bool, error)) {
	if p.ContainerID != "" || !p.Alive() || !g.Snapshot.Engines().Failed {
		return
	}
	now, there, err := read(p.ID())
	if self := g.Snapshot.Self(); err != nil || !there || self != nil && self.ContainerID == now.ContainerID {
		return
	}
	p.Cgroup, p.ContainerID = now.Cgroup, now.ContainerID
}
