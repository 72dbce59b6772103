package policy

import (
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
)

// Outcome is the result of one act, of this sweep or of an earlier one. What is not
// known is empty.
type Outcome struct {
	ID     string // the act's, as in the journal
	Target string // the target's id
	Name   string
	// Container is the container's name; empty if it is none, or has none.
	Container string
	Kind      graph.Kind
	Cwd       string // the working directory of the target's first process
	Owner     string // its name
	Rule      string
	Action    Action
	// ByHand is the command by which a person asked for the act, as in [Act].
	ByHand string
	// By is the user who asked for it, as in [Act]; User is whose the target was.
	By   string
	User inventory.Fact[int]

	Finding      graph.Finding
	FindingSince time.Time
	// OwnerGoneSince is when its owner was first seen gone; zero if the owner lives.
	OwnerGoneSince time.Time

	Result     human.Result
	Detail     string    // one sentence
	FreedBytes uint64    // memory that it freed
	At         time.Time // when the act was over
}
