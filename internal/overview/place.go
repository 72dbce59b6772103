package overview

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/redact"
	"github.com/reaperd/reaperd/internal/usage"
)

// branches returns the branches in order. A thing that is above itself, which no real
// host has, goes to the unclear ones.
func (m *maker) branches() iter.Seq2[BranchName, []Node] {
	roots := map[BranchName][]*thing{}
	for _, t := range m.things {
		if t.above == nil && !m.isSession(t) {
			name := m.branchOf(t.Target)
			roots[name] = append(roots[name], t)
		}
	}
	made := map[BranchName][]Node{
		BranchSessions: m.sessionNodes(roots[BranchSessions]),
		BranchOthers:   m.otherNodes(roots[BranchOthers]),
		BranchLeaked:   m.ownerNodes(roots[BranchLeaked], goneNode),
	}
	made[BranchUnclear] = m.nodes(roots[BranchUnclear])
	circular := slices.DeleteFunc(slices.Clone(m.things), func(t *thing) bool { return t.placed || m.isSession(t) || t.above == nil })
	made[BranchUnclear] = append(made[BranchUnclear], m.nodes(circular)...)
	return func(yield func(BranchName, []Node) bool) {
		for _, name := range []BranchName{BranchSessions, BranchOthers, BranchLeaked, BranchUnclear} {
			if !yield(name, made[name]) {
				return
			}
		}
	}
}

// branchOf returns the branch of a target that has no other target above it.
func (m *maker) branchOf(t *graph.Target) BranchName {
	_, known := m.sessions[t.Owner.ID]
	switch {
	case known:
		return BranchSessions
	case t.Kind == graph.KindSession: // a client that the catalogue does not know
		return BranchOthers
	case t.Owner.IsUnseen(): // which of several is not known
		return BranchUnclear
	case t.Owner.Liveness == graph.LivenessLive, t.Owner.Kind == graph.OwnerService && t.Owner.Liveness != graph.LivenessGone:
		return BranchOthers
	case t.Finding == graph.FindingOrphaned, t.Finding == graph.FindingExited:
		return BranchLeaked
	}
	return BranchUnclear
}

// sessionNodes makes the nodes of all live sessions with their servers, the oldest first.
func (m *maker) sessionNodes(things []*thing) []Node {
	if m.in.Graph == nil {
		return nil
	}
	owned := map[inventory.ID][]*thing{}
	for _, t := range things {
		owned[t.Target.Owner.ID] = append(owned[t.Target.Owner.ID], t)
	}
	live := slices.DeleteFunc(slices.Clone(m.in.Graph.Sessions), func(s graph.Session) bool {
		return s.Process == nil || s.Liveness == graph.LivenessGone
	})
	slices.SortFunc(live, func(a, b graph.Session) int { return inventory.ByStart(a.Process.ID(), b.Process.ID()) })
	var nodes []Node
	for _, session := range live {
		node := m.session(session)
		servers := m.nodes(owned[session.Process.ID()])
		node.ServersIdleSince = idleSince(servers)
		node.Children = append(node.Children, servers...)
		node.sum()
		nodes = append(nodes, node)
	}
	return nodes
}

// idleSince returns since when all of some servers are idle; zero if one of them is busy
// or unknown.
func idleSince(servers []Node) time.Time {
	var last time.Time
	for i := range servers {
		since := servers[i].IdleSince
		if since.IsZero() {
			return since
		}
		if since.After(last) {
			last = since
		}
	}
	return last
}

// otherNodes makes the nodes of clients that the catalogue does not know and that seem left
// over, then those of the other live owners.
func (m *maker) otherNodes(things []*thing) []Node {
	isClient := func(t *thing) bool { return t.Target.Kind == graph.KindSession }
	clients := slices.DeleteFunc(slices.Clone(things), func(t *thing) bool { return !isClient(t) })
	return append(m.nodes(clients), m.ownerNodes(slices.DeleteFunc(things, isClient), m.ownerNode)...)
}

// ownerNodes puts things below their owners, whose nodes make makes. The owners are
// ordered by name, then by PID.
func (m *maker) ownerNodes(things []*thing, make func(graph.Owner) Node) []Node {
	owned := map[graph.Owner][]*thing{}
	var owners []graph.Owner
	for _, t := range things {
		owner := identityOf(t.Target.Owner)
		if owned[owner] == nil {
			owners = append(owners, owner)
		}
		owned[owner] = append(owned[owner], t)
	}
	slices.SortStableFunc(owners, func(a, b graph.Owner) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID.PID, b.ID.PID), cmp.Compare(a.ID.Start, b.ID.Start))
	})
	var nodes []Node
	for _, owner := range owners {
		node := make(owned[owner][0].Target.Owner)
		node.Children = m.nodes(owned[owner])
		if node.Kind == KindGone {
			node.Cwd, node.User = folderOf(node.Children)
		}
		node.sum()
		nodes = append(nodes, node)
	}
	return nodes
}

// folderOf returns the folder of those of some nodes that have one, and whose it is; empty
// if they differ.
func folderOf(nodes []Node) (cwd, user string) {
	for i := range nodes {
		n := &nodes[i]
		switch {
		case n.Cwd == "":
		case cwd == "":
			cwd, user = n.Cwd, n.User
		case n.Cwd != cwd:
			return "", ""
		}
	}
	return cwd, user
}

// identityOf returns the fields of an owner that are equal in all its targets.
func identityOf(o graph.Owner) graph.Owner {
	return graph.Owner{Name: o.Name, Kind: o.Kind, ID: o.ID}
}

// ownerNode makes the node of a service, or of a live process that is no known client.
func (m *maker) ownerNode(o graph.Owner) Node {
	node := Node{Key: "owner:" + ownerKey(o), Kind: KindOwner, Name: redact.Name(o.Name), PID: o.ID.PID, Owner: ownerOf(o)}
	if o.Kind == graph.OwnerService {
		node.Key, node.Kind = "service:"+ownerKey(o), KindService
	}
	if p := m.process(o.ID); p != nil {
		used := usage.Sum([]*inventory.Process{p})
		node.Argv, node.Cwd, node.TTY, node.User, node.StartedAt = argv(p), redact.Text(p.Cwd), p.TTY, p.User, p.StartedAt
		node.MemoryBytes, node.MemoryKind, node.CPUPercent = used.MemoryBytes, used.MemoryKind, m.cpu([]*inventory.Process{p})
	}
	return node
}

// goneNode makes the node of a session that has ended, or of an unknown owner.
func goneNode(o graph.Owner) Node {
	return Node{Key: "gone:" + ownerKey(o), Kind: KindGone, Name: redact.Name(o.Name), PID: o.ID.PID, Owner: ownerOf(o)}
}

// ownerKey tells owners apart: by identity if they have one, else by name.
func ownerKey(o graph.Owner) string {
	if o.ID.IsZero() {
		return redact.Name(o.Name)
	}
	return o.ID.String()
}

// process returns the process of that identity in the snapshot; nil if it has none.
func (m *maker) process(id inventory.ID) *inventory.Process {
	if m.snapshot == nil || id.IsZero() {
		return nil
	}
	for i := range m.snapshot.Processes {
		if p := &m.snapshot.Processes[i]; p.ID() == id {
			return p
		}
	}
	return nil
}
