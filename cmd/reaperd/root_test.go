package main

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/cli"
)

// TestALogLineForPeopleHasNoEmptyValues: a line of JSON keeps its keys.
func TestALogLineForPeopleHasNoEmptyValues(t *testing.T) {
	type reason string
	for _, row := range []struct{ format, want string }{
		{"auto", "level=INFO msg=reaped name=memory freed_bytes=0 deferred=false"}, // no terminal
		{"text", "level=INFO msg=reaped name=memory freed_bytes=0 deferred=false"},
		{"json", `"level":"INFO","msg":"reaped","name":"memory","owner":"","why":"","freed_bytes":0,"deferred":false}`},
	} {
		var said bytes.Buffer
		s := &shared{Terminal: cli.Terminal{Err: &said}, logFormat: row.format}
		s.logger().Info("reaped", "name", "memory", "owner", "", slog.Any("why", reason("")), "freed_bytes", 0, "deferred", false)
		if got := strings.TrimSpace(said.String()); !strings.HasSuffix(got, row.want) {
			t.Errorf("%s: %s, want it to end with %s", row.format, got, row.want)
		}
	}
}
