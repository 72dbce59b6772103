package report

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
)

// TestWhatDoesNotRunIsNotUp: a container that has exited or never ran has an age, and no time for which it is up.
func TestWhatDoesNotRunIsNotUp(t *testing.T) {
	for state, want := range map[string]string{"running": "3h", "paused": "3h", "": "3h", "exited": "–", "created": "–"} {
		w := newWorld("linux", 4)
		left := w.container("time", "leftbox", "mcp/time", 3*time.Hour, 0)
		left.Container.State, left.Finding = state, graph.FindingExited
		w.keep(left)
		for _, wide := range []bool{false, true} {
			row := rowOf(t, w.input(), Options{Width: 300, UTF8: true, Wide: wide}, "leftbox")
			if up := row[len(row)-3]; !wide && up != want {
				t.Errorf("%q: up %q, want %q: %q", state, up, want, row)
			}
			if wide && row[6] != want {
				t.Errorf("%q, wide: up %q, want %q: %q", state, row[6], want, row)
			}
		}
	}
}

// rowOf are the words of the first line of a table that has this one.
func rowOf(t *testing.T, in Input, options Options, word string) []string {
	t.Helper()
	var out strings.Builder
	if err := Table(&out, in, options); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if words := strings.Fields(line); strings.Contains(line, " "+word+" ") && len(words) > 6 {
			return words
		}
	}
	t.Fatalf("no %q in\n%s", word, out.String())
	return nil
}
