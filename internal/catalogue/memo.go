package catalogue

import (
	"unsafe"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

// Memo is a catalogue that remembers what it took a process for, so that a
// daemon classifies each process once and not at every look. It goes by
// identity and by what was classified: a process that has called exec since is
// looked at anew. It is for one goroutine.
type Memo struct {
	*Catalogue
	recent, older map[inventory.ID]memoised
}

// memoised is a class, and what it was concluded from.
type memoised struct {
	seen  sight
	class graph.Class
}

type sight struct {
	argv *string // the first argument's place: a scanner hands out the same one until exec
	args int

	comm, exe, cwd, container string
}

// Remember makes a memo of a catalogue.
func Remember(c *Catalogue) *Memo {
	return &Memo{Catalogue: c, recent: map[inventory.ID]memoised{}}
}

// Process is the catalogue's answer, asked for once.
func (m *Memo) Process(p *inventory.Process) graph.Class {
	id, seen := p.ID(), sightOf(p)
	for _, known := range []map[inventory.ID]memoised{m.recent, m.older} {
		if found, asked := known[id]; asked && found.seen == seen {
			m.recent[id] = found
			return found.class
		}
	}
	class := m.Catalogue.Process(p)
	m.recent[id] = memoised{seen, class}
	return class
}

func sightOf(p *inventory.Process) sight {
	return sight{unsafe.SliceData(p.Argv), len(p.Argv), p.Comm, p.Exe, p.Cwd, p.ContainerID}
}

// Forget drops what was not asked for since it was last called: once a look.
func (m *Memo) Forget() {
	m.older, m.recent = m.recent, make(map[inventory.ID]memoised, len(m.recent))
}
