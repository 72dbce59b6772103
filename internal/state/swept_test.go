package state

import (
	"bytes"
	"os"
	"slices"
	"testing"
	"time"
)

// Each sweep by hand changes a file that the daemon watches.
func TestASweepByHandChangesAFileThatTheDaemonWatches(t *testing.T) {
	d := Dir(t.TempDir())
	if !slices.Contains(d.HandFiles(), d.path(sweptFile)) {
		t.Fatalf("the daemon watches %q", d.HandFiles())
	}
	at := time.Date(2026, time.November, 26, 12, 0, 0, 0, time.UTC)
	var before []byte
	for i := range 2 {
		if err := d.Swept(at.Add(time.Duration(i) * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		now, err := os.ReadFile(d.path(sweptFile))
		if err != nil || bytes.Equal(now, before) {
			t.Errorf("sweep %d left %q, before %q, %v", i, now, before, err)
		}
		before = now
	}
}
