package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/docker"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/reap"
	"github.com/reaperd/reaperd/internal/scan"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/sweep"
)

func TestARespawnIsToldOnce(t *testing.T) {
	noon := time.Date(2026, time.November, 26, 12, 0, 0, 0, time.UTC)
	type look struct {
		minute, counted, fresh int
	}
	for _, row := range []struct {
		says  string
		looks []look
	}{
		{"one after the other", []look{{0, 0, 0}, {1, 1, 1}, {2, 3, 2}, {3, 3, 0}}},
		{"as many come as are counted no longer", []look{{0, 2, 2}, {5, 2, 0}, {11, 2, 2}, {12, 2, 0}}},
		{"fewer come than are counted no longer", []look{{0, 3, 3}, {4, 4, 1}, {11, 2, 1}, {15, 1, 0}, {30, 0, 0}}},
		{"at the very end of the memory", []look{{0, 1, 1}, {10, 2, 1}, {11, 1, 0}}},
	} {
		t.Run(row.says, func(t *testing.T) {
			var counted respawns
			for i, look := range row.looks {
				g := &graph.Graph{
					Snapshot: &inventory.Snapshot{TakenAt: noon.Add(time.Duration(look.minute) * time.Minute)},
					Targets:  []*graph.Target{{ID: "50:200", Kind: graph.KindGateway, Name: "docker-mcp", Respawns: look.counted}},
				}
				if got := counted.fresh(g); got["50:200"] != look.fresh || len(got) > 1 {
					t.Errorf("look %d: %v, want %d of the gateway", i+1, got, look.fresh)
				}
				if got := counted.fresh(nil); len(got) > 0 { // a sweep that saw nothing
					t.Errorf("look %d: %v without a graph", i+1, got)
				}
			}
		})
	}
}

func TestLostEventsAreSaidOnceAndSoAreThoseThatComeAgain(t *testing.T) {
	type known struct{ up, known bool }
	none, up, lost := known{}, known{true, true}, known{false, true}
	for _, row := range []struct {
		says   string
		states []known
		levels []string
	}{
		{"they come from the start", []known{none, up, up}, nil},
		{"no engine", []known{none, none}, nil},
		{"lost and back", []known{up, lost, lost, up, up}, []string{"WARN", "INFO"}},
		{"never to be had", []known{lost, lost}, []string{"WARN"}},
		{"the engine is stopped in between", []known{up, lost, none, lost, none, up}, []string{"WARN", "INFO"}},
		{"the engine is stopped and started", []known{up, none, up}, nil},
	} {
		t.Run(row.says, func(t *testing.T) {
			var said bytes.Buffer
			teller := &teller{log: slog.New(slog.NewJSONHandler(&said, nil))}
			for _, state := range row.states {
				teller.tellEvents(state.up, state.known)
			}
			var levels []string
			for line := range strings.Lines(said.String()) {
				var record struct{ Level string }
				if err := json.Unmarshal([]byte(line), &record); err != nil {
					t.Fatal(err)
				}
				levels = append(levels, record.Level)
			}
			if !slices.Equal(levels, row.levels) {
				t.Errorf("said %v, want %v", levels, row.levels)
			}
		})
	}
}

// events answers a ping, and a question for events with none for as long as it is
// asked.
func events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Api-Version", "1.41")
	w.(http.Flusher).Flush()
	if strings.HasSuffix(r.URL.Path, "/events") {
		<-r.Context().Done()
	}
}

func TestTheEventsOfAnEngineThatIsThereAreShown(t *testing.T) {
	folder, err := os.MkdirTemp("", "reaperd") // a socket's path has to be short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	socket := filepath.Join(folder, "s.sock")
	engines := docker.New(docker.Options{Environment: docker.Environment{
		Getenv: func(name string) string { return map[string]string{"DOCKER_HOST": "unix://" + socket}[name] }, OS: "linux",
	}})
	defer engines.Close()
	watcher := scan.NewWatcher()
	defer watcher.Close()
	woken := sources{engines, watcher}
	if _, shown := woken.events()[inventory.SourceDocker]; shown {
		t.Error("shown before an engine was asked")
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(events)}
	go func() { _ = server.Serve(listener) }()
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	told := engines.Events(ctx)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(30 * time.Second); !woken.events()[inventory.SourceDocker]; {
		if time.Now().After(deadline) {
			t.Fatalf("%v after 30s", woken.events())
		}
		<-tick.C
	}
	cancel()
	for range told {
		t.Error("an event")
	}
}

// quiet are sources of which nothing is known.
type quiet struct{}

func (quiet) EventsUp() (up, known bool) { return false, false }
func (quiet) Err() error                 { return nil }
func (quiet) Left() int                  { return 0 }

func TestAnUpdateHasThePauseAndTheSchedule(t *testing.T) {
	publisher := &publisher{
		sources: sources{quiet{}, quiet{}}, failures: func() journal.Failures { return journal.Failures{Writes: 3} },
	}
	p := policyfile.Shipped()
	got := publisher.update(sweep.Round{Policy: p, Paused: true, Err: errors.New("no table")}, nil)
	if !got.Paused || got.Schedule.Spec != p.Schedule.Spec || got.Result != serve.ResultFailed || got.JournalErrors != 3 {
		t.Errorf("paused %v, schedule %q, result %s, %d write errors", got.Paused, got.Schedule.Spec, got.Result, got.JournalErrors)
	}
}

func TestHowASweepEnded(t *testing.T) {
	seen := func(status inventory.Status) sweep.View {
		return sweep.View{Graph: &graph.Graph{Snapshot: &inventory.Snapshot{Sources: []inventory.Source{{Name: inventory.SourceDocker, Status: status}}}}}
	}
	for _, row := range []struct {
		says  string
		round sweep.Round
		want  serve.Result
	}{
		{"all was seen", sweep.Round{View: seen(inventory.StatusOK)}, serve.ResultOK},
		{"no engine is there", sweep.Round{View: seen(inventory.StatusAbsent)}, serve.ResultOK},
		{"an engine does not answer", sweep.Round{View: seen(inventory.StatusError)}, serve.ResultIncomplete},
		{"the host cannot be looked at", sweep.Round{Err: errors.New("no table")}, serve.ResultFailed},
		{"the journal takes no record, as its file is on a full disk", sweep.Round{View: seen(inventory.StatusOK), Refused: &sweep.UnrecordedError{Cause: errors.New("write journal /j: no space left on device")}}, serve.ResultFailed},
		{"the plan was refused", sweep.Round{View: seen(inventory.StatusOK), Refused: sweep.ErrStale}, serve.ResultFailed},
		{"an act was not needed any more", sweep.Round{View: seen(inventory.StatusOK), Outcomes: []sweep.Outcome{{Outcome: reap.Outcome{Result: human.Changed}}}}, serve.ResultOK},
		{"an act failed", sweep.Round{View: seen(inventory.StatusOK), Outcomes: []sweep.Outcome{{Outcome: reap.Outcome{Result: human.ResultFailed}}}}, serve.ResultIncomplete},
		{"an act let something escape", sweep.Round{View: seen(inventory.StatusOK), Outcomes: []sweep.Outcome{{Outcome: reap.Outcome{Result: human.Escaped}}}}, serve.ResultIncomplete},
	} {
		if got, why := resultOf(row.round); got != row.want || (why == "") != (row.want == serve.ResultOK) || strings.Contains(why, "/") {
			t.Errorf("%s: %s (%s), want %s", row.says, got, why, row.want)
		}
	}
}
