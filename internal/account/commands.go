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

// stopping is the command that stops a thing; empty if none does. What ends with another is stopped by that.
func (a *Account) stopping(t *Thing) string {
	sweep, word := "reaperd sweep ", human.Shell(t.Handle)
	if head := a.ByID()[t.Head]; head != nil {
		word = human.Shell(head.Handle)
	}
	switch {
	case a.Decider.Rests == Unrecorded, t.Pinned != "", t.Fate == Ending, len(t.Guards) > 0:
		return ""
	case a.Decider.Rests == Paused && t.Decision != keeps:
		return "reaperd resume"
	case t.Decision != keeps, t.EndsWith != "":
		return sweep + word
	case t.isOlder():
		return sweep + "--duplicates " + word
	case t.Kind == graph.KindSession && t.Finding == graph.FindingIdle:
		return sweep + "--idle-over " + idleOver(t) + " " + word
	}
	return ""
}

// idleOver is a plain time for which an idle session has done nothing.
func idleOver(t *Thing) string {
	for _, plain := range []time.Duration{time.Hour, 10 * time.Minute, time.Minute} {
		if t.IdleSeconds != nil && *t.IdleSeconds >= plain.Seconds() {
			return human.Exact(plain)
		}
	}
	return "10s"
}
