package scan

import (
	"iter"

	"github.com/reaperd/reaperd/internal/inventory"
)

// seen is the processes that a look has read, by their numbers in that look.
type seen interface {
	parent(i int) (int, bool)
	children(i int) iter.Seq[int]
	// stdin is unknown for a process that was not read.
	stdin(i int) inventory.Fact[inventory.Stdio]
	sockets(i int) iter.Seq[uint64]
}

// rootAbove climbs from a process while its parent has the same stdin, to the root of
// their tree. It takes at most as many steps as there are processes: parents read one
// by one may form a ring.
func rootAbove(s seen, i, processes int) int {
	for range processes {
		parent, ok := s.parent(i)
		if !ok || !sameStdin(s.stdin(i), s.stdin(parent)) {
			break
		}
		i = parent
	}
	return i
}

func sameStdin(a, b inventory.Fact[inventory.Stdio]) bool {
	mine, known := a.Get()
	its, alsoKnown := b.Get()
	return known && alsoKnown && mine.Connected() && mine.ID == its.ID
}

// socketsBelow are the sockets of a process and of all below it.
func socketsBelow(s seen, root int) map[uint64]bool {
	sockets, visited := map[uint64]bool{}, map[int]bool{}
	var add func(i int)
	add = func(i int) {
		if visited[i] {
			return
		}
		visited[i] = true
		for socket := range s.sockets(i) {
			sockets[socket] = true
		}
		for child := range s.children(i) {
			add(child)
		}
	}
	add(root)
	return sockets
}
