package serve

import (
	"time"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/trigger"
)

// Result is how a sweep ended.
type Result string

// The results of a sweep.
const (
	ResultOK         Result = "ok"
	ResultIncomplete Result = "incomplete" // a source could not be read, or an act did not succeed
	ResultFailed     Result = "failed"     // it did not come to its end
)

func results() []string {
	return []string{string(ResultOK), string(ResultIncomplete), string(ResultFailed)}
}

// Origin is where a policy comes from, without saying which file it is.
type Origin string

// The origins of a policy. The zero value counts as OriginFile.
const (
	OriginBuiltin Origin = "built-in"
	OriginUser    Origin = "user"   // the user's configuration directory
	OriginSystem  Origin = "system" // /etc
	OriginFile    Origin = "file"   // named by flag or environment
)

// Policy is which policy holds. The zero value is none.
type Policy struct {
	Source string // policy.Builtin, or the file
	Origin Origin
	SHA256 string
	// Mode is the one in effect, whatever the file says.
	Mode  policy.Mode
	Rules []policy.Rule
}

// PolicyOf describes a policy that was loaded. The origin of the built-in policy
// needs no saying.
func PolicyOf(p *policy.Policy, origin Origin) Policy {
	described := Policy{Origin: origin, SHA256: p.Hash, Mode: p.Mode, Rules: p.Rules}
	if len(p.Sources) > 0 {
		described.Source = p.Sources[0].Name
	}
	return described
}

// label is the origin as a label.
func (p Policy) label() string {
	switch {
	case p.Source == policy.Builtin:
		return string(OriginBuiltin)
	case p.Origin == OriginBuiltin, p.Origin == OriginUser, p.Origin == OriginSystem:
		return string(p.Origin)
	}
	return string(OriginFile)
}

// Outcome is what came of one act, of this sweep or of an earlier one.
type Outcome struct {
	Target string // the target's id
	Name   string
	Kind   graph.Kind
	Rule   string
	Action policy.Action
	Result done.Result
	// FreedBytes is the memory it gave back; 0 is unknown.
	FreedBytes uint64
	// OwnerGoneSince is when its owner was first seen gone; zero is unknown, or
	// an owner that lives.
	OwnerGoneSince time.Time
	Ended          time.Time
	// Owner names whom it belonged to; empty is nobody known.
	Owner        string
	Finding      graph.Finding
	FindingSince time.Time
	Detail       string
}

// Begun is one act that goes on beside the sweeps.
type Begun struct {
	Target string        `json:"target"`
	Name   string        `json:"name"`
	Kind   graph.Kind    `json:"kind"`
	Rule   string        `json:"rule"`
	Action policy.Action `json:"action"`
}

// Update is everything one finished sweep publishes. Its values are not changed
// any more once it is published.
type Update struct {
	// Again marks the sweep of the update before, of which acts have come to their
	// end: it is not counted once more.
	Again    bool
	Trigger  trigger.Trigger
	Result   Result
	Why      string // why it failed or is incomplete: one sentence
	Started  time.Time
	Duration time.Duration
	// Next is when the schedule sweeps next; zero is never.
	Next time.Time
	// Schedule is the one that the next sweep is due by. An empty one leaves the
	// one published before.
	Schedule policy.Schedule

	// Graph is what was seen. nil is a sweep that saw nothing: what the one
	// before it saw stays on show.
	Graph *graph.Graph
	// First is the look before; nil where there was none.
	First    *graph.Graph
	Verdicts []policy.Verdict
	// Policy is the one it was judged by. Without a hash it leaves the one
	// published before.
	Policy   Policy
	Outcomes []Outcome
	UnderWay []Begun // acts of this sweep and of earlier ones that go on
	// Report encodes the sweep's report as JSON. It is called when it is first
	// asked for, at most once, from another goroutine. nil leaves the report
	// published before.
	Report func() ([]byte, error)

	Paused      bool
	PausedUntil time.Time // zero is until it is resumed
	PauseReason string    // as who paused it gave it
	Pins        int
	// Respawns is how many servers were started again after they were reaped,
	// by the id of the gateway that did, since the update before. Each counts for
	// the client that the gateway belongs to.
	Respawns map[string]int
	// Events tells by source whether its stream of events is up.
	Events map[string]bool
	// JournalWriteErrors is the total since the daemon started.
	JournalWriteErrors uint64
}
