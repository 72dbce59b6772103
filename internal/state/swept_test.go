package state

import (
	"bytes"
	"os"
	"slices"
	"testing"
	"time"
)

// Each sweep by hand, and each wish for a look, changes a file that the daemon watches.
func TestAPersonChangesAFileThatTheDaemonWatches(t *testing.T) {
	d := Dir(t.TempDir())
	at := time.Date(2026, time.November, 26, 12, 0, 0, 0, time.UTC)
	for file, note := range map[string]func(time.Time) error{sweptFile: d.Swept, lookFile: d.WantLook} {
		if !slices.Contains(d.HandFiles(), d.path(file)) {
			t.Errorf("the daemon watches %q", d.HandFiles())
		}
		var before []byte
		for i := range 2 {
			if err := note(at.Add(time.Duration(i) * time.Millisecond)); err != nil {
				t.Fatal(err)
			}
			now, err := os.ReadFile(d.path(file))
			if err != nil || bytes.Equal(now, before) {
				t.Errorf("%s: note %d left %q, before %q, %v", file, i, now, before, err)
			}
			before = now
		}
	}
}
