package overview

import (
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// Version is the version of [Tree] as JSON. Within one version keys are only added.
const Version = 1

// Tree is everything that a person is shown of one look. A missing field is unknown.
type Tree struct {
	Version int `json:"version"`
	// At is the time of the look; zero before the first one.
	At       time.Time   `json:"taken_at,omitzero"`
	Hostname string      `json:"hostname,omitempty"`
	BootID   string      `json:"boot_id,omitempty"`
	Mode     policy.Mode `json:"mode,omitempty"`
	// Policy is the policy of the look. Where its file is refused it is the one before it.
	Policy policy.Identity `json:"policy,omitzero"`
	Pause  Pause           `json:"pause"`
	// Unfit is why the daemon acts on nothing although it should; empty if it is well.
	Unfit string `json:"unfit,omitempty"`
	// NoRoomIn is the daemon's state directory if its disk is full, as people write it.
	NoRoomIn string `json:"no_room_in,omitempty"`
	// Next is the time of the next scheduled look; zero if unknown.
	Next time.Time `json:"next_look,omitzero"`
	// Complete reports that every source answered.
	Complete bool `json:"complete"`
	// Refused has the faults of the policy file that was read last and is refused: the one before it
	// holds. In a tree that no daemon has made none does, and ShownBy names the one it shows: "the
	// built-in one".
	Refused []string `json:"refused,omitempty"`
	ShownBy string   `json:"-"`
	// RefusedFile is that file; empty if that is not known.
	RefusedFile string `json:"refused_file,omitempty"`
	Unseen      Unseen `json:"unseen,omitzero"`
	// IdleFor is for how many seconds a session must do nothing to count as idle; 0 if unknown.
	IdleFor float64 `json:"idle_for_seconds,omitempty"`

	Branches []Branch           `json:"branches"` // all four, in the order of [BranchName]
	Totals   Totals             `json:"totals"`
	Sources  []inventory.Source `json:"sources"`
	Refusals []Refusal          `json:"refusals"`
	Ended    []Ended            `json:"ended"` // the newest first
	Parted   []Parted           `json:"parted,omitempty"`
	Day      []Step             `json:"day"` // the oldest first
}

// Acts reports whether the daemon reaps what is due.
func (t *Tree) Acts() bool { return t.Mode == policy.ModeEnforce && !t.Pause.On && t.Unfit == "" }

// Branch returns the branch of that name; nil if the tree has none.
func (t *Tree) Branch(name BranchName) *Branch {
	for i := range t.Branches {
		if t.Branches[i].Name == name {
			return &t.Branches[i]
		}
	}
	return nil
}

// Gaps returns the sources that could not be read fully.
func (t *Tree) Gaps() []inventory.Source {
	var gaps []inventory.Source
	for _, source := range t.Sources {
		if source.Status == inventory.StatusPartial || source.Status == inventory.StatusError {
			gaps = append(gaps, source)
		}
	}
	return gaps
}

// LacksOnlyRoots reports that something could not be read, and that root may read all of it.
func (t *Tree) LacksOnlyRoots() bool {
	gaps := t.Gaps()
	return len(gaps) > 0 && !slices.ContainsFunc(gaps, func(s inventory.Source) bool {
		return !slices.Equal(s.Gaps, []inventory.Gap{inventory.GapDescriptors})
	})
}

// AsSeen ends a sentence that says that there is none of something: ", as far as was seen"
// where not all was; else it is empty.
func (t *Tree) AsSeen() string {
	if len(t.Gaps()) == 0 && !t.LacksContainers() {
		return ""
	}
	return ", as far as was seen"
}

// LacksContainers reports that some containers could not be read.
func (t *Tree) LacksContainers() bool {
	return t.Unseen.Containers > 0 || slices.ContainsFunc(t.Gaps(), func(s inventory.Source) bool { return s.Name == inventory.SourceDocker })
}

// Find returns the node of that key; nil if it is not in the tree.
func (t *Tree) Find(key string) *Node {
	return t.first(func(n *Node) bool { return n.Key == key })
}

// OfTarget returns the node of a target; nil if it is not in the tree.
func (t *Tree) OfTarget(target string) *Node {
	return t.first(func(n *Node) bool { return n.Target == target })
}

func (t *Tree) first(is func(*Node) bool) *Node {
	var found *Node
	t.Walk(func(n *Node, _ int) bool {
		if found == nil && is(n) {
			found = n
		}
		return found == nil
	})
	return found
}

// Runner names the docker run whose container a node is, the node above it: "gitlab 57". Where
// the pin of another docker run keeps the container, which is whose cannot be told: "maybe
// gitlab 57". Empty: it is no container, or no docker run is known.
func (t *Tree) Runner(n *Node) string {
	if n.Kind != KindContainer {
		return ""
	}
	above := t.first(func(other *Node) bool {
		return slices.ContainsFunc(other.Children, func(child Node) bool { return child.Key == n.Key })
	})
	if above == nil || above.Kind != KindServer && above.Kind != KindGateway {
		return ""
	}
	keeper := t.OfTarget(n.KeptWith.Target)
	isAbove := keeper != nil && holds(keeper.Children, n.Key) // such as its gateway
	if n.KeptWith.Target != "" && n.KeptWith.Target != above.Target && !isAbove && n.Owner.Liveness != graph.LivenessLive {
		return "maybe " + above.Title()
	}
	return above.Title()
}

// Top returns the node of a branch that is or contains the node of a key; nil if the tree
// has none.
func (t *Tree) Top(key string) *Node {
	node, _ := t.top(key)
	return node
}

func (t *Tree) top(key string) (*Node, BranchName) {
	for _, branch := range t.Branches {
		for i := range branch.Nodes {
			alone := Tree{Branches: []Branch{{Nodes: branch.Nodes[i : i+1]}}}
			if alone.Find(key) != nil {
				return &branch.Nodes[i], branch.Name
			}
		}
	}
	return nil, ""
}

// PlaceOf returns the place of a key's node; the zero value if it is not in the tree.
func (t *Tree) PlaceOf(key string) Place {
	top, branch := t.top(key)
	if top == nil || top.Key == key {
		return Place{Branch: branch}
	}
	return Place{Branch: branch}.Below(top)
}

// Walk visits every node before its children. depth is 0 for the nodes of a branch. If
// visit returns false, Walk skips the node's children.
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

// holds reports whether a node of that key is among nodes or below them.
func holds(nodes []Node, key string) (found bool) {
	walk(nodes, 0, func(n *Node, _ int) bool {
		found = found || n.Key == key
		return !found
	})
	return found
}

// Unseen are containers that nobody can see now, because their engine is gone: those that a
// daemon has seen before or, if none has, one for each docker run.
type Unseen struct {
	Containers int       `json:"containers"`
	Engines    []string  `json:"engines,omitempty"` // what people call those engines: docker, podman
	Since      time.Time `json:"since,omitzero"`    // the first look without them; zero: none showed them
}

// Pause tells whether a person has paused reaperd.
type Pause struct {
	On     bool      `json:"on"`
	Until  time.Time `json:"until,omitzero"` // zero: until somebody resumes it
	Reason string    `json:"reason,omitempty"`
}

// BranchName names a branch of the tree.
type BranchName string

// The branches, in the tree's order.
const (
	BranchSessions BranchName = "sessions" // targets of live sessions
	BranchOthers   BranchName = "others"   // targets of live processes and services that are no known client
	BranchLeaked   BranchName = "leaked"   // orphaned or exited targets
	BranchUnclear  BranchName = "unclear"  // targets whose owner is not known
)

// Branch is one of the four parts of the tree.
type Branch struct {
	Name   BranchName `json:"name"`
	Nodes  []Node     `json:"nodes"`
	Totals Totals     `json:"totals"`
}

// Kind tells what a node stands for.
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
	KindGone      Kind = "gone" // a session that has ended, above the targets it left
)

// State is the state of a node. The zero value is kept.
type State string

// The states. Pending, due and reaping follow the policy, even if the mode does not let
// the daemon act ([Tree.Acts]).
const (
	StateKept     State = ""
	StateIdle     State = "idle"     // kept; unused for a while
	StatePinned   State = "pinned"   // kept, because somebody pinned it
	StateReported State = "reported" // has a finding, and stays
	StatePending  State = "pending"  // will be reaped once its finding has held for long enough
	StateDue      State = "due"      // will be reaped in this sweep
	StateReaping  State = "reaping"  // is being reaped
)

// IsGoing reports a node that is stopped, now or later.
func (s State) IsGoing() bool { return s == StatePending || s == StateDue || s == StateReaping }

// String returns the state as people read it.
func (s State) String() string {
	if s == StateKept {
		return "kept"
	}
	return string(s)
}

// MarshalText returns the state as people read it.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the output of MarshalText.
func (s *State) UnmarshalText(text []byte) error {
	*s = State(text)
	if *s == "kept" {
		*s = StateKept
	}
	return nil
}

// Node is one thing in the tree.
type Node struct {
	// Key is made of the kind and the identity, and so stays equal in all looks. No other
	// node of the tree has it.
	Key  string `json:"key"`
	Kind Kind   `json:"kind"`
	Name string `json:"name,omitempty"`
	// Target is the id that explain, pin and sweep accept; empty if the node is no
	// target.
	Target      string `json:"target,omitempty"`
	PID         int    `json:"pid,omitempty"`
	ContainerID string `json:"container_id,omitempty"`
	// Handle is the short form of Target: a PID, or a container's name.
	Handle string   `json:"handle,omitempty"`
	Argv   []string `json:"argv,omitempty"`
	Cwd    string   `json:"cwd,omitempty"` // of a session that has ended: that of what it left
	TTY    string   `json:"tty,omitempty"`
	Image  string   `json:"image,omitempty"`
	User   string   `json:"user,omitempty"`
	Owner  Owner    `json:"owner,omitzero"`
	// StartedAt is its start time; for a container that has exited, when it exited. NeverStarted reports
	// one that was only created, then.
	StartedAt    time.Time `json:"started_at,omitzero"`
	NeverStarted bool      `json:"never_started,omitempty"`
	// Down reports a container that does not run.
	Down bool `json:"down,omitempty"`

	State        State         `json:"state"`
	Finding      graph.Finding `json:"finding,omitempty"`
	FindingSince time.Time     `json:"finding_since,omitzero"`
	// Rests reports an older copy that counts as in use ([policy.Verdict.Rests]). It has no
	// finding.
	Rests bool `json:"rests,omitempty"`
	// Reason is one sentence that explains the state, without a full stop.
	Reason   string           `json:"reason,omitempty"`
	Evidence []graph.Evidence `json:"evidence,omitempty"`
	Guards   []graph.Veto     `json:"guards,omitempty"`
	// RunMayBeUsed reports a container whose docker run may be in use by a process that cannot be seen: so may it.
	RunMayBeUsed bool `json:"run_may_be_used,omitempty"`
	// KeptWith is the pinned thing for whose sake the node is kept; the zero value if there
	// is none, or if the node is pinned itself.
	KeptWith Keeper `json:"kept_with,omitzero"`
	// Marked reports that a label or a variable of the environment keeps it: no
	// `reaperd unpin` ends that.
	Marked bool `json:"marked,omitempty"`
	// Protected reports that an entry of the policy's protect keeps it, or something that would end
	// with it.
	Protected bool `json:"protected,omitempty"`
	// PinnedBy is the name of the other user whose pin keeps it: only that user's
	// `reaperd unpin` ends it. Empty if there is none.
	PinnedBy string `json:"pinned_by,omitempty"`
	Next     Next   `json:"next,omitzero"`
	// Outcome is the result of an act that did not end it; empty without such an act.
	Outcome string `json:"outcome,omitempty"`

	// Processes counts its own processes, without those of its children.
	Processes int `json:"processes,omitempty"`
	Zombies   int `json:"zombies,omitempty"`
	// Leaves names the processes below it that stay when it ends: "left open: chromium 170"; empty
	// if there are none.
	Leaves string `json:"leaves,omitempty"`
	// MemoryBytes is its own memory. MemoryKind is pss, footprint or rss.
	MemoryBytes uint64 `json:"memory_bytes,omitempty"`
	MemoryKind  string `json:"memory_kind,omitempty"`
	// CPUPercent is of one core, between the last two looks.
	CPUPercent inventory.Fact[float64] `json:"cpu_percent,omitzero"`
	// IdleSince is since when it uses neither processor nor input and output, as far as
	// reaperd has seen. For a session it is since when the session and all that works for
	// it do nothing (package idle); ServersIdleSince is that of its servers alone. Zero:
	// busy or unknown.
	IdleSince        time.Time `json:"idle_since,omitzero"`
	ServersIdleSince time.Time `json:"servers_idle_since,omitzero"`
	// IdleAtLeast reports that reaperd never saw it in use, and that it ran before: it may have been
	// idle for longer.
	IdleAtLeast bool `json:"idle_at_least,omitempty"`
	// Use is how a session was last used that was in use at the look or shortly before
	// ([usage.LeastIdle]); "" is any other node.
	Use string `json:"use,omitempty"`
	// Unmeasured reports that Use tells no use: nobody knows whether the session idles, and why that is.
	Unmeasured bool `json:"unmeasured,omitempty"`

	Children []Node `json:"children,omitempty"`
	// Totals are those of the node and all below it.
	Totals Totals `json:"totals,omitzero"`
}

// Keeper is a pinned thing for whose sake others are kept too.
type Keeper struct {
	Target string `json:"target"`
	Title  string `json:"title,omitempty"` // of its node; empty if the tree has none
}

// Owner is the owner of a node. The zero value is an unknown owner.
type Owner struct {
	Name     string          `json:"name,omitempty"`
	Kind     graph.OwnerKind `json:"kind,omitempty"`
	PID      int             `json:"pid,omitempty"`
	Liveness graph.Liveness  `json:"liveness,omitempty"`
	Since    time.Time       `json:"since,omitzero"` // when it was first seen gone; zero if it lives
}

// Refusal is a target that a rule would end and that stays.
type Refusal struct {
	Key  string `json:"key"` // of the node
	Name string `json:"name"`
	Rule string `json:"rule"`
	// At is when the act was tried, or the first look in which the guard kept it.
	At time.Time `json:"at,omitzero"`
	// Guard is the guard that keeps it; empty if an act was tried, with Text as its
	// result.
	Guard graph.Guard `json:"guard,omitempty"`
	Text  string      `json:"text"`
}
