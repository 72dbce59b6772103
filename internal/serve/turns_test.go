package serve

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/human"
)

func TestReadyAges(t *testing.T) {
	m, c := newTestMetrics()
	succeeded := (&world{}).update()
	last := human.Moment(succeeded.Started.Add(succeeded.Duration).Local())
	for _, step := range []struct {
		name    string
		publish *Update
		after   time.Duration
		ready   bool
		why     string
	}{
		{"nothing was swept yet", nil, 0, false, "no sweep has succeeded yet"},
		{"the first sweep failed", &Update{Result: ResultFailed, Why: "the table could not be read"}, 0, false, "no sweep has succeeded yet: the table could not be read"},
		{"a sweep succeeded", &succeeded, 0, true, ""},
		{"three periods later", nil, 90 * time.Second, true, ""},
		{"and a little", nil, time.Second, false, "no sweep has succeeded since " + last + ", for more than 3 turns of the schedule"},
	} {
		if step.publish != nil {
			m.Publish(*step.publish)
		}
		c.at = c.at.Add(step.after)
		if ready, why := m.Ready(); ready != step.ready || !strings.HasPrefix(why, step.why) {
			t.Errorf("%s: ready %v %q, want %v %q", step.name, ready, why, step.ready, step.why)
		}
	}
}

// sweptAt is a sweep under a schedule that took 40 ms.
func sweptAt(schedule string, result Result, at time.Time) Update {
	u := (&world{}).update()
	u.Schedule, u.Result, u.Started = every(schedule), result, at
	return u
}

func TestAScheduleThatRestsIsReadyWhileItRests(t *testing.T) {
	at := func(day, hour, minute int) time.Time { // of a November that begins on a Sunday
		return time.Date(2026, time.November, day, hour, minute, 0, 0, time.Local)
	}
	const office, early = "*/10 9-17 * * 1-5", "57,58 6 * * *"
	for _, c := range []struct {
		name     string
		schedule string
		success  time.Time
		failed   time.Time // a sweep by an event, after it; zero is none
		now      time.Time
		ready    bool
	}{
		{"four minutes after the last turn of a day", early, at(26, 6, 58), time.Time{}, at(26, 7, 2), true},
		{"just before the first turn of the next day", early, at(26, 6, 58), time.Time{}, at(27, 6, 57), true},
		{"one day missed", early, at(26, 6, 58), time.Time{}, at(27, 12, 0), true},
		{"three turns missed", early, at(26, 6, 58), time.Time{}, at(28, 6, 58), false},
		{"the night", office, at(26, 17, 50), time.Time{}, at(27, 8, 59), true},
		{"the week end", office, at(27, 17, 50), time.Time{}, at(30, 9, 0), true},
		{"two turns missed", office, at(27, 17, 50), time.Time{}, at(30, 9, 15), true},
		{"three turns missed on Monday", office, at(27, 17, 50), time.Time{}, at(30, 9, 21), false},
		{"an event at night succeeded", office, at(26, 23, 0), time.Time{}, at(27, 9, 15), true},
		{"an event at night failed", office, at(26, 17, 50), at(26, 23, 0), at(27, 8, 0), true},
		{"three turns missed, and a failed event does not put that off", office, at(26, 10, 0), at(26, 10, 29), at(26, 10, 31), false},
		{"a period", "@every 30s", at(26, 10, 0), time.Time{}, at(26, 10, 1), true},
		{"four periods", "@every 30s", at(26, 10, 0), time.Time{}, at(26, 10, 2), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, clock := newTestMetrics()
			m.Publish(sweptAt(c.schedule, ResultOK, c.success))
			if !c.failed.IsZero() {
				m.Publish(sweptAt(c.schedule, ResultFailed, c.failed))
			}
			clock.at = c.now
			if ready, why := m.Ready(); ready != c.ready {
				t.Errorf("ready %v %q, want %v", ready, why, c.ready)
			}
		})
	}
}

func TestTheIntervalIsFromTheLastTurnToTheNext(t *testing.T) {
	at := func(hour, minute, second int) time.Time {
		return time.Date(2026, time.November, 26, hour, minute, second, int(3*time.Millisecond), time.Local)
	}
	const hour = 60 * 60
	type turn struct {
		at       time.Time
		interval float64
	}
	for _, c := range []struct {
		name, schedule string
		turns          []turn
	}{
		{"a period", "@every 30s", []turn{{at(10, 0, 0), 30}, {at(10, 0, 30), 30}, {at(10, 1, 0), 30}}},
		{"a period that events put off", "@every 30s", []turn{{at(10, 0, 0), 30}, {at(10, 0, 20), 30}, {at(10, 0, 50), 30}, {at(10, 1, 10), 30}, {at(10, 1, 40), 30}}},
		{"a window", "57,58 6 * * *", []turn{{at(6, 57, 0), 60}, {at(6, 58, 0), 24*hour - 60}}},
		{"an event in between", "57,58 6 * * *", []turn{{at(6, 57, 0), 60}, {at(6, 58, 0), 24*hour - 60}, {at(12, 0, 0), 24*hour - 60}}},
		{"the host slept over some turns", "*/10 9-17 * * *", []turn{{at(9, 0, 0), 600}, {at(14, 5, 0), 300}, {at(14, 10, 0), 600}}},
		{"the clock went back", "@hourly", []turn{{at(12, 0, 0), hour}, {at(9, 30, 0), hour / 2}, {at(10, 0, 0), hour}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, _ := newTestMetrics()
			for _, turn := range c.turns {
				m.Publish(sweptAt(c.schedule, ResultOK, turn.at))
				expect(t, m, map[string]float64{`sweep_interval_seconds`: turn.interval})
			}
		})
	}
}
