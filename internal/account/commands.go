package account

import (
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
)

// Command is a command line to type, and what it is for.
type Command struct {
	What string `json:"what"` // "Stop them"
	Line string `json:"line"` // "reaperd sweep"
}

// Commands are those that fit an account as a whole.
func (a *Account) Commands() (commands []Command) {
	s := a.Summary
	switch {
	case a.Decider.Kind == ByReplay:
		return nil
	case a.Decider.Rests == Paused && s.Leaked > 0:
		commands = append(commands, Command{"Go on", "reaperd resume"})
	case s.Leaked > 0 && a.Decider.Rests != Unrecorded:
		commands = append(commands, Command{"Stop them", "reaperd sweep"})
	case s.OlderCopies > 0:
		commands = append(commands, Command{"Stop older copies", "reaperd sweep --duplicates"})
	case s.IdleSessions > 0:
		commands = append(commands, Command{"Stop idle sessions", "reaperd sweep --idle-over 1h"})
	}
	if s.Leaked > 0 {
		commands = append(commands, Command{"Keep one", "reaperd pin NAME"})
	}
	if s.Leaked+s.Kept+s.OlderCopies+s.Failing > 0 {
		commands = append(commands, Command{"Why", "reaperd explain PID"})
	}
	return commands
}

// CommandsOf are those that fit a thing.
func (a *Account) CommandsOf(t *Thing) (commands []Command) {
	stop, word := a.stopping(t), human.Shell(t.Handle)
	isOfNoUse := t.Fate == Ending && !t.Imminent || t.Protect != "" || t.failing() != "" || t.Fate == InUse && !t.isOlder()
	switch {
	case a.Decider.Kind == ByReplay:
		return nil
	case stop != "":
		commands = append(commands, Command{"stop it", stop})
	}
	switch {
	case t.Unpin != "":
		return append(commands, Command{"no longer keep it", t.Unpin})
	case t.Pinned == "" && !isOfNoUse:
		return append(commands, Command{"keep it", "reaperd pin " + word})
	}
	return commands
}

// stopping is the command that stops a thing; empty if none does.
func (a *Account) stopping(t *Thing) string {
	order, stops := a.OrderFor(t)
	switch {
	case !stops, a.Decider.Kind == ByReplay:
		return ""
	case a.Decider.Rests == Paused && t.Decision != keeps:
		return "reaperd resume"
	case order.Duplicates:
		order.Words = append([]string{"--duplicates"}, order.Words...)
	case order.IdleOver > 0:
		order.Words = append([]string{"--idle-over", human.Exact(order.IdleOver)}, order.Words...)
	}
	return "reaperd sweep " + human.Shell(order.Words...)
}

// OrderFor is the sweep that stops a thing, if one does. What ends with another is stopped by that.
func (a *Account) OrderFor(t *Thing) (order Order, stops bool) {
	order.Words = []string{t.Handle}
	for i := range a.Things {
		if a.Things[i].ID == t.Head {
			order.Words = []string{a.Things[i].Handle}
		}
	}
	isEarly := t.Decision == waits && t.IfIdle
	switch {
	case a.Decider.Rests == Unrecorded, t.Pinned != "", t.Fate == Ending, len(t.Guards) > 0:
		return order, false
	case t.Decision != keeps && !isEarly, t.EndsWith != "":
	case t.isOlder():
		order.Duplicates = true
	case t.isLeftSession() && t.Rule != "":
	case t.Kind == graph.KindSession && (t.Finding == graph.FindingIdle || isEarly):
		order.IdleOver = idleOver(t)
	default:
		return order, false
	}
	return order, true
}

// isLeftSession reports an orphaned session: a sweep that names it stops it.
func (t *Thing) isLeftSession() bool {
	return t.Kind == graph.KindSession && t.Finding == graph.FindingOrphaned
}

// idleOver is a plain time for which an idle session has done nothing.
func idleOver(t *Thing) time.Duration {
	for _, plain := range []time.Duration{time.Hour, 10 * time.Minute, time.Minute, 10 * time.Second} {
		if t.IdleSeconds != nil && *t.IdleSeconds >= plain.Seconds() {
			return plain
		}
	}
	return time.Second
}
