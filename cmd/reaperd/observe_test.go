package main

import (
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/discover"
	"github.com/reaperd/reaperd/internal/inventory"
)

func TestAConfiguredServerIsKnownByItsCommandOrItsAddress(t *testing.T) {
	h := &host{configured: discover.NewSet([]discover.Server{
		{Name: "dial", Command: "/usr/local/bin/dialpad-messaging", Folder: "/home/dev", Owner: inventory.Known(1000)},
		{Name: "web", URL: "http://localhost:8931/mcp", Owner: inventory.Known(1000)},
	}, nil)}
	processes := []inventory.Process{
		{PID: 7, Start: 1, UID: inventory.Known(1000), Argv: []string{"/usr/local/bin/dialpad-messaging"}},
		{PID: 8, Start: 1, UID: inventory.Known(1000), Argv: []string{"node", "server.js"}, Listening: inventory.Known(true), ListenPorts: []int{22, 8931}},
		{PID: 9, Start: 1, UID: inventory.Known(1000), Argv: []string{"node", "server.js"}, Listening: inventory.Known(true), ListenPorts: []int{8930}},
	}
	h.nameConfigured(processes)
	for i, want := range []struct{ name, by string }{{"dial", "command"}, {"web", "url"}, {"", ""}} {
		if got := processes[i]; got.Configured != want.name || got.ConfiguredBy != want.by {
			t.Errorf("process %d is %q by %q, want %q by %q", got.PID, got.Configured, got.ConfiguredBy, want.name, want.by)
		}
	}
}

func TestConfigurationStandsWhileTheSameSessionsRun(t *testing.T) {
	here, there := []discover.Workdir{{Dir: t.TempDir()}}, []discover.Workdir{{Dir: t.TempDir()}}
	known := discover.NewSet([]discover.Server{{Name: "known", URL: "http://127.0.0.1:8931/mcp"}}, []string{"known.json"})
	for _, row := range []struct {
		says    string
		age     time.Duration
		folders []discover.Workdir
		read    bool
	}{
		{"read lately", configurationStands / 2, here, false},
		{"read long ago", 2 * configurationStands, here, true},
		{"other sessions", configurationStands / 2, there, true},
		{"no sessions any more", configurationStands / 2, nil, true},
	} {
		t.Run(row.says, func(t *testing.T) {
			h := &host{
				discover: discover.New(discover.Options{}), users: discover.NewUsers(), log: slog.New(slog.DiscardHandler),
				configured: known, at: time.Now().Add(-row.age), folders: here, candidates: &candidates{},
			}
			h.configure(t.Context(), row.folders)
			if read := !slices.Contains(h.configured.Files(), "known.json"); read != row.read {
				t.Errorf("read anew: %v, want %v", read, row.read)
			}
		})
	}
}
