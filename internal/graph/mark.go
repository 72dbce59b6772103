package graph

import "github.com/reaperd/reaperd/internal/inventory"

// end is what can be said of the other end of a stream.
type end struct {
	state  endState
	holder *node // who holds it, where that is known
}

type endState uint8

const (
	endUnrecorded  endState = iota // nobody looked: says nothing either way
	endUnconnected                 // /dev/null, a terminal, a file: has no other end
	endUnreadable                  // could not be read
	endUntold                      // looked for, and could not be told
	endHeld                        // somebody alive has it open
	endHeldUnseen                  // open, and the holder cannot be seen
	endGone                        // closed, or held only by what is leaked itself
)

// mark finds what is leaked: every live process that is no server is a root,
// unless it sits on a boundary with both its own ends closed; marks pass from
// parent to child and from holder to held. What stays unmarked is leaked.
func (c *correlation) mark() {
	units := append(append([]*unit{}, c.trees...), c.others...)
	for _, u := range units {
		u.live = !c.mayLeak(u)
	}
	for changed := true; changed; {
		changed = false
		for _, u := range units {
			if !u.live && c.reached(u) {
				u.live, changed = true, true
			}
		}
	}
}

// mayLeak reports whether a unit is no root: its stdio has other ends, and
// those can be told; nothing else keeps it.
func (c *correlation) mayLeak(u *unit) bool {
	if u.root.sealed || u.root.execd || u.root.first || u.root.class.Role == RoleSession {
		return false
	}
	for _, member := range u.members {
		if member.Service != "" {
			return false
		}
	}
	if u.server && (c.inUse(u) || c.keptByWord(u)) {
		return false
	}
	if !u.server && !c.mayDangle(u.root) {
		return false
	}
	return tellable(u.root.Stdin, false) && tellable(u.root.Stdout, true)
}

// keptByWord reports a live owner that is remembered, by reaperd or by the
// system, or declared.
func (c *correlation) keptByWord(u *unit) bool {
	if last := u.remembered(); last.hadSession() && c.lives(last.owner) {
		return true
	}
	owner, _ := c.declaredOwner(u.root)
	return owner != nil || c.originOf(u.root) != nil
}

// mayDangle reports whether a process that is no server can be the leftover of
// a leaked tree: on a boundary or below such a leftover, and not listening. It
// is worked out once for each process, so that a long chain costs its length.
func (c *correlation) mayDangle(n *node) bool {
	if n.dangles == nil {
		dangles := c.dangles(n)
		n.dangles = &dangles
	}
	return *n.dangles
}

func (c *correlation) dangles(n *node) bool {
	if c.isBoundary(n) || n.Listening.IsUnreadable() || n.Listening.Or(false) {
		return false
	}
	switch n.lineage {
	case lineageBoundary, lineageAdopted:
		return true
	case lineageLive:
		return n.parent.unit.server || tellable(n.parent.Stdin, false) && c.mayDangle(n.parent)
	}
	return false
}

// tellable reports that a stream is a pipe or socket of whose other end
// something is known. A stdout that nobody recorded leaves it to stdin.
func tellable(stream inventory.Fact[inventory.Stdio], optional bool) bool {
	stdio, known := stream.Get()
	if !known {
		return optional && stream.IsZero()
	}
	return stdio.Connected() && (stdio.Peer == inventory.PeerOpen || stdio.Peer == inventory.PeerClosed)
}

// reached reports whether a mark passes to a unit: from a live parent of its
// root, or from a live holder of an end of it.
func (c *correlation) reached(u *unit) bool {
	root := u.root
	if root.lineage == lineageUnknown {
		return true
	}
	if root.lineage == lineageLive && root.parent.unit.live {
		return true
	}
	for _, stream := range []inventory.Fact[inventory.Stdio]{root.Stdin, root.Stdout} {
		switch c.endOf(u, stream).state {
		case endHeld, endHeldUnseen:
			return true
		}
	}
	return c.heldInside(u) != nil
}

// heldInside is a live process outside the tree that holds an end of one of its
// inner members, nil where there is none to be seen.
func (c *correlation) heldInside(u *unit) *node {
	if !u.server {
		return nil
	}
	for _, member := range u.members[1:] {
		for _, stream := range []inventory.Fact[inventory.Stdio]{member.Stdin, member.Stdout} {
			if stdio, known := stream.Get(); !known || stdio.ID == idOf(u.root.Stdin) || stdio.ID == idOf(u.root.Stdout) {
				continue
			}
			if e := c.endOf(u, stream); e.state == endHeld {
				return e.holder
			}
		}
	}
	return nil
}

func idOf(stream inventory.Fact[inventory.Stdio]) string { return stream.Or(inventory.Stdio{}).ID }

// endOf tells who has the other end of a unit's stream, as far as marking has got.
func (c *correlation) endOf(u *unit, stream inventory.Fact[inventory.Stdio]) end {
	stdio, known := stream.Get()
	switch {
	case stream.IsZero():
		return end{state: endUnrecorded}
	case !known || stdio.Kind == inventory.KindUnknown:
		return end{state: endUnreadable}
	case !stdio.Connected():
		return end{state: endUnconnected}
	case stdio.Peer == inventory.PeerClosed:
		return end{state: endGone}
	case stdio.Peer != inventory.PeerOpen:
		return end{state: endUntold}
	}
	return c.holderOf(u, stdio.Holders)
}

func (c *correlation) holderOf(u *unit, holders []int) end {
	foreign := false
	for _, pid := range holders {
		holder := c.byPID[pid]
		switch {
		case u.holds(pid):
			foreign = true
		case holder == nil: // not in the table, and yet it holds: alive, unseen
			return end{state: endHeldUnseen}
		case holder.unit == nil: // ended since
			continue
		case holder.unit.live:
			return end{state: endHeld, holder: holder}
		default:
			foreign = true
		}
	}
	if !foreign || !c.everyHolderSeen {
		return end{state: endHeldUnseen}
	}
	return end{state: endGone}
}
