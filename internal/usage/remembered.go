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
// of it. If the tree has done something since, it is in use. If other processes are in
// it, the memory does not count.
func (m Remembered) Recall(tree Tree, now inventory.Moment) Activity {
	first := Activity{}.Next(tree, now)
	here, apart := Sum(tree.Processes), now.At.Sub(m.LookedAt)
	if first.Looks == 0 || m.LookedAt.IsZero() || apart < 0 || m.Processes != here.Processes || here.IO < m.IOChars {
		return first
	}
	if sign := m.usedSince(tree, here, apart); sign != "" {
		first.Last, first.Looks, first.AtLeast = Use{Sign: sign}, 0, false
		return first
	}
	first.AtLeast, first.Looks = m.AtLeast, 2
	first.IdleSince = now.Earlier(apart + time.Duration(m.IdleSeconds*float64(time.Second)))
	return first
}

// usedSince finds the first sign that a tree was used in the time since that look; "" is
// none. here is what the tree has used so far.
func (m Remembered) usedSince(tree Tree, here Total, since time.Duration) Sign {
	before := spent{cpu: m.CPUSeconds, io: m.IOChars}
	if sign := before.exceeded(spent{cpu: here.CPU, io: here.IO}, min(max(since, leastWindow), longestWindow)); sign != "" {
		return sign
	}
	if tree.TerminalUsed().After(m.LookedAt.Add(-terminalGrain)) {
		return SignTerminal
	}
	return ""
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
		total: Total{Processes: m.Processes, CPU: m.CPUSeconds, IO: m.IOChars, IOKnown: true}, at: at, seen: true,
		idleSince: now.Earlier(apart + time.Duration(m.IdleSeconds*float64(time.Second))), cpuFrom: at, cpuSeconds: m.CPUSeconds, atLeast: m.AtLeast,
	}
}
