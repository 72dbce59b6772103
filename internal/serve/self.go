package serve

import (
	"time"

	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/trigger"
)

// self is what the page and the port tell of the daemon itself.
type self struct {
	build     Build
	startedAt time.Time
	mode      policy.Mode
	modeFrom  string // what set the mode over that of the policy; "" if nothing did
	policy    PolicyState
	last      *Sweep
	next      time.Time
	pins      int
	pause     overview.Pause
}

// PolicyState is the policy in effect, and the faults of the file that was read last.
type PolicyState struct {
	Source string `json:"source,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
	// FileMode is the mode that the policy's files say, where something else has set that of the daemon.
	FileMode policy.Mode `json:"file_mode,omitempty"`
	ReadAt   time.Time   `json:"read_at,omitzero"`
	Faults   []string    `json:"faults"`
	// RefusedAt is when the file with the faults was read; zero if there are none.
	RefusedAt time.Time `json:"refused_at,omitzero"`
	// RefusedFile is that file; "" if there are none.
	RefusedFile string `json:"refused_file,omitempty"`
}

// Sweep is one finished sweep.
type Sweep struct {
	At              time.Time       `json:"at"`
	DurationSeconds float64         `json:"duration_seconds"`
	Trigger         trigger.Trigger `json:"trigger"`
	Result          Result          `json:"result"`
	Why             string          `json:"why,omitempty"`
}

// current is that of the last update.
func (m *Metrics) current() self {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.state
}
