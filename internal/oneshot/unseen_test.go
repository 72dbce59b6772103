package oneshot

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/sweep"
)

// TestAContainerBehindAnAbsentEngineIsNotDenied: it may run; only nobody can see it.
func TestAContainerBehindAnAbsentEngineIsNotDenied(t *testing.T) {
	weather := serve.SeenContainer{ID: "0123", Name: "weather", Handle: "eager_fermi", Owner: "codex 12"}
	absent := inventory.Source{Name: inventory.SourceDocker, Status: inventory.StatusAbsent, Reason: "no engine socket found"}
	hung := inventory.Source{Name: inventory.SourceDocker, Endpoint: "unix:///run/docker.sock", Status: inventory.StatusError, Reason: "it does not answer"}
	read := inventory.Source{Name: inventory.SourceDocker, Status: inventory.StatusOK}
	const denied = ": no such MCP server, container or session here"
	for _, row := range []struct {
		world  string
		docker inventory.Source
		knows  []serve.SeenContainer
		word   string
		want   string
		notes  []string
	}{
		{"the engine is gone", absent, []serve.SeenContainer{weather}, "eager_fermi", "weather eager_fermi of codex 12 cannot be seen now: docker is absent: no engine socket found",
			[]string{"docker is absent: no engine socket found: 1 container that the daemon saw before cannot be seen now: weather eager_fermi of codex 12"}},
		{"by the name of its server", absent, []serve.SeenContainer{weather}, "weather", "weather eager_fermi of codex 12 cannot be seen now: docker is absent: no engine socket found",
			[]string{"docker is absent: no engine socket found: 1 container that the daemon saw before cannot be seen now: weather eager_fermi of codex 12"}},
		{"another word", absent, []serve.SeenContainer{weather}, "fetch", "fetch" + denied,
			[]string{"docker is absent: no engine socket found: 1 container that the daemon saw before cannot be seen now: weather eager_fermi of codex 12"}},
		{"the daemon has never seen it", absent, nil, "eager_fermi", "eager_fermi" + denied, nil},
		{"the engine answers: it has ended since", read, []serve.SeenContainer{weather}, "eager_fermi", "eager_fermi" + denied, nil},
		{"the engine hangs", hung, []serve.SeenContainer{weather}, "eager_fermi",
			"weather eager_fermi of codex 12 cannot be seen now: docker could not be read: it does not answer",
			[]string{"docker could not be read: it does not answer: 1 container that the daemon saw before cannot be seen now: weather eager_fermi of codex 12"}},
	} {
		look := &graph.Graph{Snapshot: &inventory.Snapshot{TakenAt: time.Now(), Sources: []inventory.Source{{Name: inventory.SourceProcesses, Status: inventory.StatusOK}, row.docker}}}
		sight := recorded(t, policyfile.Shipped())
		sight.View = sweep.View{Graph: look}
		sight.host, sight.daemon = nil, &serve.State{Containers: row.knows, Mode: policy.ModeEnforce, LastSweep: &serve.Sweep{}}
		if err := sight.notSeen([]string{row.word}, sight.daemon); err == nil || err.Error() != row.want {
			t.Errorf("%s: %v, want %s", row.world, err, row.want)
		}
		if notes := sight.daemonNotes(); !slices.Equal(notes, row.notes) {
			t.Errorf("%s: %q, want %q", row.world, notes, row.notes)
		}
	}
}

// TestWhatTheDaemonIsAboutToReapIsNotSaidToHaveEndedWithoutAnAct: its answer is of the moment before.
func TestWhatTheDaemonIsAboutToReapIsNotSaidToHaveEndedWithoutAnAct(t *testing.T) {
	at := time.Date(2026, 11, 22, 10, 6, 45, 0, time.Local)
	sight := &Sight{state: state.Dir(t.TempDir()), daemon: &serve.State{Leavers: leavers(at)}}
	sight.View.Graph = &graph.Graph{Snapshot: &inventory.Snapshot{TakenAt: at.Add(time.Minute)}}
	record, err := journal.Open(sight.journal(), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer record.Close()
	for id, write := range map[string]func(journal.Entry) error{"22:1000": record.Intend, "31:1001": record.Done} {
		if err := write(journal.Entry{ID: id, TargetID: id, Name: "fetch", Owner: "claude-code 12:900", Result: "exited", Time: at}); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := sight.knownOf("12", sight.daemon), "claude-code 12 ended 2026-11-22 10:06:45. No server or container that it left runs any more"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestWhatHasEndedIsNotDenied: explain knows it, and so does what a person types next.
func TestWhatHasEndedIsNotDenied(t *testing.T) {
	at := time.Date(2026, 11, 22, 10, 6, 46, 0, time.Local)
	told := &serve.State{Gone: []serve.Gone{
		{ID: "31:900", Kind: graph.KindServer, Name: "git", Handle: "31", Owner: "claude-code", OwnerID: "12:900", At: at, How: serve.EndedByItself},
		{ID: "33:900", Kind: graph.KindServer, Name: "time", Handle: "33", Owner: "claude-code", OwnerID: "12:900", At: at, How: serve.EndedByHand},
		{ID: "12:900", Kind: graph.KindSession, Name: "claude-code", Handle: "12", At: at, How: serve.EndedByItself},
	}, UnderWay: []serve.Begun{{Target: "50:900", Name: "memory", Action: policy.ActionTerminate, Rule: "orphaned-servers", Tree: []string{"50:900", "51:900"}}}}
	look := &graph.Graph{Snapshot: &inventory.Snapshot{TakenAt: at.Add(time.Minute), Sources: []inventory.Source{{Name: inventory.SourceProcesses, Status: inventory.StatusOK}}}}
	for word, want := range map[string]string{
		"31":         "git 31 ended with its session claude-code 12, as seen 2026-11-22 10:06:46",
		"git":        "git 31 ended with its session claude-code 12, as seen 2026-11-22 10:06:46",
		"time":       "time 33, left by claude-code 12, ended by a sweep by hand, as seen 2026-11-22 10:06:46",
		"50":         "memory 50 is being stopped (rule orphaned-servers), and has ended itself: pin, sweep and pause come too late for the rest of it",
		"5":          "5: no such MCP server, container or session here",
		"nobody-two": "nobody-two: no such MCP server, container or session here",
		"31 nobody":  "git 31 ended with its session claude-code 12, as seen 2026-11-22 10:06:46; nobody: no such MCP server, container or session here",
	} {
		sight := recorded(t, policyfile.Shipped())
		sight.View = sweep.View{Graph: look}
		if err := sight.notSeen(strings.Fields(word), told); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", word, err, want)
		}
	}
}

// TestWhatIsLeftOfATreeIsKnownByTheNumberOfItsFirstProcess, while it is being stopped.
func TestWhatIsLeftOfATreeIsKnownByTheNumberOfItsFirstProcess(t *testing.T) {
	sight := &Sight{state: state.Dir(t.TempDir()), sweeper: &sweep.Sweeper{}, daemon: &serve.State{}}
	sight.View.Graph = &graph.Graph{Snapshot: &inventory.Snapshot{TakenAt: time.Now(), Sources: []inventory.Source{{Name: inventory.SourceProcesses, Status: inventory.StatusOK}}}}
	record, err := journal.Open(sight.journal(), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer record.Close()
	tree := []journal.Process{{PID: 50, Start: 900}, {PID: 51, Start: 900}}
	if err := record.Intend(journal.Entry{ID: "a", TargetID: "50:900", Name: "memory", Action: "terminate", Rule: "orphaned-servers", Tree: tree, Time: time.Now()}); err != nil {
		t.Fatal(err)
	}
	runsSince(t, sight.state, time.Now().Add(-time.Hour), func() {
		if got, want := sight.knownOf("50", sight.daemon), "memory 50 is being stopped (rule orphaned-servers), and has ended itself: pin, sweep and pause come too late for the rest of it"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	})
	if got := sight.knownOf("50", sight.daemon); got != "" {
		t.Errorf("its reaperd was killed: %q", got)
	}
}
