package state

import (
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

func TestWhatADaemonRemembersIsKeptForOneBoot(t *testing.T) {
	codex := graph.Owner{Name: "codex", Kind: graph.OwnerSession, ID: inventory.ID{PID: 12, Start: 7}, Liveness: graph.LivenessGone, Since: noon}
	d, kept := freshDir(t), Memory{
		Version: version, BootID: "boot-1", ByShape: []string{"57:1", "61:1"},
		Began: map[string]graph.Began{"70:1": {By: codex, UID: inventory.Known(1000)}},
		Left: map[string]graph.Owner{
			"57:1": codex,
			"61:1": {Name: "a launcher", Kind: graph.OwnerProcess, Liveness: graph.LivenessGone, Since: noon.Add(time.Minute)}, // never seen itself
		},
	}
	if got, err := d.Memory("boot-1"); err != nil || !reflect.DeepEqual(got, Memory{}) {
		t.Errorf("before the first: %+v, %v", got, err)
	}
	if err := d.Remember(kept); err != nil {
		t.Fatal(err)
	}
	for boot, want := range map[string]Memory{"boot-1": kept, "boot-2": {}, "": {}} {
		if got, err := d.Memory(boot); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("in boot %q: %+v, %v", boot, got, err)
		}
	}
	if err := os.WriteFile(d.path(memoryFile), []byte("{"), privateFile); err != nil {
		t.Fatal(err)
	}
	if got, err := d.Memory("boot-1"); err == nil || !reflect.DeepEqual(got, Memory{}) {
		t.Errorf("a damaged file: %+v, %v", got, err)
	}
}

// TestOfTooMuchWhatIsJudgedByIsKept: a user can leave behind any number of things.
func TestOfTooMuchWhatIsJudgedByIsKept(t *testing.T) {
	d, many := freshDir(t), Memory{BootID: "boot-1", Left: map[string]graph.Owner{}}
	for i := range 3 * mostShapes {
		many.ByShape = append(many.ByShape, strconv.Itoa(i+1)+":9999999999")
	}
	if err := d.Remember(many); err != nil {
		t.Fatal(err)
	}
	if got, err := d.Memory("boot-1"); err != nil || !slices.Equal(got.ByShape, many.ByShape[:mostShapes]) {
		t.Errorf("of very many: %d, %v", len(got.ByShape), err)
	}
	many.Left["57:1"] = graph.Owner{Name: strings.Repeat("x", maxFile)}
	if err := d.Remember(many); err != nil {
		t.Fatal(err)
	}
	if got, err := d.Memory("boot-1"); err != nil || len(got.ByShape) != mostShapes || len(got.Left) != 0 {
		t.Errorf("of too large a file: %d by shape, %d left, %v", len(got.ByShape), len(got.Left), err)
	}
}
