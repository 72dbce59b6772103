package inventory

import "time"

// Moment is a point in time on both of the host's clocks.
type Moment struct {
	At    time.Time     `json:"at"`
	Awake Fact[float64] `json:"awake_seconds,omitzero"` // since boot
}

// Moment is when the snapshot was taken.
func (s *Snapshot) Moment() Moment { return Moment{At: s.TakenAt, Awake: s.Host.AwakeSeconds} }

// Earlier is the moment that lies so long before m, on both clocks.
func (m Moment) Earlier(by time.Duration) Moment {
	before := Moment{At: m.At.Add(-by)}
	if awake, known := m.Awake.Get(); known {
		before.Awake = Known(awake - by.Seconds())
	}
	return before
}

// Since is the time from earlier to m, never negative. It is time awake if both
// moments know it, so that a night's sleep does not count, else wall clock time.
func (m Moment) Since(earlier Moment) time.Duration {
	from, known := earlier.Awake.Get()
	to, alsoKnown := m.Awake.Get()
	if known && alsoKnown {
		return max(0, time.Duration((to-from)*float64(time.Second)))
	}
	return max(0, m.At.Sub(earlier.At))
}
