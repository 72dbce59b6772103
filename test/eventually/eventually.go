// Package eventually waits in tests for what another process or goroutine brings
// about. What can be told at once is asked at once; nothing is taken to be so after
// a time.
package eventually

import (
	"testing"
	"time"
)

// patience is longer than anything takes on a machine with other work to do.
const patience = 30 * time.Second

// Holds waits until something holds, and fails the test where it does not come to.
// what names it in the failure.
func Holds(t testing.TB, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); !holds(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}
