package report

import (
	"bytes"
	"github.com/reaperd/reaperd/internal/graph"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// TestAPlanNamesWhatStaysOfWhatItEnds, as explain does: of the first few, and counts the others.
func TestAPlanNamesWhatStaysOfWhatItEnds(t *testing.T) {
	for _, row := range []struct {
		world       string
		with, count int // things that leave a process behind, of so many
		shows       []string
		hides       []string
	}{
		{"nothing stays", 0, 2, nil, []string{"stays when", "explain names"}},
		{"a browser of one", 1, 2, []string{"\nplaywright 100: left open: chromium 900 (in a session of its own).\n"}, []string{"explain names"}},
		{"one of each of five", 5, 5, []string{"playwright 102: left open: chromium 902 (in a session of its own).\n2 more leave something behind; reaperd explain names it.\n"}, []string{"playwright 103: stays"}},
	} {
		w := newWorld("linux", 4)
		for i := range row.count {
			target := orphaned(w.server("playwright", 100+i, time.Hour, megabyte, "npx", "playwright"), gone("pi", 9, time.Hour))
			if i < row.with {
				target.Left = []graph.Outsider{{Process: &inventory.Process{PID: 900 + i, Comm: "chromium"}, Why: "in a session of its own"}}
			}
			w.decide(target, policy.Reap, "orphaned-servers", policy.ActionTerminate)
		}
		var b bytes.Buffer
		if err := Plan(&b, w.input(), screenOf(100)); err != nil {
			t.Fatal(err)
		}
		for _, text := range row.shows {
			if !strings.Contains(b.String(), text) {
				t.Errorf("%s: no %q in\n%s", row.world, text, b.String())
			}
		}
		for _, text := range row.hides {
			if strings.Contains(b.String(), text) {
				t.Errorf("%s: %q in\n%s", row.world, text, b.String())
			}
		}
	}
}
