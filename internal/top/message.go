package top

import (
	"time"

	"github.com/reaperd/reaperd/internal/account"
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
	// Seen is the account of a look, or the reason why there is none; then the model keeps the one before.
	Seen struct {
		Account *account.Account
		Err     error
	}
	// Moment is the time. It arrives when [Model.Wakes] has asked for it.
	Moment time.Time
	// Came is the result of an effect: text, the answer that the effect wanted, or why it failed. GivenUp means
	// that the reader no longer wanted it.
	Came struct {
		Effect
		Text        string
		Explanation *account.Explanation
		History     *account.History
		Planned     *account.Plan
		Result      *account.Result
		Err         error
		GivenUp     bool
	}
)

// Effect is what a model asks its caller to do. The zero value is nothing.
type Effect struct {
	Do    Deed
	Words []string      // each names a thing or a session
	Order account.Order // of a plan
	Plan  *account.Plan // that is to be carried out
}

// Deed is a kind of effect.
type Deed string

// The deeds.
const (
	Nothing Deed = ""
	Quit    Deed = "quit"
	Suspend Deed = "suspend" // give the terminal back until the program continues
	Redraw  Deed = "redraw"  // draw every cell anew
	Look    Deed = "look"
	Explain Deed = "explain"
	History Deed = "history"
	Pin     Deed = "pin"
	Unpin   Deed = "unpin"
	Pause   Deed = "pause"
	Resume  Deed = "resume"
	Plan    Deed = "plan"
	GiveUp  Deed = "give up" // the plan that is awaited
	Act     Deed = "act"     // carry a plan out
)
