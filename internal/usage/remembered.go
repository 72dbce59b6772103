package usage

import (
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Remembered is what a target had used, as one program hands it to another: a tool that
// has just begun to look takes over what the daemon has watched for hours.
type Remembered struct {
	LookedAt    time.Time `json:"looked_at"`
	IdleSeconds float64   `json:"idle_seconds"`
	AtLeast     bool      `json:"at_least,omitempty"`
	// The sum of what its processes had used at that look.
	Processes  int     `json:"processes"`
	CPUSeconds float64 `json:"cpu_seconds"`
	IOChars    uint64  `json:"io_chars"`
	// CPUPercent is its share of a core, as [History] has it.
	CPUPercent inventory.Fact[float64] `json:"cpu_percent,omitzero"`
}

// Remember is a total that was idle for so long at a look, to hand over.
func (t Total) Remember(at time.Time, idle time.Duration, atLeast bool) Remembered {
	return Remembered{LookedAt: at, IdleSeconds: idle.Seconds(), AtLeast: atLeast, Processes: t.Processes, CPUSeconds: t.CPU, IOChars: t.IO}
}

// History is the history up to the look that is remembered, for a look at now. It is
// empty if nothing is remembered.
func (m Remembered) History(now inventory.Moment) History {
	apart := now.At.Sub(m.LookedAt)
	if m.LookedAt.IsZero() || apart < 0 {
		return History{}
	}
	at := now.Earlier(apart)
	return History{
		CPUPercent: m.CPUPercent,
		total:      Total{Processes: m.Processes, CPU: m.CPUSeconds, IO: m.IOChars, IOKnown: true}, at: at, seen: true,
		idleSince: now.Earlier(apart + time.Duration(m.IdleSeconds*float64(time.Second))), cpuFrom: at, cpuSeconds: m.CPUSeconds, atLeast: m.AtLeast,
	}
}
