package graph

import (
	"fmt"
	"hash/maphash"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

func TestTheHashIsThatOfTheShape(t *testing.T) {
	seed := maphash.MakeSeed()
	for _, p := range []*inventory.Process{
		{},
		{UID: inventory.Known(1000), Argv: []string{"node", "dist/index.js"}, Cwd: "/home/dev"},
		{UID: inventory.Known(0), Argv: []string{"node", strings.Repeat("x", 4000)}, ArgvHash: "aa"},
	} {
		if got, want := shapeHash(seed, p), maphash.String(seed, commandOf(ShapeOf(p))); got != want {
			t.Errorf("%.20q: %x, want %x", p.Argv, got, want)
		}
	}
}

func TestTheFolderCountsWhereAnArgumentIsRelativeToIt(t *testing.T) {
	for _, world := range []struct {
		says string
		argv []string
		same bool
	}{
		{"a script below the folder", []string{"node", "dist/index.js"}, false},
		{"a script by its whole path", []string{"node", "/opt/dist/index.js"}, true},
		{"a package with a scope", []string{"npx", "@scope/mcp"}, true},
	} {
		one := &inventory.Process{UID: inventory.Known(1000), Argv: world.argv, Cwd: "/home/dev/a"}
		other := *one
		other.Cwd = "/home/dev/b"
		if same := ShapeOf(one) == ShapeOf(&other); same != world.same {
			t.Errorf("%s: one shape: %v, want %v", world.says, same, world.same)
		}
	}
	if nobodys := (&inventory.Process{Argv: []string{"node"}}); ShapeOf(nobodys) != "" {
		t.Error("a process whose user is not known has a shape")
	}
}

func TestAScopeIsPartOfTheShapeAndNotOfItsCommand(t *testing.T) {
	host := inventory.Process{UID: inventory.Known(1000), Argv: []string{"node", "/srv/\x02x"}}
	container, user, pid := host, host, host
	container.ContainerID, user.UserNamespace, pid.PIDNamespace = "c1", 7, 7
	seen := map[string]bool{}
	for _, p := range []*inventory.Process{&host, &container, &user, &pid} {
		shape := ShapeOf(p)
		if seen[shape] {
			t.Errorf("%+v has the shape of another", p.Scope())
		}
		if seen[shape] = true; commandOf(shape) != commandOf(ShapeOf(&host)) || commandOf(shape) == "" {
			t.Errorf("%+v: the command is %q", p.Scope(), commandOf(shape))
		}
	}
}

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
			shapes, last := shapeSet{}, row.gone
			shape := func(kind string, n int) string {
				return strings.Repeat("x", row.length) + fmt.Sprintf("%s %07d", kind, n)
			}
			for look := range row.gone {
				shapes.see(shape("gone", look), at(look), 1)
			}
			for n := range row.borne {
				shapes.see(shape("borne", n), at(last), 1)
			}
			got := shapes.bounded(at(last))
			for n := range row.borne {
				if !got.has(shape("borne", n)) {
					t.Fatal("a shape is forgotten that a process has")
				}
			}
			if left := len(got) - row.borne; left != row.kept {
				t.Errorf("%d are kept, want %d", left, row.kept)
			}
			for look := range row.gone {
				if left := len(got) - row.borne; got.has(shape("gone", look)) != (look >= row.gone-left) {
					t.Fatalf("of %d, kept %d: that of look %d is not where it should be", row.gone, left, look)
				}
			}
		})
	}
}
