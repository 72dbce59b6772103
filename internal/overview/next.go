package overview

import (
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
)

// Next is what the policy will do about a node, and when. The zero value: nothing, and no
// rule.
type Next struct {
	Rule   string        `json:"rule,omitempty"`
	Origin string        `json:"rule_origin,omitempty"` // file and line
	Action policy.Action `json:"action,omitempty"`
	// DueAt is when the finding of a pending node will have held for long enough.
	DueAt time.Time `json:"due_at,omitzero"`
	// AheadAt is when a rule stops a session that does nothing and stays until then, if it goes on so.
	AheadAt time.Time `json:"ahead_at,omitzero"`
	// AheadRule is that rule.
	AheadRule string `json:"ahead_rule,omitempty"`
	// Awaits is the rule that an older copy comes to which counts as in use; zero is none.
	Awaits Awaits `json:"awaits,omitzero"`
	// DueUnpinned is when a node will be due at the latest if its pin ends; zero unless the
	// pin alone keeps it.
	DueUnpinned time.Time `json:"due_unpinned,omitzero"`
	// NeedsLook reports that only one look has seen it so far.
	NeedsLook bool `json:"needs_look,omitempty"`
	// GraceSeconds is the time from SIGTERM to SIGKILL.
	GraceSeconds float64 `json:"grace_seconds,omitempty"`
	// Beyond is the limit of a sweep, if that limit leaves the node for a later sweep.
	Beyond int `json:"beyond,omitempty"`
	// With is the key of the node together with which this one is reaped, now or later, and WithKind what that is: a
	// gateway, an idle session, or the docker run of this container. EndsWith is the key of the container with which
	// this node ends by itself.
	With     string     `json:"with,omitempty"`
	WithKind graph.Kind `json:"with_kind,omitempty"`
	EndsWith string     `json:"ends_with,omitempty"`
}

// Awaits is a rule that matches an older copy once that has been idle for as long as the rule asks.
type Awaits struct {
	Rule   string        `json:"rule"`
	Origin string        `json:"rule_origin"` // file and line
	Action policy.Action `json:"action"`
	Wants  string        `json:"wants"` // "an idle time of 30m"
}

// String tells what the rule does then: "rule duplicates only reports it once it has an idle time of
// 30m".
func (a Awaits) String() string {
	does := "stops it"
	if !a.Action.Reaps() {
		does = "only reports it"
	}
	return "rule " + a.Rule + " " + does + " once it has " + a.Wants
}

// withWhat names that with which a node goes.
func (n *Next) withWhat() string {
	if n.WithKind == graph.KindServer {
		return "docker run"
	}
	return string(n.WithKind)
}

// WaitsWith reports a thing that waits with another, and goes when that does. What is due waits while no daemon acts.
func (n *Node) WaitsWith(acts bool) bool {
	return n.Next.With != "" && (n.State == StatePending || n.State == StateDue && !acts)
}
