package graph

import (
	"cmp"
	"fmt"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

// An idle tree uses a little: a runtime has timers, and a client pings its servers.
// trickleCPU and trickleIO are how much each of its processes may use within a
// window, trickleEvents or clientEvents where characters are not counted. A window counts
// as at most longestWindow, so that a minute of work within unobserved hours is no trickle,
// and as at least leastWindow, because the kernel counts processor time in ticks.
// claude-code 2.1.197 at its prompt uses 0.001 of a core and reads and writes 576
// characters a minute. Calls and changes of context were counted on Linux: at rest a server
// on Node 24 has 80 to 150 a minute, pi 1.6 180, claude-code 2.1.332 2,800; an answered call
// costs a server 10 or more.
const (
	trickleCPU    = 0.01 // of a core
	trickleIO     = 4096 // characters read and written a minute
	trickleEvents = 400  // of the kernel a minute, where characters are not counted
	clientEvents  = 4000 // the same of the client's own processes
	leastWindow   = 10 * time.Second
	longestWindow = time.Minute
)

// Trickle is what each process of an idle session may use, for people.
func Trickle() string {
	return fmt.Sprintf("%g %% of a core and %d characters read and written a minute (macOS: %d calls to the kernel, of the client %d)",
		trickleCPU*100, trickleIO, trickleEvents, clientEvents)
}

// terminalGrain is how much earlier than its last use a terminal's time may be: the
// kernel updates that time at most every eight seconds.
const terminalGrain = 8 * time.Second

// startGrain is how much later than it started a process may count as started, and the
// other way round: the kernel counts starts in ticks since the boot, whose time is rounded.
const startGrain = time.Second

// Sign is a kind of sign that something is in use.
type Sign string

// The signs of use, in the order in which the first that is seen is told.
const (
	SignUnknown     Sign = "unknown"     // some of it could not be measured
	SignConnections Sign = "connections" // somebody is connected to it
	SignTool        Sign = "tool"        // a process works for it that is no server
	SignStarted     Sign = "started"     // a process of it has started
	SignExited      Sign = "ended"       // a process of it has ended
	SignProcessor   Sign = "processor"   // more than a trickle of processor time
	SignIO          Sign = "io"          // more than a trickle of characters read or written
	SignCalls       Sign = "calls"       // more than a trickle of what macOS counts instead of them
	SignTerminal    Sign = "terminal"    // its terminal was typed on or written to
)

// Use is a sign of use and the process that gives it. The zero value is none.
type Use struct {
	Sign Sign
	PID  int
}

// String describes the use, with the PID of the process that showed it; "" for none.
func (u Use) String() string {
	text := map[Sign]string{
		SignUnknown:     "not all of it can be measured",
		SignConnections: "somebody is connected to it",
		SignTool:        "it runs a tool",
		SignStarted:     "a process of it has started",
		SignExited:      "a process of it has ended",
		SignProcessor:   "it uses processor time",
		SignIO:          "it reads or writes",
		SignCalls:       "it calls the system",
		SignTerminal:    "its terminal is used",
	}[u.Sign]
	if u.PID != 0 {
		text += fmt.Sprintf(" (process %d)", u.PID)
	}
	return text
}

// LeastIdle is the shortest idle time that is told: between two looks a second apart nearly
// every server does nothing.
const LeastIdle = 10 * time.Second

// terminalUsed is when a terminal of the session was last typed on or written to; zero
// is not known.
func (w *Work) terminalUsed() time.Time {
	var last time.Time
	for _, p := range w.Processes {
		if p.TTYUsedAt.After(last) {
			last = p.TTYUsedAt
		}
	}
	return last
}

// Activity is what was seen of a tree so far. The zero value is that of a tree never
// seen.
type Activity struct {
	// IdleSince is when it was last seen in use. If AtLeast is set, it never was:
	// IdleSince is then the first look, and it may have been idle before.
	IdleSince inventory.Moment
	AtLeast   bool
	// Looks is how many looks in a row saw it idle.
	Looks int
	// Last is the sign of use that was seen last; zero is none.
	Last Use
	// UsedAt is when it was last seen in use, also where not all of it can be measured; zero is never.
	// Nothing is decided by it.
	UsedAt time.Time
	// TerminalUsed is when its terminal was last used; zero is not known.
	TerminalUsed time.Time

	at     inventory.Moment // of the last look; zero is none
	window inventory.Moment // since when spent is counted
	spent  map[inventory.ID]spent
}

// spent is what one process had used when a window began.
type spent struct {
	cpu        float64
	io, events uint64
}

func spentOf(p *inventory.Process) spent {
	return spent{cpu: p.CPUSeconds.Or(0), io: p.IOChars.Or(0), events: p.KernelEvents.Or(0)}
}

// Idle is how long it has done nothing, as far as looks have seen; unknown before the
// second look.
func (a Activity) Idle() inventory.Fact[time.Duration] {
	if a.Looks < 2 {
		return inventory.Fact[time.Duration]{}
	}
	return inventory.Known(a.at.Since(a.IdleSince).Round(time.Millisecond))
}

// Rested is for how long it has done nothing since it was seen in use, also where only one look has seen that yet:
// nothing is decided by it. Zero is not known.
func (a Activity) Rested() time.Duration { return a.AtLook().Or(0) }

// AtLook is for how long it had done nothing at the last look: 0 if that look saw it in use. It is unknown where
// that look could not measure it, or was the first. Nothing is decided by it.
func (a Activity) AtLook() inventory.Fact[time.Duration] {
	switch {
	case a.Looks == 0 && a.Last.Sign != "" && a.Last.Sign != SignUnknown:
		return inventory.Known(time.Duration(0))
	case a.Looks == 0, a.AtLeast && a.Looks < 2:
		return inventory.Fact[time.Duration]{}
	}
	return inventory.Known(a.at.Since(a.IdleSince).Round(time.Millisecond))
}

// Next is the activity after one more look.
func (a Activity) Next(w *Work, now inventory.Moment) Activity {
	next := Activity{IdleSince: now, Looks: 1, at: now, window: now, spent: spentBy(w), TerminalUsed: w.terminalUsed(), UsedAt: a.UsedAt}
	use := a.use(w, now)
	used := use.Sign != ""
	if used && use.Sign != SignUnknown {
		next.UsedAt = now.At
	}
	switch {
	case used:
		next.Last, next.Looks, next.AtLeast = use, 0, use.Sign == SignUnknown
		return next
	case a.spent == nil:
		next.AtLeast = true
		return next
	}
	next.IdleSince, next.AtLeast, next.Looks, next.Last = a.IdleSince, a.AtLeast, a.Looks+1, a.Last
	next.heedTerminal(now)
	if now.Since(a.window) < leastWindow {
		next.window, next.spent = a.window, a.spent
	}
	return next
}

// heedTerminal moves the beginning of idleness to the terminal's last use, if that
// was later.
func (a *Activity) heedTerminal(now inventory.Moment) {
	latest := a.TerminalUsed.Add(terminalGrain)
	if a.TerminalUsed.IsZero() || !latest.After(a.IdleSince.At) {
		return
	}
	a.IdleSince, a.AtLeast, a.Last = now.Earlier(max(0, now.At.Sub(latest))), false, Use{Sign: SignTerminal}
}

func spentBy(w *Work) map[inventory.ID]spent {
	by := make(map[inventory.ID]spent, len(w.Processes))
	for _, p := range w.Processes {
		by[p.ID()] = spentOf(p)
	}
	return by
}

// use finds the first sign of use since the look before. What was seen comes before what could not be
// measured: it is used all the same.
func (a Activity) use(w *Work, now inventory.Moment) Use {
	isSeen := func(use Use) bool { return use.Sign != SignUnknown && use.Sign != "" }
	unmeasured := Use{}
	if p := first(w.Processes, func(p *inventory.Process) bool { return !isMeasured(p) }); p != nil {
		unmeasured = Use{SignUnknown, p.PID}
	}
	did := a.did(w, now)
	if seen := first(append(w.Busy[:len(w.Busy):len(w.Busy)], did), isSeen); isSeen(seen) {
		return seen
	}
	return cmp.Or(unmeasured, first(w.Busy, func(use Use) bool { return use.Sign == SignUnknown }), did)
}

func isMeasured(p *inventory.Process) bool {
	return p.CPUSeconds.IsKnown() && (p.IOChars.IsKnown() || p.KernelEvents.IsKnown())
}

// did finds the first sign of use in what the measured processes and the terminal did since the look
// before.
func (a Activity) did(w *Work, now inventory.Moment) Use {
	if a.spent == nil {
		return Use{}
	}
	if use := a.changed(w); use.Sign != "" {
		return use
	}
	window := min(max(now.Since(a.window), leastWindow), longestWindow)
	for i, p := range w.Processes {
		events := float64(trickleEvents)
		if i < w.own {
			events = clientEvents
		}
		if sign := a.spent[p.ID()].exceeded(spentOf(p), window, events); sign != "" && isMeasured(p) {
			return Use{sign, p.PID}
		}
	}
	if used := w.terminalUsed(); used.After(a.at.At.Add(-terminalGrain)) && used.After(a.TerminalUsed) {
		return Use{Sign: SignTerminal}
	}
	return Use{}
}

// changed finds a process that has started or ended within the window. What one that ran
// before did in it, where nobody saw it, is not known.
func (a Activity) changed(w *Work) (use Use) {
	here := make(map[inventory.ID]bool, len(w.Processes))
	for _, p := range w.Processes {
		here[p.ID()] = true
		if _, known := a.spent[p.ID()]; known {
			continue
		}
		if !p.StartedAt.IsZero() && p.StartedAt.Before(a.window.At.Add(-startGrain)) {
			return Use{SignUnknown, p.PID}
		}
		return Use{SignStarted, p.PID}
	}
	for id := range a.spent {
		if !here[id] && (use.PID == 0 || id.PID < use.PID) {
			use = Use{SignExited, id.PID}
		}
	}
	return use
}

// Since finds the first sign that a process was used between two readings of it a few
// seconds apart; "" is none.
func Since(was, is *inventory.Process) Sign {
	before := spentOf(was)
	switch {
	case !isMeasured(is):
		return SignUnknown
	case is.TTYUsedAt.After(was.TTYUsedAt):
		return SignTerminal
	}
	return before.exceeded(spentOf(is), leastWindow, clientEvents)
}

// Within finds the first sign that a process was used between two readings of it so far apart; "" is
// none. Other than [Since] it forgives no more than the trickle of that time.
func Within(was, is *inventory.Process, apart time.Duration) Sign {
	if sign := Since(was, is); sign != "" {
		return sign
	}
	tick := spentOf(was)
	tick.cpu += oneTick
	return tick.exceeded(spentOf(is), apart, clientEvents)
}

// exceeded says what was used more of than a trickle up to now, of events as many as that a minute; "" is
// nothing.
func (s spent) exceeded(now spent, window time.Duration, events float64) Sign {
	switch {
	case now.cpu-s.cpu > trickleCPU*window.Seconds():
		return SignProcessor
	case float64(now.io-s.io) > trickleIO*window.Minutes():
		return SignIO
	case float64(now.events-s.events) > events*window.Minutes():
		return SignCalls
	}
	return ""
}
