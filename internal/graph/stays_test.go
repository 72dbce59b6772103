package graph

import (
	"testing"

	"github.com/reaperd/reaperd/internal/inventory"
)

func TestWhatStaysOfATargetIsNamed(t *testing.T) {
	one, nameless := &inventory.Process{PID: 170, Comm: "chromium"}, &inventory.Process{PID: 171}
	for _, row := range []struct {
		world string
		left  []*inventory.Process
		want  string
	}{
		{"nothing", nil, ""},
		{"a browser of the person's own", []*inventory.Process{one}, "stays when it ends: chromium 170"},
		{"a process without a name", []*inventory.Process{nameless}, "stays when it ends: process 171"},
		{"many", []*inventory.Process{one, one, one, one, one}, "stays when it ends: chromium 170, chromium 170, chromium 170, 2 more"},
	} {
		if got := (&Target{Left: row.left}).Stays(); got != row.want {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
}
