package status

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
)

// TestTheLinesOfTheDocumentationAreWritten reads the table of docs/status-line.md.
func TestTheLinesOfTheDocumentationAreWritten(t *testing.T) {
	idle := slices.Repeat([]serve.Client{{Idle: true, MemoryBytes: 825e6}}, 4)
	written := []string{Off, Roots, Roots + ", " + serve.Glance{Paused: true}.InShort(), NoAnswer}
	for _, is := range []serve.State{
		{Ready: true, TargetsInUse: 12},
		{Ready: true, TargetsInUse: 12, TargetsMaybeInUse: 3},
		{Ready: true, TargetsInUse: 12, Pending: make([]serve.Pending, 2)},
		{Ready: true, TargetsInUse: 12, TargetsInUseGoing: 3, Pending: make([]serve.Pending, 5)},
		{Ready: true, TargetsInUse: 12, TargetsInUseGoing: 12, Pending: make([]serve.Pending, 12)},
		{Ready: true, TargetsInUse: 12, TargetsInUseGoing: 1, Pending: make([]serve.Pending, 1)},
		{Ready: true, Mode: policy.ModeEnforce, TargetsInUse: 12, Findings: []serve.Count{{Finding: graph.FindingOrphaned, Decision: "reap", UnderWay: true, Number: 2}}},
		{Ready: true, Mode: policy.ModeEnforce, TargetsInUse: 12, Findings: []serve.Count{{Finding: graph.FindingIdle, Decision: "reap", Number: 6}}},
		{Ready: true, TargetsInUse: 12, Findings: []serve.Count{{Finding: graph.FindingDuplicate, Decision: "keep", Number: 3}}},
		{Ready: true, TargetsInUse: 12, InUse: idle},
		{Ready: true, Mode: policy.ModeEnforce, TargetsInUse: 12, InUse: []serve.Client{{IdleSeconds: new(60.0), StopsAt: time.Time{}.Add(time.Hour + time.Minute), StopsBy: "idle-sessions"}}},
		{Ready: true, Mode: policy.ModeEnforce, TargetsInUse: 12, Resting: make([]serve.Pending, 1)},
		{Ready: true, TargetsInUse: 12, Paused: true},
		{Ready: true, TargetsInUse: 12, Paused: true, Findings: []serve.Count{
			{Finding: graph.FindingOrphaned, Decision: "reap", UnderWay: true, Number: 3}, {Finding: graph.FindingOrphaned, Decision: "reap", Number: 2},
		}},
		{Ready: true, TargetsInUse: 12, Mode: policy.ModeReport},
		{Ready: true, TargetsInUse: 12, Mode: policy.ModeReport, Pending: make([]serve.Pending, 1), Findings: []serve.Count{
			{Finding: graph.FindingZombies, Decision: "reap", Number: 1}, {Finding: graph.FindingNone, Decision: "reap", Number: 1},
			{Finding: graph.FindingOrphaned, Decision: "keep", Ends: true, Number: 1}, {Finding: graph.FindingOrphaned, Decision: "reap", Gone: true, Number: 1},
		}},
		{Ready: true, TargetsInUse: 12, Policy: serve.PolicyState{SHA256: "0123456789ab", Faults: []string{"policies.yaml:3: unknown key"}}},
		{Ready: true, TargetsInUse: 12, Sources: []inventory.Source{{Name: inventory.SourceDocker, Status: inventory.StatusError}}},
		{Ready: true, TargetsInUse: 12, Sources: []inventory.Source{{Name: inventory.SourceDocker, Status: inventory.StatusAbsent}}, Containers: []serve.SeenContainer{{UnseenSince: time.Now()}}},
		{Ready: true, TargetsInUse: 12, NoRoomIn: "/var/lib/reaperd"},
		{},
		{StartedAt: time.Time{}.Add(time.Hour - time.Second)},
	} {
		var line strings.Builder
		if err := WriteShort(&line, Of(&is, nil, time.Time{}.Add(time.Hour))); err != nil {
			t.Fatal(err)
		}
		written = append(written, strings.TrimSpace(line.String()))
	}
	text, err := os.ReadFile("../../docs/status-line.md")
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, row := range regexp.MustCompile("(?m)^\\| `(reaperd: [^`]+)` \\|").FindAllStringSubmatch(string(text), -1) {
		told = append(told, row[1])
	}
	slices.Sort(told)
	slices.Sort(written)
	if !slices.Equal(told, written) {
		t.Errorf("docs/status-line.md shows\n%s\nand these are written:\n%s", strings.Join(told, "\n"), strings.Join(written, "\n"))
	}
}

// TestAPromptCountsASessionThatIsBeingStoppedOnce: it is idle, and that is why.
func TestAPromptCountsASessionThatIsBeingStoppedOnce(t *testing.T) {
	is := serve.State{Ready: true, TargetsInUse: 2, InUse: []serve.Client{{Idle: true, MemoryBytes: 241e6, UnderWay: true}}, Findings: []serve.Count{
		{Finding: graph.FindingIdle, Decision: "reap", UnderWay: true, Number: 1}, {Finding: graph.FindingNone, Decision: "reap", UnderWay: true, Number: 5},
	}}
	if got, want := Of(&is, nil, time.Now()).short(), "2 in use, 6 being stopped"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestAPromptTellsOffFromRootsDaemon(t *testing.T) {
	for _, row := range []struct {
		runs, tells bool
		told        serve.Glance
		want        string
	}{
		{false, true, serve.Glance{Paused: true}, Off}, // another's port
		{true, false, serve.Glance{}, Roots},
		{true, true, serve.Glance{}, Roots},
		{true, true, serve.Glance{Paused: true}, Roots + ", paused"},
		{true, true, serve.Glance{Paused: true, Reports: true}, Roots + ", paused, mode report"},
		{true, true, serve.Glance{NotReady: "the journal takes no record", Paused: true}, Roots + ", NOT WELL"},
	} {
		got := shortAbsent(func() (state.Daemon, bool) { return state.Daemon{PID: 1}, row.runs }, func() (serve.Glance, bool) { return row.told, row.tells })
		if got != row.want {
			t.Errorf("%+v: %q", row, got)
		}
	}
}
