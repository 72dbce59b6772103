package graph

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Pin markers. Anything but "false" pins; a lease pins until its time.
const (
	keepVariable = "REAPERD_KEEP"
	keepLabel    = "reaperd.keep"
	leaseLabel   = "reaperd.lease"
)

// guard collects what forbids touching a target, whatever the policy says.
func (c *correlation) guard(target *Target) {
	veto := func(guard Guard, format string, args ...any) {
		target.Vetoes = append(target.Vetoes, Veto{guard, fmt.Sprintf(format, args...)})
	}
	if !c.readable {
		veto(GuardIncomplete, "the process table could not be read")
	}
	if target.Container != nil {
		c.guardContainer(target, veto)
	} else {
		c.guardTree(target, veto)
	}
	if c.options.Pinned != nil {
		if reason, pinned := c.options.Pinned(target); pinned {
			veto(GuardPinned, "%s", reason)
		}
	}
}

type vetoFunc func(guard Guard, format string, args ...any)

func (c *correlation) guardTree(target *Target, veto vetoFunc) {
	for _, member := range target.Members {
		c.guardProcess(c.byPID[member.PID], veto)
	}
	if target.Kind != KindSession {
		if below := c.sessionBelow(target); below != nil {
			veto(GuardSession, "%s lives below it", c.nameOf(below, below.PID))
		}
	}
	switch {
	case target.InUse:
		veto(GuardInUse, "it listens and is in use")
	case slices.ContainsFunc(target.Members, hidesClients):
		veto(GuardUnproven, "it listens, and who is connected to it could not be read")
	}
}

func (c *correlation) guardProcess(n *node, veto vetoFunc) {
	switch {
	case n.PID <= 2:
		veto(GuardSystem, "process %d is the system's", n.PID)
	case n.first:
		veto(GuardFirst, "process %d is the first of its container", n.PID)
	case c.isObserver(n):
		veto(GuardSelf, "reaperd itself runs in or below process %d", n.PID)
	case n.Service != "":
		veto(GuardService, "process %d is the main process of %s", n.PID, n.Service)
	}
	own, known := c.snapshot.Host.UID.Get()
	switch {
	case !known && c.severalUsers:
		veto(GuardForeign, "process %d may be another user's: whose the table is was not recorded", n.PID)
	case known && own != 0:
		if uid, seen := n.UID.Get(); seen && uid != own {
			veto(GuardForeign, "process %d is another user's", n.PID)
		}
	}
	if keep, marked := n.Env[keepVariable]; marked && isKept(keep) {
		veto(GuardPinned, "%s is set in the environment of process %d", keepVariable, n.PID)
	}
}

// isObserver reports reaperd's own process and everything above it.
func (c *correlation) isObserver(n *node) bool {
	for self := c.byPID[c.snapshot.Host.SelfPID]; self != nil; self = self.parent {
		if self == n {
			return true
		}
	}
	return false
}

// sessionBelow is a live session among the descendants of a tree, nil where
// there is none. Each member answers for the children that are no members.
func (c *correlation) sessionBelow(target *Target) *node {
	for _, member := range target.Members {
		n := c.byPID[member.PID]
		for _, child := range n.children {
			if child.unit == n.unit || child.lineage != lineageLive {
				continue
			}
			if found := c.sessionAt(child); found != nil {
				return found
			}
		}
	}
	return nil
}

// sessionAt is the process itself or the first session below it.
func (c *correlation) sessionAt(n *node) *node {
	if c.sessionOf[n] != nil {
		return n
	}
	for _, child := range n.children {
		if child.lineage != lineageLive {
			continue
		}
		if found := c.sessionAt(child); found != nil {
			return found
		}
	}
	return nil
}

func (c *correlation) guardContainer(target *Target, veto vetoFunc) {
	labels := target.Container.Labels
	if keep, marked := labels[keepLabel]; marked && isKept(keep) {
		veto(GuardPinned, "it has the label %s", keepLabel)
	}
	if lease, marked := labels[leaseLabel]; marked {
		until, err := time.Parse(time.RFC3339, lease)
		switch {
		case err != nil:
			veto(GuardPinned, "its label %s=%q is no time (RFC 3339), so it keeps", leaseLabel, lease)
		case c.snapshot.TakenAt.Before(until):
			veto(GuardPinned, "its label %s keeps it until %s", leaseLabel, until.Format(time.RFC3339))
		}
	}
	if c.isOwnContainer(target.ID) {
		veto(GuardSelf, "reaperd itself runs in it")
	}
}

func (c *correlation) isOwnContainer(id string) bool {
	self := c.byPID[c.snapshot.Host.SelfPID]
	return self != nil && self.ContainerID == id
}

// isKept reads a pin's value: anything but "false" keeps.
func isKept(value string) bool { return !strings.EqualFold(strings.TrimSpace(value), "false") }

func hasVeto(target *Target, guard Guard) bool {
	return slices.ContainsFunc(target.Vetoes, func(v Veto) bool { return v.Guard == guard })
}
