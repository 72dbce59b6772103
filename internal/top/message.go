package top

import (
	"time"

	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

// Message is what happens to a [Model]: one of the types below.
type Message any

// The messages.
type (
	// Key is one key: its name ("up", "enter", "ctrl-c"), or the text that it types.
	Key string
	// Pasted is text that was pasted. It is never a command.
	Pasted string
	// Resized is the size of the terminal in cells.
	Resized struct{ Width, Height int }
	// Seen is what a look shows.
	Seen struct {
		Tree overview.Tree
		From Source
		// Err is why there is no new look; the one before stays.
		Err error
	}
	// Moment is the time, when [Model.Wakes] asked for it.
	Moment time.Time
	// Question is a plan that waits for a yes or a no.
	Question struct {
		Plan []string // in lines
		Asks string
	}
	// Said is what an effect came to, in lines; Err is why it did not. GivenUp tells that
	// the reader did not want it any more.
	Said struct {
		Effect
		Lines   []string
		Err     error
		GivenUp bool
	}
)

// Source is whose look it is, and so who acts on it.
type Source int

// The sources.
const (
	NoDaemon     Source = iota // a look of its own: nobody acts
	BesideDaemon               // the same, beside a daemon that does not tell what it sees
	Daemon                     // a daemon's, which acts on it by its mode
)

// Effect is what a model wants done. The zero value is nothing.
type Effect struct {
	Do     Deed
	Target string // what [overview.Node].Target says
	// Ends are the switches of a sweep that a stop takes: the target is a duplicate or
	// idle, which the policy may only report.
	Ends policy.Switches
}

// Deed is a kind of effect.
type Deed string

// The deeds.
const (
	Nothing Deed = ""
	Quit    Deed = "quit"
	Suspend Deed = "suspend" // give the terminal back until the program is continued
	Redraw  Deed = "redraw"  // draw everything, whatever the terminal shows
	Look    Deed = "look"    // look at once
	Pin     Deed = "pin"
	Unpin   Deed = "unpin"
	Stop    Deed = "stop"    // plan, ask by a [Question], act
	GiveUp  Deed = "give up" // a stop that has not asked yet
	Yes     Deed = "yes"     // the answers
	No      Deed = "no"
)
