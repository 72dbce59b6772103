package graph

import (
	"slices"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

// TestTwoCopiesOfOneMomentKeepTheirOrder: the time of day of a start differs a little from look to
// look, and what counts the start in the kernel does not.
func TestTwoCopiesOfOneMomentKeepTheirOrder(t *testing.T) {
	at := time.Date(2026, time.November, 26, 12, 0, 0, 0, time.UTC)
	server := func(pid int, start uint64, read time.Duration) *Target {
		p := &inventory.Process{PID: pid, Start: start, StartedAt: at.Add(read)}
		return &Target{ID: p.ID().String(), Kind: KindServer, Root: p, Members: []*inventory.Process{p}}
	}
	for _, row := range []struct {
		world  string
		copies []*Target
		newest int
	}{
		{"the first seems newer", []*Target{server(99, 7, time.Microsecond), server(100, 7, 0)}, 100},
		{"the second seems newer", []*Target{server(99, 7, 0), server(100, 7, time.Microsecond)}, 100},
		{"the PIDs have begun again", []*Target{server(99, 8, 0), server(32000, 7, time.Microsecond)}, 99},
	} {
		for range 2 {
			slices.SortStableFunc(row.copies, newerFirst)
			if got := row.copies[0].Root.PID; got != row.newest {
				t.Errorf("%s: %d is the newest, want %d", row.world, got, row.newest)
			}
			slices.Reverse(row.copies)
		}
	}
}
