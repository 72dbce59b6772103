package usage

import (
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Remembered is an activity as one program hands it to another: a tool that has just
// begun to look takes over what the daemon has watched for hours.
type Remembered struct {
	LookedAt    time.Time `json:"looked_at"`
	IdleSeconds float64   `json:"idle_seconds"`
	AtLeast     bool      `json:"at_least,omitempty"`
	// The sum of what the tree had used at that look.
	Processes  int     `json:"processes"`
	CPUSeconds float64 `json:"cpu_seconds"`
	IOChars    uint64  `json:"io_chars"`
}

// Remembered is the activity to hand over. known is false for a tree that is in use.
func (a Activity) Remembered() (m Remembered, known bool) {
	idle, known := a.Idle().Get()
	m = Remembered{LookedAt: a.at.At, IdleSeconds: idle.Seconds(), AtLeast: a.AtLeast, Processes: len(a.last)}
	for _, s := range a.last {
		m.CPUSeconds += s.cpu
		m.IOChars += s.io
	}
	return m, known
}

// Recall is the activity of a tree at a first look, with what somebody else remembers
// of it. If the tree has done anything since, the memory does not count.
func (m Remembered) Recall(tree Tree, now inventory.Moment) Activity {
	first := Activity{}.Next(tree, now)
	apart := now.At.Sub(m.LookedAt)
	if first.Looks == 0 || m.LookedAt.IsZero() || apart < 0 || m.Processes != len(tree.Processes) {
		return first
	}
	here := Total{}
	for _, p := range tree.Processes {
		here.CPU += p.CPUSeconds.Or(0)
		here.IO += p.IOChars.Or(0)
	}
	window := min(max(apart, leastWindow), longestWindow)
	used := here.IO < m.IOChars || here.CPU-m.CPUSeconds > trickleCPU*window.Seconds() ||
		float64(here.IO-m.IOChars) > trickleIO*window.Minutes() || tree.TerminalUsed().After(m.LookedAt.Add(-terminalGrain))
	if used {
		return first
	}
	first.AtLeast, first.Looks = m.AtLeast, 2
	first.IdleSince = earlier(now, apart+time.Duration(m.IdleSeconds*float64(time.Second)))
	return first
}

// earlier is the moment that lies so long before another, on both clocks.
func earlier(m inventory.Moment, by time.Duration) inventory.Moment {
	before := inventory.Moment{At: m.At.Add(-by)}
	if awake, known := m.Awake.Get(); known {
		before.Awake = inventory.Known(awake - by.Seconds())
	}
	return before
}
