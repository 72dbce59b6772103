//go:build linux

package hostile_test

import (
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
)

// One user has a crowd of orphans that ignore SIGTERM. They do not delay the end of another
// user's orphan, whether that was there before them or comes while they are being reaped.
func TestACrowdOfStubbornOrphansDoesNotHoldUpAnotherUsers(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		const number, grace = 400, 40 * time.Second
		d := daemon.Launch(t, live, daemon.Options{Policy: actingPolicy(grace.String())})
		alone := actingGoes(t, live, "alone")
		crowd := actingOrphans(t, live, actingCrowdOf{"crowd", actingCrowd, number, "/bin/sleep", actingStubborn})
		lone := actingOrphans(t, live, actingCrowdOf{"lone", actingLone, 1, "/bin/sleep", actingSleeps})
		farm.Eventually(t, "the first of the crowd is asked to end", func() bool { return len(actingJournalled(d)) > 2 })
		began := time.Now()
		late := actingGoes(t, live, "late")
		farm.EventuallyWithin(t, stormPatience, "the crowd is gone", func() bool { return actingAlive(crowd) == 0 && actingAlive(lone) == 0 })
		took := time.Since(began)
		farm.Eventually(t, "all outcomes are written", func() bool { return len(actingJournalled(d)) >= 2*(number+3) })

		farm.Figure(t, "%d orphans of one user ignore TERM, grace %s: another user's was gone %s after it came while they were being reaped, and %s after it came when nobody else was there; the crowd was gone after %s",
			number, grace, late.took.Round(time.Millisecond), alone.took.Round(time.Millisecond), took.Round(time.Millisecond))
		book := actingJournal(t, d, "")
		for _, one := range []farm.Being{lone[0], late.being} {
			own := book.ended[actingActOn(t, book, one)]
			if over := actingFirstKilled(book); !own.Time.Before(over.Time) {
				t.Errorf("act %s on the crowd was over before the other user's %s was gone", over.ID, own.Name)
			}
		}
	})
}

// actingGone is an orphan that was reaped.
type actingGone struct {
	being farm.Being
	took  time.Duration // since it was started
}

// actingGoes starts an orphan of the lone user and waits until it is gone.
func actingGoes(t *testing.T, live *farm.Live, name string) actingGone {
	t.Helper()
	came := time.Now()
	orphans := actingOrphans(t, live, actingCrowdOf{name, actingLone, 1, "/bin/sleep", actingSleeps})
	farm.Eventually(t, "the orphan called "+name+" is gone", func() bool { return actingAlive(orphans) == 0 })
	return actingGone{orphans[0], time.Since(came)}
}

// actingFirstKilled returns the outcome of the first act that used SIGKILL.
func actingFirstKilled(book actingBook) (first journal.Entry) {
	for _, entry := range book.ended {
		if entry.Result == "killed" && (first.ID == "" || entry.Time.Before(first.Time)) {
			first = entry
		}
	}
	return first
}
