package cli

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"
)

func TestStoppingIsSaidOfSlowActsOnly(t *testing.T) {
	for _, row := range []struct {
		name        string
		takes       time.Duration
		grace       time.Duration
		wantRemarks string
	}{
		{"they end at once", slowLook / 2, 5 * time.Second, ""},
		{"the grace is waited out", 7 * time.Second, 5 * time.Second, "stopping; what does not exit by itself has 5s before it is killed…\n"},
		{"nothing has a grace", 7 * time.Second, 0, "stopping…\n"},
		{"the rule's grace is longer", time.Minute, 90 * time.Second, "stopping; what does not exit by itself has 1m30s before it is killed…\n"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var said bytes.Buffer
			done := (&Terminal{Err: &said}).Stopping(row.grace)
			<-time.After(row.takes)
			done()
			<-time.After(time.Hour)
			synctest.Wait()
			if said.String() != row.wantRemarks {
				t.Errorf("%s: %q, want %q", row.name, said.String(), row.wantRemarks)
			}
		})
	}
}
