package pins

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/state"
)

const box = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// engine is a look at an engine that has one container in each of the states.
func engine(status inventory.Status, states ...string) *inventory.Snapshot {
	look := &inventory.Snapshot{Sources: []inventory.Source{{Name: inventory.SourceDocker, Status: status}}}
	for _, s := range states {
		look.Containers = append(look.Containers, inventory.Container{ID: box, State: s})
	}
	return look
}

func TestAPinOfWhatHasExitedSaysSo(t *testing.T) {
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
		holds   string
	}{
		{"a process of the tree runs", process, []string{"23:1"}, engine(gone), "true", "until unpinned"},
		{"none of them does", process, nil, engine(gone), "false", "no longer: it has ended"},
		{"a container runs", container, nil, engine(ok, "running"), "true", "until 2026-11-22 20:00:00"},
		{"it has exited, and its pin keeps it from being removed", container, nil, engine(ok, "exited"), "false", "until 2026-11-22 20:00:00"},
		{"it is no more", container, nil, engine(ok), "false", "no longer: it has ended"},
		{"its engine is gone", container, nil, engine(gone), "unknown", "until 2026-11-22 20:00:00"},
		{"its engine does not answer", container, nil, engine(inventory.StatusError), "unknown", "until 2026-11-22 20:00:00"},
		{"not all containers could be read", container, nil, engine(inventory.StatusPartial), "unknown", "until 2026-11-22 20:00:00"},
		{"a docker run has exited, and its container runs", runner, nil, engine(ok, "running"), "true", "until unpinned"},
		{"a docker run has exited, and its engine is gone", runner, nil, engine(gone), "unknown", "until unpinned"},
		{"both are gone", runner, nil, engine(ok), "false", "no longer: it has ended"},
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
		if running != row.running || got.holds() != row.holds {
			t.Errorf("%s: running %s, %q; want %s, %q", row.world, running, got.holds(), row.running, row.holds)
		}
	}
	unread := present{}
	if got := unread.line(process); got.Running != nil || got.holds() != "until unpinned" {
		t.Errorf("the process table could not be read: %+v", got)
	}
}

func TestAPinSaysThatItsOwnerHasEnded(t *testing.T) {
	pinned := state.Pin{ID: "22:1", Owner: "codex 12", OwnerID: "12:1"}
	unknown := state.Pin{ID: "22:1", Owner: "codex 12"} // pinned before owners had an id
	for _, row := range []struct {
		world     string
		pin       state.Pin
		processes map[string]bool // nil: they could not be read
		want      string
	}{
		{"it lives", pinned, map[string]bool{"12:1": true}, "codex 12"},
		{"it has ended", pinned, map[string]bool{"22:1": true}, "codex 12, which is gone"},
		{"another process has its PID", pinned, map[string]bool{"12:7": true}, "codex 12, which is gone"},
		{"the process table could not be read", pinned, nil, "codex 12"},
		{"nobody knows which process it was", unknown, map[string]bool{}, "codex 12"},
	} {
		now := present{processes: row.processes}
		got := now.line(row.pin)
		if got.owner() != row.want {
			t.Errorf("%s: %q, want %q", row.world, got.owner(), row.want)
		}
	}
}

func TestPinsOfWhatHasEndedDoNotCount(t *testing.T) {
	process, container := state.Pin{ID: "22:1", Members: []string{"22:1", "23:1"}}, state.Pin{ID: box, Container: "eager_fermi"}
	for _, row := range []struct {
		world string
		runs  []int // PIDs
		look  *inventory.Snapshot
		want  []state.Pin
	}{
		{"both run", []int{22}, engine(inventory.StatusOK, "running"), []state.Pin{process, container}},
		{"a child of the server still runs", []int{23}, engine(inventory.StatusOK), []state.Pin{process}},
		{"a stopped container is kept from being removed", nil, engine(inventory.StatusOK, "exited"), []state.Pin{container}},
		{"the engine is away: the container may be there", nil, engine(inventory.StatusAbsent), []state.Pin{container}},
		{"both have ended", nil, engine(inventory.StatusOK), []state.Pin{}},
	} {
		for _, pid := range row.runs {
			row.look.Processes = append(row.look.Processes, inventory.Process{PID: pid, Start: 1})
		}
		if got := MayBeThere(row.look, []state.Pin{process, container}); !reflect.DeepEqual(got, row.want) {
			t.Errorf("%s: %v, want %v", row.world, got, row.want)
		}
	}
}

// TestPinsThatHoldNoLongerAreListedWithWhatRemovesThem.
func TestPinsThatHoldNoLongerAreListedWithWhatRemovesThem(t *testing.T) {
	list := List{{Pin: state.Pin{ID: "22:1", Name: "codex"}, gone: true}, {Pin: state.Pin{ID: "23:1", Name: "pi"}}, {Pin: state.Pin{ID: "24:1", Name: "pi"}, gone: true}}
	if hold, over := list.Count(); hold != 1 || over != 2 {
		t.Errorf("%d hold and %d do not, want 1 and 2", hold, over)
	}
	for want, l := range map[string]List{"\n\nreaperd unpin 22 24   removes what holds no longer\n": list, "until unpinned  0001-01-01 00:00:00\n": list[1:2]} {
		var out strings.Builder
		if err := l.Write(&out, 160); err != nil || !strings.HasSuffix(strings.TrimRight(out.String(), " \n")+"\n", want) {
			t.Errorf("%v: want %q at the end of\n%q", err, want, out.String())
		}
	}
}
