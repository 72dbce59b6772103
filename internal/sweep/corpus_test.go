package sweep

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// recording is a run of real clients and servers: before something was killed,
// and twice after, with what has to be reaped and what must not be touched.
type recording struct {
	Name      string            `json:"name"`
	Snapshots []json.RawMessage `json:"snapshots"`
	Truth     struct {
		Reap, Keep []int
	} `json:"truth"`
	Containers struct {
		Reap, Keep []string
	} `json:"containers"`
}

func recordings(t *testing.T) []recording {
	t.Helper()
	files, err := filepath.Glob("testdata/corpus/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	var found []recording
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var r recording
		if err := json.Unmarshal(data, &r); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		found = append(found, r)
	}
	return found
}

func (r recording) snapshots(t *testing.T) []*inventory.Snapshot {
	t.Helper()
	var snapshots []*inventory.Snapshot
	for _, raw := range r.Snapshots {
		snapshot, err := inventory.Read(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		snapshots = append(snapshots, snapshot)
	}
	return snapshots
}

// reaped are the PIDs and container ids that a replay under the shipped policy
// would reap.
func reaped(t *testing.T, snapshots ...*inventory.Snapshot) (pids []int, containers []string) {
	t.Helper()
	sweeper := &Sweeper{Catalogue: catalogue.New(), Policy: load(t, "version: 1\nextends: builtin\n"), OneShot: true}
	view, err := sweeper.Replay(snapshots)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range view.Verdicts {
		switch {
		case v.Decision != policy.Reap:
		case v.Target.Kind == graph.KindContainer:
			containers = append(containers, v.Target.ID)
		default:
			pids = append(pids, v.Target.PIDs()...)
		}
	}
	return pids, containers
}

func TestRecordedWorldsComeOutRight(t *testing.T) {
	for _, r := range recordings(t) {
		t.Run(r.Name, func(t *testing.T) {
			pids, containers := reaped(t, r.snapshots(t)...)
			compare(t, "process", pids, r.Truth.Reap, r.Truth.Keep)
			compare(t, "container", containers, r.Containers.Reap, r.Containers.Keep)
		})
	}
}

func compare[T comparable](t *testing.T, what string, got, reap, keep []T) {
	t.Helper()
	for _, want := range reap {
		if !slices.Contains(got, want) {
			t.Errorf("%s %v is an orphan and would not be reaped", what, want)
		}
	}
	for _, kept := range keep {
		if slices.Contains(got, kept) {
			t.Errorf("%s %v is not to be touched and would be reaped", what, kept)
		}
	}
}

func TestWhatIsInUseIsKeptForEver(t *testing.T) {
	for _, r := range recordings(t) {
		t.Run(r.Name, func(t *testing.T) {
			first, again := r.snapshots(t)[0], r.snapshots(t)[0]
			again.TakenAt = again.TakenAt.Add(20 * time.Second)
			if pids, containers := reaped(t, first, again); len(pids)+len(containers) > 0 {
				t.Errorf("everything is in use, and these would be reaped: %v %v", pids, containers)
			}
		})
	}
}

func TestOneLookReapsNothing(t *testing.T) {
	for _, r := range recordings(t) {
		for _, snapshot := range r.snapshots(t) {
			if pids, containers := reaped(t, snapshot); len(pids)+len(containers) > 0 {
				t.Errorf("%s: one witness, and these would be reaped: %v %v", r.Name, pids, containers)
			}
		}
	}
}

func TestASourceThatFailedInEitherLookLeavesItsConclusionsOpen(t *testing.T) {
	for _, r := range recordings(t) {
		for _, source := range []string{inventory.SourceProcesses, inventory.SourceDocker} {
			for look := 1; look <= 2; look++ {
				snapshots := r.snapshots(t)
				failed := snapshots[len(snapshots)-look]
				for i := range failed.Sources {
					if failed.Sources[i].Name == source {
						failed.Sources[i].Status = inventory.StatusError
					}
				}
				if source == inventory.SourceDocker {
					failed.Containers = nil
				}
				pids, containers := reaped(t, snapshots...)
				last := snapshots[len(snapshots)-1]
				pids = slices.DeleteFunc(pids, func(pid int) bool { return source == inventory.SourceDocker && !isRunner(last, pid) })
				if len(containers)+len(pids) > 0 {
					t.Errorf("%s: %s failed in the last look but %d, and these would be reaped: %v %v", r.Name, source, look-1, pids, containers)
				}
			}
		}
	}
}

// isRunner reports a `docker run`: ending one leaks its container.
func isRunner(s *inventory.Snapshot, pid int) bool {
	return slices.ContainsFunc(s.Processes, func(p inventory.Process) bool { return p.PID == pid && p.Comm == "docker" })
}

func TestAReplayDoesNotGoBackInTime(t *testing.T) {
	snapshots := recordings(t)[0].snapshots(t)
	sweeper := &Sweeper{Catalogue: catalogue.New(), Policy: load(t, "version: 1\nextends: builtin\n"), OneShot: true}
	_, err := sweeper.Replay([]*inventory.Snapshot{snapshots[1], snapshots[0]})
	if err == nil || !strings.Contains(err.Error(), "oldest first") {
		t.Errorf("want a refusal, got %v", err)
	}
	soon := *snapshots[0]
	soon.TakenAt = soon.TakenAt.Truncate(time.Second).Add(70 * time.Millisecond)
	sooner := soon
	sooner.TakenAt = soon.TakenAt.Add(-50 * time.Millisecond)
	if _, err := sweeper.Replay([]*inventory.Snapshot{&soon, &sooner}); err == nil || !strings.Contains(err.Error(), ".02Z, before") || !strings.Contains(err.Error(), ".07Z)") {
		t.Errorf("of two in one second the times do not differ: %v", err)
	}
	if _, err := sweeper.Replay([]*inventory.Snapshot{snapshots[0], snapshots[0]}); err != nil {
		t.Errorf("equal times are allowed, got %v", err)
	}
	if _, err := sweeper.Replay(nil); err == nil {
		t.Error("a replay of nothing is a fault")
	}
}
