package usage

import (
	"cmp"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Watched is the [Activity] of a session as one program hands it to another: a tool that
// has just begun to look goes on where the daemon is, and by the same rules. Its times are
// those of the field of the same name there.
type Watched struct {
	LookedAt     inventory.Moment `json:"looked_at"`
	IdleSince    inventory.Moment `json:"idle_since"`
	AtLeast      bool             `json:"at_least,omitempty"`
	Looks        int              `json:"looks"`
	Last         Sign             `json:"last_use,omitempty"`
	LastPID      int              `json:"last_use_pid,omitempty"`
	UsedAt       time.Time        `json:"used_at,omitzero"`
	TerminalUsed time.Time        `json:"terminal_used,omitzero"`
	// Window is since when Used is counted, which is what each process had used by then, in
	// the order of their PIDs.
	Window inventory.Moment `json:"window"`
	Used   []Reading        `json:"used"`
}

// Reading is what one process had used at a moment.
type Reading struct {
	PID        int     `json:"pid"`
	Start      uint64  `json:"start"` // as in [inventory.ID]
	CPUSeconds float64 `json:"cpu_seconds"`
	IOChars    uint64  `json:"io_chars"`
	// KernelEvents is 0 where the system does not count them.
	KernelEvents uint64 `json:"kernel_events,omitempty"`
}

// Watched is the activity to hand over. known is false before the first look.
func (a Activity) Watched() (w Watched, known bool) {
	w = Watched{
		LookedAt: a.at, IdleSince: a.IdleSince, AtLeast: a.AtLeast, Looks: a.Looks, Last: a.Last.Sign, LastPID: a.Last.PID,
		UsedAt: a.UsedAt, TerminalUsed: a.TerminalUsed, Window: a.window, Used: make([]Reading, 0, len(a.spent)),
	}
	for id, s := range a.spent {
		w.Used = append(w.Used, Reading{PID: id.PID, Start: id.Start, CPUSeconds: s.cpu, IOChars: s.io, KernelEvents: s.events})
	}
	slices.SortFunc(w.Used, func(a, b Reading) int { return cmp.Or(cmp.Compare(a.PID, b.PID), cmp.Compare(a.Start, b.Start)) })
	return w, a.spent != nil
}

// Recall is the activity of a tree at a first look, if it goes on from what somebody else
// has watched. That does not count if a process is in the tree that the other could have
// seen and has not, or if it is later than now.
func (w Watched) Recall(tree Tree, now inventory.Moment) Activity {
	first := Activity{}.Next(tree, now)
	if w.LookedAt.At.IsZero() || now.At.Before(w.LookedAt.At) {
		return first
	}
	next := w.activity().Next(tree, now)
	if isUnknown := next.Looks == 0 && next.Last.Sign == SignUnknown; isUnknown && first.Looks > 0 {
		return first
	}
	return next
}

func (w Watched) activity() Activity {
	a := Activity{
		IdleSince: w.IdleSince, AtLeast: w.AtLeast, Looks: w.Looks, Last: Use{w.Last, w.LastPID}, UsedAt: w.UsedAt, TerminalUsed: w.TerminalUsed,
		at: w.LookedAt, window: w.Window, spent: make(map[inventory.ID]spent, len(w.Used)),
	}
	for _, r := range w.Used {
		a.spent[inventory.ID{PID: r.PID, Start: r.Start}] = spent{cpu: r.CPUSeconds, io: r.IOChars, events: r.KernelEvents}
	}
	return a
}
