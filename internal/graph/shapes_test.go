package graph

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/catalogue"
)

func TestShapesThatNobodyHasAreForgottenTheOldestFirst(t *testing.T) {
	at := func(look int) time.Time { return noon.Add(time.Duration(look) * time.Second) }
	for _, row := range []struct {
		says   string
		length int
		gone   int // looks of which one shape each is left
		borne  int // shapes that processes have at the last look
		kept   int // of those that are left
	}{
		{"few", 20, 10, 3, 10},
		{"as many as may be", 20, mostShapes, 3, mostShapes},
		{"one more", 20, mostShapes + 1, 3, mostShapes},
		{"many that processes have", 20, 10, 2 * mostShapes, 10},
		{"few that are long", mostShapeBytes/4 - 20, 10, 3, 4},
		{"one that is too long", mostShapeBytes, 1, 1, 0},
	} {
		t.Run(row.says, func(t *testing.T) {
			shapes, last := Shapes{}, row.gone
			shape := func(kind string, n int) string {
				return strings.Repeat("x", row.length) + fmt.Sprintf("%s %07d", kind, n)
			}
			for look := range row.gone {
				shapes[shape("gone", look)] = at(look)
			}
			for n := range row.borne {
				shapes[shape("borne", n)] = at(last)
			}
			got := shapes.bounded(at(last))
			for n := range row.borne {
				if !got.Has(shape("borne", n)) {
					t.Fatal("a shape is forgotten that a process has")
				}
			}
			if left := len(got) - row.borne; left != row.kept {
				t.Errorf("%d are kept, want %d", left, row.kept)
			}
			for look := range row.gone {
				if left := len(got) - row.borne; got.Has(shape("gone", look)) != (look >= row.gone-left) {
					t.Fatalf("of %d, kept %d: that of look %d is not where it should be", row.gone, left, look)
				}
			}
		})
	}
}

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
	_, _, shapes := g.Recall()
	if len(shapes) > mostShapes+2 { // and the two that processes have
		t.Errorf("%d shapes are remembered", len(shapes))
	}
	stays := look(t, "55 44 44 0 p1@44 p2@44 /opt/stays --quietly").Processes
	if !shapes.Has(ShapeOf(&stays[0])) {
		t.Error("the shape of the server that stays is forgotten")
	}
}
