package scan

import (
	"iter"

	"github.com/reaperd/reaperd/internal/inventory"
)

// seen is the processes that a look has read, by their numbers in that look.
type seen interface {
	parent(i int) (int, bool)
	appendChildren(to []int, i int) []int
	// stdin is unknown for a process that was not read.
	stdin(i int) inventory.Fact[inventory.Stdio]
	sockets(i int) iter.Seq[uint64]
	at(i int) *standing
	// relate has stdin and stdout of a process read.
	relate(i int)
}

// standing is what a process is to the candidates of a look.
type standing struct {
	whole   bool            // a candidate, or below one
	nearest int             // the candidate at or above it that is nearest; -1 is none
	related bool            // its stdin and stdout matter
	tree    map[uint64]bool // the sockets of the tree that it is the root of
}

// takeWhole marks a candidate and everything below it to be read whole. It stops at
// other candidates.
func takeWhole(s seen, candidate int) {
	todo := []int{candidate}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		at := s.at(i)
		if at.nearest >= 0 && at.nearest != candidate || at.whole {
			continue
		}
		at.whole, at.nearest = true, candidate
		s.relate(i)
		todo = s.appendChildren(todo, i)
	}
}

// treeSockets are the sockets of the tree a process belongs to: of the root above
// the candidate at or above it (itself if there is none), and of all below that.
func treeSockets(s seen, i, processes int) map[uint64]bool {
	if nearest := s.at(i).nearest; nearest >= 0 {
		i = nearest
	}
	root := rootAbove(s, i, processes)
	if s.at(root).tree == nil {
		sockets := socketsBelow(s, root)
		s.at(root).tree = sockets
	}
	return s.at(root).tree
}

// rootAbove climbs from a process while its parent has the same stdin, to the root of
// their tree.
func rootAbove(s seen, i, processes int) int {
	for parent := range above(s, i, processes) {
		if !sameStdin(s.stdin(i), s.stdin(parent)) {
			break
		}
		i = parent
	}
	return i
}

// above are the processes above one, nearest first, in no more steps than there are processes:
// parents read one by one may form a ring.
func above(s seen, i, processes int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for range processes {
			parent, ok := s.parent(i)
			if !ok || !yield(parent) {
				return
			}
			i = parent
		}
	}
}

func isBelow(s seen, i, root, processes int) bool {
	for parent := range above(s, i, processes) {
		if parent == root {
			return true
		}
	}
	return false
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
		for _, child := range s.appendChildren(nil, i) {
			add(child)
		}
	}
	add(root)
	return sockets
}
