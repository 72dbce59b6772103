package graph

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Shapes are the shapes of servers (see [ShapeOf]), each with the last look at which a
// process had it.
type Shapes map[string]time.Time

// Has reports the shape of a server.
func (s Shapes) Has(shape string) bool {
	_, known := s[shape]
	return known
}

// Of the shapes that no process has any more the memory keeps at most mostShapes, and
// mostShapeBytes of them together. Without a limit it would grow with every command
// that a session has ever started over two pipes.
const (
	mostShapes     = 1000
	mostShapeBytes = 1 << 20
)

// bounded is the shapes to remember after a look: those that a process has, and of the
// others those that one had last. A shape that is forgotten makes no server any more:
// what bears it later is kept.
func (s Shapes) bounded(now time.Time) Shapes {
	var past []string
	for shape, last := range s {
		if !last.Equal(now) {
			past = append(past, shape)
		}
	}
	bytes := 0
	for _, shape := range past {
		bytes += len(shape)
	}
	if len(past) <= mostShapes && bytes <= mostShapeBytes {
		return s
	}
	slices.SortFunc(past, func(a, b string) int { return cmp.Or(s[b].Compare(s[a]), cmp.Compare(a, b)) })
	kept, bytes := maps.Clone(s), 0
	for i, shape := range past {
		if bytes += len(shape); i >= mostShapes || bytes > mostShapeBytes {
			delete(kept, shape)
		}
	}
	return kept
}
