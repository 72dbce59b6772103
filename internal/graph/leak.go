package graph

import "github.com/reaperd/reaperd/internal/inventory"

// findLeak decides what is wrong with a tree, from its owner and its ends.
func (c *correlation) findLeak(j *judgement) {
	switch {
	case j.used || j.owner.Kind == OwnerService:
	case !j.live:
		j.finding = FindingOrphaned
	case j.owner.Liveness == LivenessLive:
		if j.below && c.isDisconnected(j.unit) {
			j.finding = FindingDisconnected
		}
	default:
		c.findUntold(j)
	}
}

// findUntold: nobody is known to own it, and whether anybody holds its stdio
// was looked for and could not be told. That is reported and never acted on.
func (c *correlation) findUntold(j *judgement) {
	switch {
	case j.root.lineage == lineageUnknown:
	case j.stdin.state == endGone && j.stdout.state == endUntold:
		j.finding, j.unproven = FindingOrphaned, "whether anybody reads its stdout could not be told"
	case j.stdin.state == endUntold && j.stdout.state != endUnconnected:
		j.finding, j.unproven = FindingAmbiguous, "whether anybody holds its stdin could not be told"
	}
}

// isDisconnected reports that both ends of a tree's stdio are gone although its
// owner lives. A write end that only sibling servers inherited does not count.
func (c *correlation) isDisconnected(u *unit) bool {
	stdin, seen := u.root.Stdin.Get()
	if !seen || !stdin.Connected() || !c.goneButSiblings(u, u.root.Stdin) || c.heldInside(u) != nil {
		return false
	}
	return u.root.Stdout.IsZero() || c.goneButSiblings(u, u.root.Stdout)
}

func (c *correlation) goneButSiblings(u *unit, stream inventory.Fact[inventory.Stdio]) bool {
	e := c.endOf(u, stream)
	if e.state != endHeld {
		return e.state == endGone
	}
	if !c.everyHolderSeen {
		return false
	}
	for _, pid := range stream.Or(inventory.Stdio{}).Holders {
		holder := c.byPID[pid]
		if holder == nil || holder.unit != nil && holder.unit.live && !c.isSibling(u, holder.unit) {
			return false
		}
	}
	return true
}

// isSibling reports a server that has nothing to say over this one: another
// tree, no gateway, not above it, and not started before it. An end is inherited
// by what is forked after the pipe was made; one that an older server holds it
// made itself, and it may be what started this one (a proxy whose wrapper died).
func (c *correlation) isSibling(u, other *unit) bool {
	if u == other {
		return true
	}
	if !other.server || other.gateway || other.root.Start < u.root.Start {
		return false
	}
	sibling := true
	above(u.root, func(ancestor *node) bool {
		sibling = sibling && ancestor.unit != other
		return sibling
	})
	return sibling
}

// adoptLeftovers makes what leaked with a tree a part of it: unmarked processes
// above its root (a relay), with all that is below them, and unmarked holders
// of its ends (a logger).
func (c *correlation) adoptLeftovers(j *judgement) {
	if j.finding != FindingOrphaned || j.unproven != "" {
		return
	}
	top := j.root
	above(j.root, func(ancestor *node) bool {
		leftover := !ancestor.unit.server && !ancestor.unit.live
		if leftover {
			top = ancestor
		}
		return leftover
	})
	if top != j.root {
		c.adoptAbove(j, top)
	}
	c.adoptHolders(j)
}

func (c *correlation) adoptAbove(j *judgement, top *node) {
	inner := j.members
	j.members = nil
	c.adopt(j, top, inner)
	j.root = top
}

// adopt takes a process and what is below it into the tree, parents first; the
// tree itself stands where its root hangs.
func (c *correlation) adopt(j *judgement, n *node, inner []*node) {
	if n == inner[0] {
		j.members = append(j.members, inner...)
		return
	}
	if n.unit.server || n.class.Role == RoleSession {
		return
	}
	n.unit = j.unit
	j.members = append(j.members, n)
	for _, child := range n.children {
		if child.lineage == lineageLive {
			c.adopt(j, child, inner)
		}
	}
}

func (c *correlation) adoptHolders(j *judgement) {
	for _, member := range j.members {
		for _, stream := range []inventory.Fact[inventory.Stdio]{member.Stdin, member.Stdout} {
			for _, pid := range stream.Or(inventory.Stdio{}).Holders {
				holder := c.byPID[pid]
				if holder == nil || holder.unit == nil || holder.unit.server || holder.unit.live {
					continue
				}
				holder.unit = j.unit
				j.members = append(j.members, holder)
			}
		}
	}
}
