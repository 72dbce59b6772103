//go:build linux

package hostile_test

import (
	"testing"
	"time"

	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
)

// A crowd of one user's orphans that ignore TERM delays another user's by no more
// than the grace of a sweep, whether that was there before or comes meanwhile.
func TestACrowdOfStubbornOrphansDoesNotHoldUpAnotherUsers(t *testing.T) {
	actingWithin(t, func(t *testing.T, live *farm.Live) {
		const number, grace = 400, 2 * time.Second
		crowd := actingOrphans(t, live, actingCrowdOf{"crowd", actingCrowd, number, "/bin/sleep", actingStubborn})
		lone := actingOrphans(t, live, actingCrowdOf{"lone", actingLone, 1, "/bin/sleep", actingSleeps})
		d := daemon.Launch(t, live, daemon.Options{Policy: actingPolicy(grace.String())})
		farm.Eventually(t, "the first of the crowd is asked to end", func() bool { return len(actingJournalled(d)) > 0 })
		began := time.Now()
		late := actingOrphans(t, live, actingCrowdOf{"late", actingLone, 1, "/bin/sleep", actingSleeps})
		farm.Eventually(t, "the one that came meanwhile is gone", func() bool { return actingAlive(late) == 0 })
		came := time.Since(began)
		farm.Eventually(t, "the crowd is gone", func() bool { return actingAlive(crowd) == 0 && actingAlive(lone) == 0 })
		took := time.Since(began)
		farm.Eventually(t, "all outcomes are written", func() bool { b := actingJournalled(d); return len(b) >= 2*(number+2) })

		book := actingJournal(t, d, "")
		own := book.ended[actingActOn(t, book, lone[0])]
		for id, entry := range book.ended {
			if entry.Result == "killed" && entry.Time.Before(own.Time) {
				t.Fatalf("act %s on the crowd was over before the other user's orphan was gone", id)
			}
		}
		intended := book.intended[own.ID]
		actingFigure(t, "%d orphans of one user ignore TERM, grace %s: another user's went %s after the first act; one that came meanwhile after %s; the crowd was gone after %s",
			number, grace, own.Time.Sub(actingFirst(book)).Round(time.Millisecond), came.Round(time.Millisecond), took.Round(time.Millisecond))
		if own.Time.Sub(intended.Time) > grace {
			t.Errorf("the other user's orphan obeys, and took %s", own.Time.Sub(intended.Time))
		}
	})
}
