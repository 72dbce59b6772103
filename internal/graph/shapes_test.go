package graph

import (
	"fmt"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/catalogue"
)

// TestTheMemoryOfShapesDoesNotGrow has a session start another command at each look,
// over two pipes, and one server that stays.
func TestTheMemoryOfShapesDoesNotGrow(t *testing.T) {
	var g *Graph
	for n := range mostShapes + 100 {
		s := look(t, fmt.Sprintf(`
			1  0  1  0 null null init
			44 1  44 0 tty  tty  claude
			55 44 44 0 p1@44 p2@44 /opt/stays --quietly
			%d 44 44 0 p3@44 p4@44 /usr/bin/rg pattern-%d`, 100+n, n))
		s.TakenAt = noon.Add(time.Duration(n) * time.Second)
		g = Correlate(g, s, Options{Catalogue: catalogue.New()})
	}
	_, _, shapes := g.recall()
	if len(shapes) > mostShapes+2 { // and the two that processes have
		t.Errorf("%d shapes are remembered", len(shapes))
	}
	stays := look(t, "55 44 44 0 p1@44 p2@44 /opt/stays --quietly").Processes
	if !shapes.has(ShapeOf(&stays[0])) {
		t.Error("the shape of the server that stays is forgotten")
	}
}
