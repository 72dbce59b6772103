package top

import (
	"time"

	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

// Message is an event that changes a [Model]: one of the types below.
type Message any

// The messages.
type (
	// Key is one key: its name ("up", "enter", "ctrl-c"), or the text that it types.
	Key string
	// Pasted is text that was pasted. It is never taken for keys.
	Pasted string
	// Resized is the size of the terminal in cells.
	Resized struct{ Width, Height int }
	// Seen is a new look, or the reason why there is none.
	Seen struct {
		Tree overview.Tree
		From Source
		// Pins has the targets of the pins that `reaperd pins` lists.
		Pins []string
		// PinTexts tells of these pins, by target: since when, until when, and why.
		PinTexts map[string]string
		// Mode is that of the policy by which top itself stops something. It differs from the
		// tree's if a flag is over the one or the other; empty: it is the tree's.
		Mode policy.Mode
		// FileMode is that of the policy's file, by which a sweep by hand goes; empty: not known.
		FileMode policy.Mode
		// User is the reader's name: whose pins these are.
		User string
		// NoRoomIn is the reader's state directory if its disk is full, so that nothing can be
		// pinned or unpinned.
		NoRoomIn string
		// Err is why there is no new look; the model keeps the previous one.
		Err error
	}
	// Moment is the time. It arrives when [Model.Wakes] has asked for it.
	Moment time.Time
	// Question is a plan that waits for a yes or a no.
	Question struct {
		Plan []string // in lines
		Asks string
	}
	// Said is the result of an effect, in lines; Err is why it failed. GivenUp means that
	// the reader no longer wanted it.
	Said struct {
		Effect
		Lines []string
		// Stays has the targets of ended pins that something keeps all the same, or of which
		// that is not known. Keeps tells what keeps them.
		Stays   []string
		Keeps   string
		Err     error
		GivenUp bool
	}
)

// Source tells who made a look, and so who acts on it.
type Source int

// The sources.
const (
	NoDaemon     Source = iota // top made the look: nobody acts
	BesideDaemon               // the same, but a daemon runs, which does not send its looks
	HungDaemon                 // the same, but a daemon runs, which does not answer: nobody acts
	BlindDaemon                // the same, but a daemon runs, which has never looked: nobody acts
	Daemon                     // the daemon made the look, and acts on it as its mode says
)

// Effect is what a model asks its caller to do. The zero value is nothing.
type Effect struct {
	Do      Deed
	Targets []string // each the [overview.Node].Target of a node
	// Ends are the switches that a stop needs: for a duplicate or an idle session, which the
	// policy may only report, and for what is pending.
	Ends policy.Switches
}

// Deed is a kind of effect.
type Deed string

// The deeds.
const (
	Nothing Deed = ""
	Quit    Deed = "quit"
	Suspend Deed = "suspend" // give the terminal back until the program continues
	Redraw  Deed = "redraw"  // draw every cell anew
	Look    Deed = "look"    // look at once
	Pin     Deed = "pin"
	Unpin   Deed = "unpin"
	Stop    Deed = "stop"    // plan, ask by a [Question], act
	GiveUp  Deed = "give up" // end a stop that has not asked yet
	Yes     Deed = "yes"     // the answers to a question
	No      Deed = "no"
)
