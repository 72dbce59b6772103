package overview

import (
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// Version is the version of [Tree] as JSON. Within one version keys are only added.
const Version = 1

// Tree is everything that a person is shown of one look. What is left out is
// unknown.
type Tree struct {
	Version int `json:"version"`
	// At is when the host was looked at; zero is before the first look.
	At       time.Time   `json:"taken_at,omitzero"`
	Hostname string      `json:"hostname,omitempty"`
	Mode     policy.Mode `json:"mode,omitempty"`
	Pause    Pause       `json:"pause"`
	// Next is when the schedule looks next; zero is unknown.
	Next time.Time `json:"next_look,omitzero"`
	// Complete tells that every source answered.
	Complete bool `json:"complete"`

	Branches []Branch           `json:"branches"` // all four, in the order of [BranchName]
	Totals   Totals             `json:"totals"`
	Sources  []inventory.Source `json:"sources"`
	Refusals []Refusal          `json:"refusals"`
	Ended    []Ended            `json:"ended"` // the newest first
	Day      []Step             `json:"day"`   // the oldest first
}

// Acts reports whether what is due will be acted on.
func (t *Tree) Acts() bool { return t.Mode == policy.ModeEnforce && !t.Pause.On }

// Branch is the branch of that name; nil where the tree has none.
func (t *Tree) Branch(name BranchName) *Branch {
	for i := range t.Branches {
		if t.Branches[i].Name == name {
			return &t.Branches[i]
		}
	}
	return nil
}

// Gaps are the sources that could not be read fully.
func (t *Tree) Gaps() []inventory.Source {
	var gaps []inventory.Source
	for _, source := range t.Sources {
		if source.Status == inventory.StatusPartial || source.Status == inventory.StatusError {
			gaps = append(gaps, source)
		}
	}
	return gaps
}

// Find is the node of that key; nil where it is not in the tree.
func (t *Tree) Find(key string) *Node {
	var found *Node
	t.Walk(func(n *Node, _ int) bool {
		if n.Key == key {
			found = n
		}
		return found == nil
	})
	return found
}

// PlaceOf is where the node of a key stands; the zero value is nowhere.
func (t *Tree) PlaceOf(key string) Place {
	for _, branch := range t.Branches {
		for i := range branch.Nodes {
			alone := Tree{Branches: []Branch{{Nodes: branch.Nodes[i : i+1]}}}
			if alone.Find(key) != nil {
				top := &branch.Nodes[i]
				return Place{Branch: branch.Name, Idle: top.Key != key && top.State == StateIdle}
			}
		}
	}
	return Place{}
}

// Walk visits every node, a node before what is below it. depth is 0 for the nodes
// of a branch. Where visit returns false, what is below the node is left out.
func (t *Tree) Walk(visit func(n *Node, depth int) (goOn bool)) {
	for i := range t.Branches {
		walk(t.Branches[i].Nodes, 0, visit)
	}
}

func walk(nodes []Node, depth int, visit func(*Node, int) bool) {
	for i := range nodes {
		if visit(&nodes[i], depth) {
			walk(nodes[i].Children, depth+1, visit)
		}
	}
}

// Pause tells whether somebody paused reaperd.
type Pause struct {
	On     bool      `json:"on"`
	Until  time.Time `json:"until,omitzero"` // zero is until it is resumed
	Reason string    `json:"reason,omitempty"`
}

// BranchName names a branch of the tree.
type BranchName string

// The branches, in the tree's order.
const (
	BranchSessions BranchName = "sessions" // of live sessions
	BranchOthers   BranchName = "others"   // of live processes and services that are no known client
	BranchLeaked   BranchName = "leaked"   // orphaned or exited, and nobody's
	BranchUnclear  BranchName = "unclear"  // nothing proves whose
)

// Branch is a part of the tree.
type Branch struct {
	Name   BranchName `json:"name"`
	Nodes  []Node     `json:"nodes"`
	Totals Totals     `json:"totals"`
}

// Kind is what a node stands for.
type Kind string

// The kinds of nodes.
const (
	KindSession   Kind = "session"
	KindServer    Kind = "server"
	KindGateway   Kind = "gateway"
	KindContainer Kind = "container"
	KindProcess   Kind = "process" // one of several processes of a session or server
	KindOwner     Kind = "owner"   // a live process that is no known client
	KindService   Kind = "service"
	KindGone      Kind = "gone" // a session that has ended, above what it left
)

// State is what becomes of a node. The zero value is kept.
type State string

// The states. What is pending, due or being reaped is so by the policy, whether or
// not the mode lets it happen ([Tree.Acts]).
const (
	StateKept     State = ""
	StateIdle     State = "idle"     // kept, and does nothing
	StatePinned   State = "pinned"   // kept, because somebody said so
	StateReported State = "reported" // something is wrong with it, and nothing is done about it
	StatePending  State = "pending"  // will be reaped once it is proven for long enough
	StateDue      State = "due"      // will be reaped in this sweep
	StateReaping  State = "reaping"  // is being reaped
)

// String is the state as people read it.
func (s State) String() string {
	if s == StateKept {
		return "kept"
	}
	return string(s)
}

// MarshalText writes the state as people read it.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (s *State) UnmarshalText(text []byte) error {
	*s = State(text)
	if *s == "kept" {
		*s = StateKept
	}
	return nil
}

// Node is one thing in the tree.
type Node struct {
	// Key is made of what the node is and of its identity, and so is equal in all
	// looks. It is used once in a tree.
	Key  string `json:"key"`
	Kind Kind   `json:"kind"`
	Name string `json:"name,omitempty"`
	// Target is what explain, pin and sweep take; empty where there is no such.
	Target      string `json:"target,omitempty"`
	PID         int    `json:"pid,omitempty"`
	ContainerID string `json:"container_id,omitempty"`
	// Handle is the short form of Target: a PID, or a container's name.
	Handle string   `json:"handle,omitempty"`
	Argv   []string `json:"argv,omitempty"`
	Cwd    string   `json:"cwd,omitempty"`
	TTY    string   `json:"tty,omitempty"`
	Image  string   `json:"image,omitempty"`
	User   string   `json:"user,omitempty"`
	Owner  Owner    `json:"owner,omitzero"`
	// StartedAt is when it started; of a container that has exited, when it did.
	StartedAt time.Time `json:"started_at,omitzero"`

	State        State         `json:"state"`
	Finding      graph.Finding `json:"finding,omitempty"`
	FindingSince time.Time     `json:"finding_since,omitzero"`
	// Reason is one sentence on why the state is what it is, without a full stop.
	Reason   string           `json:"reason,omitempty"`
	Evidence []graph.Evidence `json:"evidence,omitempty"`
	Guards   []graph.Veto     `json:"guards,omitempty"`
	Next     Next             `json:"next,omitzero"`
	// Outcome is what came of an act that did not end it; empty is that there was none.
	Outcome string `json:"outcome,omitempty"`

	// Processes is how many it has itself, without what is below it.
	Processes int `json:"processes,omitempty"`
	Zombies   int `json:"zombies,omitempty"`
	// MemoryBytes is what it holds itself, of MemoryKind: pss, footprint or rss.
	MemoryBytes uint64 `json:"memory_bytes,omitempty"`
	MemoryKind  string `json:"memory_kind,omitempty"`
	// CPUPercent is of one core, between the last two looks.
	CPUPercent inventory.Fact[float64] `json:"cpu_percent,omitzero"`
	// IdleSince is since when it uses neither processor nor input and output, as far
	// as seen; of a session, since when it and all that works for it do nothing (package
	// idle), and ServersIdleSince is that of its servers alone. Zero is busy or unknown.
	IdleSince        time.Time `json:"idle_since,omitzero"`
	ServersIdleSince time.Time `json:"servers_idle_since,omitzero"`
	// IdleAtLeast says that a session was never seen in use: it may have been idle
	// for longer.
	IdleAtLeast bool `json:"idle_at_least,omitempty"`

	Children []Node `json:"children,omitempty"`
	// Totals are of the node and all that is below it.
	Totals Totals `json:"totals,omitzero"`
}

// Owner is whom a node belongs to. The zero value is nobody known.
type Owner struct {
	Name     string          `json:"name,omitempty"`
	Kind     graph.OwnerKind `json:"kind,omitempty"`
	PID      int             `json:"pid,omitempty"`
	Liveness graph.Liveness  `json:"liveness,omitempty"`
	Since    time.Time       `json:"since,omitzero"` // gone: first seen gone
}

// Next is what the policy will do about a node, and when. The zero value is
// nothing, and no rule.
type Next struct {
	Rule   string        `json:"rule,omitempty"`
	Origin string        `json:"rule_origin,omitempty"` // file and line
	Action policy.Action `json:"action,omitempty"`
	// DueAt is when a pending node will have been proven for long enough.
	DueAt time.Time `json:"due_at,omitzero"`
	// NeedsLook marks what was seen once only, so far.
	NeedsLook bool `json:"needs_look,omitempty"`
	// GraceSeconds is the time from SIGTERM to SIGKILL.
	GraceSeconds float64 `json:"grace_seconds,omitempty"`
	// Beyond is the limit of a sweep that leaves the node for a later one.
	Beyond int `json:"beyond,omitempty"`
	// With is the key of the node that this one is reaped with, EndsWith that of
	// the container which the node ends with by itself.
	With     string `json:"with,omitempty"`
	EndsWith string `json:"ends_with,omitempty"`
}

// Refusal is something that a rule would end and that is kept.
type Refusal struct {
	Key  string `json:"key"` // of the node
	Name string `json:"name"`
	Rule string `json:"rule"`
	// Guard is the guard that keeps it; empty where an act was tried and came to Text.
	Guard graph.Guard `json:"guard,omitempty"`
	Text  string      `json:"text"`
}

// Ended is one act and what came of it.
type Ended struct {
	At         time.Time     `json:"at"`
	Key        string        `json:"key"` // of the node it was
	Kind       graph.Kind    `json:"kind"`
	Name       string        `json:"name"`
	Owner      string        `json:"owner,omitempty"`
	Finding    graph.Finding `json:"finding,omitempty"`
	Rule       string        `json:"rule,omitempty"`
	Outcome    string        `json:"outcome"` // as in the journal
	Detail     string        `json:"detail,omitempty"`
	FreedBytes uint64        `json:"freed_bytes,omitempty"`
}
