package pins

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/state"
)

func TestAPinOfWhatHasExitedSaysSo(t *testing.T) {
	box := strings.Repeat("0123456789abcdef", 4)
	engine := func(status inventory.Status, states ...string) *inventory.Snapshot {
		look := &inventory.Snapshot{Sources: []inventory.Source{{Name: inventory.SourceDocker, Status: status}}}
		for _, s := range states {
			look.Containers = append(look.Containers, inventory.Container{ID: box, State: s})
		}
		return look
	}
	const ok, gone = inventory.StatusOK, inventory.StatusAbsent
	process, container := state.Pin{ID: "22:1", Members: []string{"22:1", "23:1"}}, state.Pin{ID: box, Container: "eager_fermi"}
	runner := state.Pin{ID: "22:1", Members: []string{"22:1", box}}
	until := time.Date(2026, time.November, 22, 20, 0, 0, 0, time.Local)
	container.Until = until
	for _, row := range []struct {
		world   string
		pin     state.Pin
		runs    []string // processes
		look    *inventory.Snapshot
		running string // true, false or unknown
		until   string
	}{
		{"a process of the tree runs", process, []string{"23:1"}, engine(gone), "true", "until unpinned"},
		{"none of them does", process, nil, engine(gone), "false", "exited"},
		{"a container runs", container, nil, engine(ok, "running"), "true", "2026-11-22 20:00:00"},
		{"it has exited, and its pin keeps it from being removed", container, nil, engine(ok, "exited"), "false", "2026-11-22 20:00:00"},
		{"it is no more", container, nil, engine(ok), "false", "exited"},
		{"its engine is gone", container, nil, engine(gone), "unknown", "2026-11-22 20:00:00"},
		{"its engine does not answer", container, nil, engine(inventory.StatusError), "unknown", "2026-11-22 20:00:00"},
		{"not all containers could be read", container, nil, engine(inventory.StatusPartial), "unknown", "2026-11-22 20:00:00"},
		{"a docker run has exited, and its container runs", runner, nil, engine(ok, "running"), "true", "until unpinned"},
		{"a docker run has exited, and its engine is gone", runner, nil, engine(gone), "unknown", "until unpinned"},
		{"both are gone", runner, nil, engine(ok), "false", "exited"},
	} {
		now := present{processes: map[string]bool{}}
		for _, id := range row.runs {
			now.processes[id] = true
		}
		now.addContainers(row.look)
		got := now.line(row.pin)
		running := "unknown"
		if got.Running != nil {
			running = map[bool]string{true: "true", false: "false"}[*got.Running]
		}
		if running != row.running || got.until() != row.until {
			t.Errorf("%s: running %s, %q; want %s, %q", row.world, running, got.until(), row.running, row.until)
		}
	}
	unread := present{}
	if got := unread.line(process); got.Running != nil || got.until() != "until unpinned" {
		t.Errorf("the process table could not be read: %+v", got)
	}
}
