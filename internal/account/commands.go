package account

import "github.com/reaperd/reaperd/internal/graph"

// Command is a command line to type, and what it is for.
type Command struct {
	What string `json:"what"` // "Stop them"
	Line string `json:"line"` // "reaperd sweep"
}

// Commands are those that fit an account as a whole.
func (a *Account) Commands() (commands []Command) {
	if a.Decider.Kind == ByReplay || a.Summary.Leaked+a.Summary.Kept == 0 {
		return nil
	}
	switch {
	case !a.Decider.PausedUntil.IsZero():
		commands = append(commands, Command{"Go on", "reaperd resume"})
	case a.Summary.Leaked > 0:
		commands = append(commands, Command{"Stop them", "reaperd sweep"})
	}
	return append(commands, Command{"Keep one", "reaperd pin NAME"}, Command{"Why", "reaperd explain PID"})
}

// CommandsOf are those that fit a thing.
func (a *Account) CommandsOf(t *Thing) (commands []Command) {
	if a.Decider.Kind == ByReplay {
		return nil
	}
	switch {
	case t.Fate == Leaked, t.Fate == Kept && t.Pinned == "" && t.Owner.Liveness != graph.LivenessLive:
		commands = append(commands, Command{"stop it now", "reaperd sweep " + t.Handle})
	case t.Kind == graph.KindSession && t.Fate == Idle:
		commands = append(commands, Command{"stop it", "reaperd sweep " + t.Handle})
	}
	if t.Pinned == "" {
		commands = append(commands, Command{"keep it", "reaperd pin " + t.Handle})
	} else {
		commands = append(commands, Command{"no longer keep it", "reaperd unpin " + t.Handle})
	}
	return append(commands, Command{"why", "reaperd explain " + t.Handle})
}
