package main

import (
	"testing"

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
