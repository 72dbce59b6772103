package daemon

import (
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/state"
)

func TestPinsOfNowAndOfALook(t *testing.T) {
	dir := state.Dir(t.TempDir())
	p, target, seen := &pinned{dir: dir, log: slog.New(slog.DiscardHandler)}, &graph.Target{ID: "7:1", Name: "time"}, &inventory.Snapshot{TakenAt: time.Now()}
	before := p.at(seen)
	if err := dir.Pin(os.Geteuid(), "", time.Now(), state.PinOfProcess(inventory.ID{PID: 7, Start: 1}, "time", "")); err != nil {
		t.Fatal(err)
	}
	if _, isPinned := before(target); isPinned {
		t.Error("the last look knew of a pin that came later")
	}
	if _, isPinned := p.now(target); !isPinned {
		t.Error("a new pin is not heard")
	}
	if _, isPinned := p.at(seen)(target); !isPinned {
		t.Error("a look does not read the pins")
	}
}
