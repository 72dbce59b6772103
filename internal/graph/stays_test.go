package graph

import (
	"testing"

	"github.com/reaperd/reaperd/internal/inventory"
)

func TestWhatStaysOfATargetIsNamed(t *testing.T) {
	const apart = "(in a session of its own)"
	one, nameless := &inventory.Process{PID: 170, Comm: "tool"}, &inventory.Process{PID: 171}
	browser := &inventory.Process{PID: 1265, Comm: "playwright-mcp", Argv: []string{"/usr/bin/chromium", "https://login.example"}}
	for _, row := range []struct {
		world string
		left  []*inventory.Process
		want  string
	}{
		{"nothing", nil, ""},
		{"a browser of the person's own, with the kernel's name of what started it", []*inventory.Process{browser}, "stays when it ends: chromium 1265 (a person's browser: no program drives it)"},
		{"a process of which the kernel's name alone is known", []*inventory.Process{one}, "stays when it ends: tool 170 " + apart},
		{"a process without a name", []*inventory.Process{nameless}, "stays when it ends: process 171 " + apart},
		{"many", []*inventory.Process{browser, one, one, one, one}, "stays when it ends: chromium 1265 (a person's browser: no program drives it), tool 170 " + apart + ", tool 170 " + apart + ", 2 more"},
	} {
		if got := (&Target{Left: row.left}).Stays(); got != row.want {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
}
