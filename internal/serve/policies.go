package serve

import (
	"time"
)

// PolicyReloaded notes that a policy was read and is in effect, the first one
// included.
func (m *Metrics) PolicyReloaded(p Policy, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.showPolicy(p)
	m.series.reloadOK.Set(1)
	m.series.reloadTime.Set(seconds(at))
	m.adopted, m.refused = true, false
	m.state.policy.Faults, m.state.policy.ReadAt = []string{}, at
	m.state.policy.RefusedAt, m.state.policy.RefusedFile = time.Time{}, ""
	m.audience.tell()
}

// PolicyRefused notes that the policy of a file was read and refused, with all its faults. The
// policy before stays in effect; if there was none, the daemon is not ready.
func (m *Metrics) PolicyRefused(faults []string, file string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.series.reloadOK.Set(0)
	m.refused = true
	m.state.policy.Faults, m.state.policy.RefusedAt, m.state.policy.RefusedFile = append([]string{}, faults...), m.now(), file
	m.audience.tell()
}
