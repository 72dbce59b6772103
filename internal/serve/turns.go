package serve

import (
	"fmt"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
)

func (m *Metrics) showSchedule(u Update) {
	if u.Schedule.Spec != "" {
		m.schedule = u.Schedule
	}
	m.takeTurn(u.Started)
	m.missed = missedAt(m.schedule, m.success)
	if next := m.schedule.Next(m.turn); !next.IsZero() {
		m.series.interval.Set(next.Sub(m.turn).Seconds())
	}
}

// missedAt is the moment after which a sweep by the schedule counts as missed; zero
// is never.
func missedAt(schedule policy.Schedule, after time.Time) time.Time {
	for range readyTurns {
		if after.IsZero() {
			return after
		}
		after = schedule.Next(after)
	}
	return after
}

// takeTurn notes which time of the schedule a sweep belongs to. The first sweep is
// one of its own, and so is one that comes much too late or under another schedule.
func (m *Metrics) takeTurn(at time.Time) {
	at = at.Truncate(time.Second) // as turns are
	next := m.schedule.Next(m.turn)
	switch {
	case m.turn.IsZero(), m.turn.After(at): // the clock went back
		m.turn = at
	case next.IsZero(), next.After(at):
	case m.schedule.Next(next).After(at):
		m.turn = next
	default:
		m.turn = at
	}
}

// readyTurns is for how many times of the schedule one successful sweep keeps the
// daemon ready. A schedule that pauses at night misses none then.
const readyTurns = 3

// Ready reports that a policy is in effect and that a sweep has succeeded within
// three times of the schedule. why is a sentence that quotes no file.
func (m *Metrics) Ready() (ready bool, why string) {
	now := m.now()
	m.mu.RLock()
	defer m.mu.RUnlock()
	switch {
	case len(m.faults) > 0:
		return false, "the policy has " + human.Count(len(m.faults), "fault") + ": nothing is acted on until it is mended"
	case m.success.IsZero():
		return false, "no sweep has succeeded yet" + m.whyNot()
	case !m.missed.IsZero() && now.After(m.missed):
		return false, fmt.Sprintf("no sweep has succeeded since %s, for more than %d turns of the schedule%s",
			human.Moment(m.success.Local()), readyTurns, m.whyNot())
	}
	return true, ""
}

// policyFaults are those of a policy without which nothing is acted on.
func (m *Metrics) policyFaults() []string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.faults
}

// whyNot is why the last sweep failed, if that is known.
func (m *Metrics) whyNot() string {
	if m.why != "" {
		return ": " + m.why
	}
	return ""
}
