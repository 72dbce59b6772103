package overview

import "github.com/reaperd/reaperd/internal/graph"

// Totals are the sums of a node with all below it, of a branch, or of the tree.
type Totals struct {
	Sessions   int `json:"sessions"`
	Servers    int `json:"servers"` // includes gateways
	Containers int `json:"containers"`
	Processes  int `json:"processes"`
	// MemoryBytes is a sum of kind MemoryKind: the least exact kind among its parts.
	MemoryBytes uint64 `json:"memory_bytes"`
	MemoryKind  string `json:"memory_kind,omitempty"`

	Reported int `json:"reported"`
	Pinned   int `json:"pinned"` // as `reaperd pins` lists them: not what a mark keeps, or something else that is pinned
	// Guarded counts what a rule that acts names and a guard keeps; Reported counts it too.
	Guarded int `json:"guarded,omitempty"`
	// UnseenServers and UnseenContainers count what may be in use by a process that cannot be seen from here;
	// UnseenBytes is the memory of that.
	UnseenServers    int    `json:"unseen_servers,omitempty"`
	UnseenContainers int    `json:"unseen_containers,omitempty"`
	UnseenBytes      uint64 `json:"unseen_bytes,omitempty"`
	// Copies counts older copies, whether idle for as long as their rule asks or not.
	Copies int `json:"copies,omitempty"`
	// Pending counts things that wait for their time, or go with one that does; Due those that are reaped now.
	Pending int `json:"pending"`
	Due     int `json:"due"`
	// GoingBytes is the memory of what is pending or due.
	GoingBytes uint64 `json:"going_bytes"`
	// IdleSessions counts sessions; IdleBytes is their memory with that of their servers.
	IdleSessions int    `json:"idle_sessions"`
	IdleBytes    uint64 `json:"idle_bytes"`
}

// Things returns the number of servers and containers.
func (t Totals) Things() int { return t.Servers + t.Containers }

// Leaked returns the totals without what may be in use.
func (t Totals) Leaked() Totals {
	t.Servers, t.Containers, t.MemoryBytes = t.Servers-t.UnseenServers, t.Containers-t.UnseenContainers, t.MemoryBytes-min(t.UnseenBytes, t.MemoryBytes)
	return t
}

// Going returns the number of things that are pending or due.
func (t Totals) Going() int { return t.Pending + t.Due }

func (t *Totals) add(other Totals) {
	t.Sessions += other.Sessions
	t.Servers += other.Servers
	t.Containers += other.Containers
	t.Processes += other.Processes
	t.addMemory(other.MemoryBytes, other.MemoryKind)
	t.Reported += other.Reported
	t.Pinned += other.Pinned
	t.Guarded += other.Guarded
	t.UnseenServers += other.UnseenServers
	t.UnseenContainers += other.UnseenContainers
	t.UnseenBytes += other.UnseenBytes
	t.Copies += other.Copies
	t.Pending += other.Pending
	t.Due += other.Due
	t.GoingBytes += other.GoingBytes
	t.IdleSessions += other.IdleSessions
	t.IdleBytes += other.IdleBytes
}

// OneMemoryKind reports that all figures of memory in a tree are of the kind of their sum.
func (t *Tree) OneMemoryKind() bool {
	one := t.Totals.MemoryKind != ""
	t.Walk(func(n *Node, _ int) bool {
		one = one && (n.MemoryBytes == 0 || n.MemoryKind == t.Totals.MemoryKind)
		return one
	})
	return one
}

// addMemory adds a figure and keeps the least exact kind. That is resident memory (rss):
// it counts shared pages in each process that shares them.
func (t *Totals) addMemory(bytes uint64, kind string) {
	t.MemoryBytes += bytes
	if kind == "rss" || t.MemoryKind == "" {
		t.MemoryKind = kind
	}
}

// sum sets the totals of a node. Those of its children must be set already. The node of a
// process adds nothing: its server or session has counted it.
func (n *Node) sum() {
	if n.Kind == KindProcess {
		return
	}
	total := n.own()
	for i := range n.Children {
		total.add(n.Children[i].Totals)
	}
	if n.Kind == KindSession && (n.State == StateIdle || n.Finding == graph.FindingIdle) { // one that is pinned idles too
		total.IdleSessions, total.IdleBytes = 1, total.MemoryBytes
	}
	if n.Kind == KindSession && n.State.IsGoing() { // all that it holds goes with it
		total.GoingBytes = total.MemoryBytes
	}
	n.Totals = total
}

// own returns the totals of the node alone, without its children.
func (n *Node) own() Totals {
	t := Totals{Processes: n.Processes}
	t.addMemory(n.MemoryBytes, n.MemoryKind)
	switch n.Kind {
	case KindSession:
		t.Sessions = 1
	case KindServer, KindGateway:
		t.Servers = 1
	case KindContainer:
		t.Containers = 1
	case KindOwner, KindService, KindGone, KindProcess:
		return t
	}
	if n.Rests || n.Finding == graph.FindingDuplicate {
		t.Copies = 1
	}
	if n.isUnseen() {
		t.UnseenServers, t.UnseenContainers, t.UnseenBytes = t.Servers, t.Containers, n.MemoryBytes
	}
	switch n.State {
	case StateReported:
		t.Reported = 1
		if n.isGuarded() {
			t.Guarded = 1
		}
	case StatePinned:
		if n.KeptWith.Target == "" && !n.Marked {
			t.Pinned = 1
		}
	case StatePending:
		t.Pending, t.GoingBytes = 1, n.MemoryBytes
	case StateDue, StateReaping:
		t.Due, t.GoingBytes = 1, n.MemoryBytes
	case StateKept, StateIdle:
		if n.Next.EndsWith != "" {
			t.Due, t.GoingBytes = 1, n.MemoryBytes
		}
	}
	return t
}

func totalsOf(nodes []Node) Totals {
	var total Totals
	for i := range nodes {
		total.add(nodes[i].Totals)
	}
	return total
}
