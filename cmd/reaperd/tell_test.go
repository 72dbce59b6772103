package main

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
	"github.com/reaperd/reaperd/internal/exits"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
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
			teller := &teller{}
			for i, look := range row.looks {
				g := &graph.Graph{
					Snapshot: &inventory.Snapshot{TakenAt: noon.Add(time.Duration(look.minute) * time.Minute)},
					Targets:  []*graph.Target{{ID: "50:200", Kind: graph.KindGateway, Name: "docker-mcp", Respawns: look.counted}},
				}
				if got := teller.newRespawns(g); got["50:200"] != look.fresh || len(got) > 1 {
					t.Errorf("look %d: %v, want %d of the gateway", i+1, got, look.fresh)
				}
				if got := teller.newRespawns(nil); len(got) > 0 { // a sweep that saw nothing
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
	d := &daemon{watcher: exits.New()}
	defer d.watcher.Close()
	teller := &teller{daemon: d, eventsUp: engines.EventsUp}
	if _, shown := teller.events()[inventory.SourceDocker]; shown {
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
	for deadline := time.Now().Add(30 * time.Second); !teller.events()[inventory.SourceDocker]; {
		if time.Now().After(deadline) {
			t.Fatalf("%v after 30s", teller.events())
		}
		<-tick.C
	}
	cancel()
	for range told {
		t.Error("an event")
	}
}

// newTestTeller is the teller of a daemon that nothing was started of.
func newTestTeller(t *testing.T) *teller {
	t.Helper()
	folder := t.TempDir()
	opened, err := journal.Open(filepath.Join(folder, "journal.jsonl"), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := &daemon{dir: state.Dir(folder), journal: opened, watcher: exits.New()}
	t.Cleanup(func() {
		d.watcher.Close()
		opened.Close()
	})
	return &teller{daemon: d, eventsUp: docker.New(docker.Options{}).EventsUp}
}

func TestAnUpdateHasThePauseAndTheSchedule(t *testing.T) {
	teller := newTestTeller(t)
	p, err := policy.Load(builtin(), builtin())
	if err != nil {
		t.Fatal(err)
	}
	until := time.Now().Add(time.Hour).Truncate(time.Second)
	if err := teller.daemon.dir.Pause(time.Now(), state.Pause{Until: until, Reason: "release today"}); err != nil {
		t.Fatal(err)
	}
	got := teller.update(sweep.Round{Policy: p, Paused: true, Err: errors.New("no table")})
	if !got.Paused || !got.PausedUntil.Equal(until) || got.PauseReason != "release today" {
		t.Errorf("paused %v until %v (%s)", got.Paused, got.PausedUntil, got.PauseReason)
	}
	if got.Schedule.Spec != p.Schedule.Spec || got.Result != serve.ResultFailed {
		t.Errorf("schedule %q, result %s", got.Schedule.Spec, got.Result)
	}
}
