package daemon

import (
	"os"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/sweep"
)

// tells adds to a look what the daemon says of itself.
func (s *service) tells(round sweep.Round, wishes []state.Wishes) func(account.Look) account.Look {
	return func(l account.Look) account.Look {
		now := time.Now()
		l.Acts, l.Today = s.acts.lately(now)
		l.LeftBy, l.Pauses = s.memory.leftBy(), pausesOf(wishes)
		l.Decider = s.decides(now)
		of := l.Decider.Daemon
		l.Decider.NextLook, of.LookedFor, of.LookSeconds = round.Next, round.Trigger, round.Duration.Seconds()
		if next := round.Policy.Schedule.Next(round.Started); !next.IsZero() {
			of.IntervalSeconds = next.Sub(round.Started).Seconds()
		}
		return l
	}
}

// decides is who decides, and what is not well with it.
func (s *service) decides(now time.Time) account.Decider {
	d := account.Decider{
		Kind: account.ByDaemon, PID: os.Getpid(), User: state.UserName(os.Geteuid()), Whole: os.Geteuid() == 0, StartedAt: s.since,
		Daemon: &account.Daemon{Build: s.Build, Listen: s.listens, StateFaults: s.State.Faults(now), NoRoomIn: s.noRoomIn(), Unrecorded: s.record.refuses()},
	}
	of, failures := d.Daemon, s.record.failures()
	of.JournalWriteErrors, of.JournalFailedAt, of.JournalUnwritten = failures.Writes, failures.Last, failures.Unwritten
	if ok, why := s.ready(); !ok {
		of.NotReady, of.Faults = why, append(of.StateFaults, s.record.faults()...)
	}
	s.rules.tell(of)
	if pause, paused, err := s.State.Paused(now); err == nil && paused {
		d.PausedUntil, d.PauseReason = pause.Until, pause.Reason
		if pause.Until.IsZero() {
			d.Rests = account.Paused
		}
	}
	return d
}

// halt tells that no look comes, because there is no policy. What there is to tell is of the daemon
// itself.
func (s *service) halt() {
	s.board.halt(newSeen(seen{look: account.Look{
		Graph: &graph.Graph{Snapshot: &inventory.Snapshot{TakenAt: time.Now()}}, Decider: s.decides(time.Now()),
	}}), s.rules.refused())
}
