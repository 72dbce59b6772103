//go:build linux

package hostile_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
)

// The kernel does not end some orphans although they were killed: they wait for a file
// system that never answers. reaperd acts on each once and reports each once, and no other
// act waits for them.
func TestWhatTheKernelDoesNotEndIsReportedOnceAndHoldsUpNobody(t *testing.T) {
	farm.Demand(t, readingFUSE())
	readingWithin(t, func(t *testing.T, live *farm.Live) {
		const number = 12
		files := live.Folder.Path("files")
		if err := os.Mkdir(files, 0o755); err != nil {
			t.Fatal(err)
		}
		live.Start(t, []actor.Part{readingServer("bob")})
		d := daemon.Launch(t, live, daemon.Options{Policy: actingPolicy("1s")})
		readingPuppet(t, live, "PUPPET=files", "PUPPET_PLACE="+files)
		readingPuppet(t, live, "PUPPET=orphan", "PUPPET_READS=yes", fmt.Sprintf("PUPPET_COUNT=%d", number), "PUPPET_UID=1234", "PUPPET_PLACE="+files)
		farm.Eventually(t, "the first of them is asked to end", func() bool { return len(actingJournalled(d)) > 0 })
		live.KillAll(t, []string{"bob"})
		gone := daemon.Gone(t, live, "bob-server")
		farm.Eventually(t, "all of them were killed", func() bool { return len(actingJournalled(d)) >= 2*(number+1) })
		before, _ := d.Status(t)
		d.AwaitMore(t, 6)
		after, _ := d.Status(t)
		farm.Figure(t, "%d orphans that the kernel does not end: another user's orphan was gone %s after its session; the sweeps after that took %.2f s",
			number, gone.Round(10*time.Millisecond), after.Decider.Daemon.LookSeconds)
		acts := map[string]int{}
		for _, entry := range actingJournal(t, d, "").ended {
			if acts[entry.TargetID]++; acts[entry.TargetID] > 1 {
				t.Errorf("%s was acted on %d times: %s, %s", entry.TargetID, acts[entry.TargetID], entry.Result, entry.Detail)
			}
		}
		if stuck := readingPuppets(t); stuck < number || len(acts) != number+1 {
			t.Errorf("%d of them are there, acts on %d targets", stuck, len(acts))
		}
		if pending := d.Pending(t); len(pending) > 0 || before.Today.Stopped != after.Today.Stopped {
			t.Errorf("pending %+v, reaped %d and later %d", pending, before.Today.Stopped, after.Today.Stopped)
		}
		readingEnds(t, d)
	})
}
