package state

import (
	"maps"
	"os"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

func TestWhoLeftWhatIsKeptForOneBoot(t *testing.T) {
	dir := Dir(t.TempDir())
	kept := map[string]graph.Owner{
		"57:1": {Name: "codex", Kind: graph.OwnerSession, ID: inventory.ID{PID: 12, Start: 7}, Liveness: graph.LivenessGone, Since: noon},
		"61:1": {Name: "a launcher", Kind: graph.OwnerProcess, Liveness: graph.LivenessGone, Since: noon.Add(time.Minute)}, // never seen itself
	}
	if owners, err := dir.Left("boot-1"); err != nil || len(owners) > 0 {
		t.Errorf("before the first: %v, %v", owners, err)
	}
	if err := dir.KeepLeft("boot-1", kept); err != nil {
		t.Fatal(err)
	}
	if owners, err := dir.Left("boot-1"); err != nil || !maps.Equal(owners, kept) {
		t.Errorf("got %+v, %v", owners, err)
	}
	if owners, err := dir.Left("boot-2"); err != nil || len(owners) > 0 {
		t.Errorf("in another boot: %v, %v", owners, err)
	}
	if err := os.WriteFile(dir.path(leftFile), []byte("{"), privateFile); err != nil {
		t.Fatal(err)
	}
	if owners, err := dir.Left("boot-1"); err == nil || len(owners) > 0 {
		t.Errorf("a damaged file: %v, %v", owners, err)
	}
}
