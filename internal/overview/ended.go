package overview

import (
	"time"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/redact"
	"github.com/reaperd/reaperd/internal/word"
)

// Ended is one act and its result.
type Ended struct {
	At         time.Time     `json:"at"`
	Key        string        `json:"key"` // of the former node
	Kind       graph.Kind    `json:"kind"`
	Name       string        `json:"name"`
	Handle     string        `json:"handle,omitempty"` // the word for it in commands, as of a node
	Cwd        string        `json:"cwd,omitempty"`
	Owner      string        `json:"owner,omitempty"`
	Finding    graph.Finding `json:"finding,omitempty"`
	Rule       string        `json:"rule,omitempty"`
	Outcome    string        `json:"outcome"` // as in the journal
	Detail     string        `json:"detail,omitempty"`
	FreedBytes uint64        `json:"freed_bytes,omitempty"`
	// ByHand is the command by which a person asked for it, as in [policy.Outcome].
	ByHand string `json:"by_hand,omitempty"`
}

// EndedBy is what ended by an act.
func EndedBy(o policy.Outcome) Ended {
	return Ended{
		At: o.At, Key: KeyOf(o.Kind, o.Target), Kind: o.Kind, Name: redact.Name(o.Name), Handle: word.OfOutcome(o).Handle(),
		Cwd: redact.Text(o.Cwd), Owner: redact.Text(o.Owner), Finding: o.Finding, Rule: o.Rule, Outcome: string(o.Result), Detail: redact.Text(o.Detail),
		FreedBytes: o.FreedBytes, ByHand: redact.Text(o.ByHand),
	}
}

// By tells by which rule something ended, and by which command if a person asked for it.
func (e Ended) By() string {
	return done.By(e.Rule, e.ByHand)
}
