package catalogue

import (
	"maps"
	"unsafe"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Memo is a catalogue that remembers its answers, so that a daemon classifies each
// process once and not at every look. An answer holds for one identity with the same
// arguments and executable. It is for one goroutine.
type Memo struct {
	*Catalogue
	known map[inventory.ID]memoised
	look  uint64
}

// memoised is a class, what it was concluded from, and when it was last asked for.
type memoised struct {
	seen  sight
	class inventory.Class
	look  uint64
}

type sight struct {
	argv *string // the first argument's place: a scanner hands out the same one until exec
	args int

	comm, exe, cwd, container string
}

// Remember makes a memo of a catalogue.
func Remember(c *Catalogue) *Memo {
	return &Memo{Catalogue: c, known: map[inventory.ID]memoised{}}
}

// Process is the catalogue's answer, remembered.
func (m *Memo) Process(p *inventory.Process) inventory.Class {
	id, seen := p.ID(), sightOf(p)
	known, asked := m.known[id]
	if !asked || known.seen != seen {
		known = memoised{seen: seen, class: m.Catalogue.Process(p)}
	} else if known.look == m.look {
		return known.class
	}
	known.look = m.look
	m.known[id] = known
	return known.class
}

func sightOf(p *inventory.Process) sight {
	return sight{unsafe.SliceData(p.Argv), len(p.Argv), p.Comm, p.Exe, p.Cwd, p.ContainerID}
}

// Forget drops the answers that were not asked for since its last call. Call it once
// a look.
func (m *Memo) Forget() {
	maps.DeleteFunc(m.known, func(_ inventory.ID, known memoised) bool { return known.look != m.look })
	m.look++
}
