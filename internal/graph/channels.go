package graph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
)

// This file is the table of channels: every way in which somebody could still speak to a
// server or hear from it, what the kernel is asked about it, and when it is closed. Only
// channels that are closed condemn, and what could not be told keeps. docs/ownership.md
// shows the same table.
//
//	| channel | the kernel is asked | somebody may use it while | it is closed when |
//	| --- | --- | --- | --- |
//	| anonymous pipe on stdin or stdout | poll on a descriptor of our own | another end exists, whoever has it | POLLHUP or POLLERR |
//	| an end that only the tree has itself, or what is leaked | every table, also threads' own; io_uring; `scm_fds` of sockets | anybody else has it or may have it | every table was read, and nothing is in flight |
//	| socketpair, accepted Unix connection | sock_diag: the peer, `UNIX_DIAG_SHUTDOWN` | there is a peer, or a direction is open | the peer is 0 and both directions are shut |
//	| TCP | sock_diag: the state, the other side | a direction is open, or the other side may read | both directions are closed, or nobody has the other side |
//	| FIFO, on any descriptor | fstat: its names; poll | it has a name: the next caller comes by it | it has none, and POLLHUP or POLLERR |
//	| terminal, `/dev/null`, file | readlink | it proves nothing | never |
//	| stdio of an inner member | as of the root | as of the root; it answers the root's stdin to a file | as of the root |
//	| unnamed pipe or socket on another descriptor | who has the other end | a live process that is not leaked has it | that end is gone |
//	| local connection that it opened itself | who has the other side | a live session, what it runs, or a gateway has it | that side is gone |
//	| a mount of FUSE, an interface of TUN | poll on a copy of its device | it is there | POLLERR |
//	| a debugger | `TracerPid` | it is attached | it is not |
//	| what it listens on: TCP, UDP, Unix | sock_diag: listeners and their connections | somebody is or was connected, or a client is configured with its address | nobody was since its stdio closed |
//
// Package scan asks the kernel; its answers are facts of the snapshot. What follows from
// them is decided here.

// end is what is known about the other end of a stream.
type end struct {
	state endState
	by    []*node // of endHeld: the live processes outside the tree that hold it
}

type endState uint8

const (
	endUnrecorded  endState = iota // it was not looked for: no evidence either way
	endUnconnected                 // /dev/null, a terminal, a file: there is no other end
	endUnreadable                  // could not be read
	endUntold                      // it was looked for, without a result
	endNamed                       // a FIFO with a name: whoever opens it next has it
	endHeld                        // processes of the table hold it, or may hold it
	endHeldUnseen                  // open; its holder cannot be seen
	endGone                        // closed, or held only by the tree itself
)

// endOf works out the state of a stream's other end. own reports the processes that
// do not count as holders: those of the tree itself.
func (t *table) endOf(own func(pid int) bool, stream inventory.Fact[inventory.Stdio]) end {
	stdio, known := stream.Get()
	switch {
	case stream.IsZero():
		return end{state: endUnrecorded}
	case !known || stdio.Kind == inventory.KindUnknown:
		return end{state: endUnreadable}
	case !stdio.Connected():
		return end{state: endUnconnected}
	case stdio.Named:
		return end{state: endNamed}
	case stdio.Peer == inventory.PeerClosed:
		return end{state: endGone}
	case stdio.Peer != inventory.PeerOpen:
		return end{state: endUntold}
	}
	return t.holdersOf(own, stdio.Holders)
}

// holdersOf works out who holds an open end. A holder that is missing from the table
// is alive and cannot be seen from here. A person's program that a server opened has
// only inherited the end. Whoever has descriptors in flight may hold it too.
func (t *table) holdersOf(own func(pid int) bool, holders []int) end {
	e := end{state: endHeldUnseen}
	for _, pid := range holders {
		holder := t.byPID[pid]
		switch {
		case own(pid), holder != nil && holder.isNobody():
			e.state = endGone
		case holder == nil:
			return end{state: endHeldUnseen}
		case holder.Alive():
			e.by = append(e.by, holder)
		}
	}
	if e.state == endGone || len(e.by) > 0 {
		for _, n := range t.inFlight {
			if !own(n.PID) {
				e.by = append(e.by, n)
			}
		}
	}
	switch {
	case len(e.by) > 0:
		e.state = endHeld
	case !t.everyHolderSeen:
		e.state = endHeldUnseen
	}
	return e
}

// isNobody reports a person's program that a server opened and that uses no server
// itself: the ends that it has inherited are nobody's.
func (n *node) isNobody() bool { return n.person != "" && !n.client && n.session == nil }

// isClosed reports that no live process outside leaked trees holds an end. If some
// process's descriptors could not be read, an open end counts as held.
func (t *table) isClosed(e end) bool {
	if e.state != endHeld {
		return e.state == endGone
	}
	for _, holder := range e.by {
		if holder.isLive() {
			return false
		}
	}
	return t.everyHolderSeen
}

// holders are the processes of the table that hold the other end of a stream.
func (t *table) holders(stream inventory.Fact[inventory.Stdio]) (found []*node) {
	for _, pid := range stream.Or(inventory.Stdio{}).Holders {
		if holder := t.byPID[pid]; holder != nil {
			found = append(found, holder)
		}
	}
	return found
}

func idOf(stream inventory.Fact[inventory.Stdio]) string { return stream.Or(inventory.Stdio{}).ID }

// isSameStream reports that two processes have the same pipe or socket: one inherited
// it from the other, or both from a third.
func isSameStream(a, b inventory.Fact[inventory.Stdio]) bool {
	one, other := a.Or(inventory.Stdio{}), b.Or(inventory.Stdio{})
	return one.Connected() && one.Kind == other.Kind && one.ID == other.ID && one.ID != ""
}

func askStdin(c *correlation, t *tree) answer {
	return c.askStream(t, CheckStdin, t.root.Stdin, "holds", "the other end of its stdin")
}

func askStdout(c *correlation, t *tree) answer {
	return c.askStream(t, CheckStdout, t.outlet().Stdout, "reads", "its stdout")
}

// askStream looks for the other end of a tree's stdin or stdout. Unless the end is
// closed the answer keeps the tree. A stdout that was not recorded leaves the
// decision to stdin.
func (c *correlation) askStream(t *tree, check Check, stream inventory.Fact[inventory.Stdio], verb, what string) answer {
	if t.root.execd {
		return answer{}
	}
	e := c.endOf(t.holds, stream)
	a := unsure(check, "whether anybody %s %s could not be told", verb, what)
	switch e.state {
	case endUnrecorded:
		a.text, a.keeps = human.Sentence{}, check == CheckStdin
	case endUnconnected:
		a.text = human.Say("its %s is %s, which proves nothing", check, kindWords(stream.Or(inventory.Stdio{}).Kind))
	case endUnreadable:
		a.text = human.Say("its %s could not be read", check)
	case endNamed:
		a.text = human.Say("its %s is a named pipe, which anybody may open", check)
	case endHeldUnseen:
		a = owned(check, Owner{Kind: OwnerProcess}, "%s is open, held by a process that cannot be seen from here", what).proven()
	case endHeld:
		a = c.heldEnd(check, e, verb, what)
	case endGone:
		a = orphaned(check, "nobody alive %s %s", verb, what).proven()
	}
	a.end = e.state
	return a
}

// heldEnd is the answer about an end that processes of the table hold. If some
// process's descriptors were not read, others may hold it too.
func (c *correlation) heldEnd(check Check, e end, verb, what string) answer {
	a := orphaned(check, "nobody alive %s %s", verb, what).proven()
	if !c.everyHolderSeen {
		known := e.by[0]
		a = owned(check, Owner{Kind: OwnerProcess}, "only %s is seen to %s %s, and is left over itself; a process that cannot be seen from here may, too",
			c.nameOf(known, known.PID), strings.TrimSuffix(verb, "s"), what)
	}
	a.by, a.speak = e.by, func(by *node) answer {
		form := "%s %s its %s"
		if slices.Contains(c.inFlight, by) {
			form = "descriptors are in flight to %s: it may be one that %s its %s"
		}
		said := owned(check, c.ownerOfHolder(by), form, c.nameOf(by, by.PID), verb, check).proven()
		if isShim(by) { // it holds it for somebody else
			said.owner = Owner{}
		}
		return said
	}
	return a
}

// isShim reports a boundary that started nothing itself: the first process may be an agent.
func isShim(n *node) bool { return n.class.Role == inventory.RoleBoundary && n.PID != 1 && !n.first }

func kindWords(kind inventory.Kind) string {
	switch kind {
	case inventory.KindNull:
		return "/dev/null"
	case inventory.KindTTY:
		return "a terminal"
	case inventory.KindFile:
		return "a file"
	}
	return "closed"
}

// holderSpeaks is the answer of a witness that names who has an end of a channel to the tree.
func (c *correlation) holderSpeaks(check Check, form string) func(by *node) answer {
	return func(by *node) answer {
		return owned(check, c.ownerOfHolder(by), form, c.nameOf(by, by.PID)).proven()
	}
}

// ownerOfHolder is the owner of a server whose stdio this process holds: the holder's
// session or gateway, else the holder.
func (c *correlation) ownerOfHolder(holder *node) Owner {
	owner := c.asOwner(holder)
	if !owner.Recognised() && holder.lineage == lineageLive {
		if above := c.ownerAbove(holder); above.Recognised() {
			return above
		}
	}
	return owner
}

// askInner asks of each inner member's own stdio what is asked of the root's.
func askInner(c *correlation, t *tree) answer {
	a := answer{check: CheckStdin, inner: true, speak: c.holderSpeaks(CheckStdin, "%s has a pipe into its tree open")}
	if t.root.execd {
		return a
	}
	asked := []string{"", idOf(t.root.Stdin), idOf(t.root.Stdout), idOf(t.outlet().Stdout)}
	for _, member := range t.members[1:] {
		if t.isExecutedInside(member) {
			continue
		}
		if member.server && writesElsewhere(member) && isSameStream(member.Stdin, t.root.Stdin) {
			return unsure(CheckStdout, "the stdout of process %d, which reads its stdin, is %s, which proves nothing", member.PID, kindWords(member.Stdout.Or(inventory.Stdio{}).Kind))
		}
		for _, stream := range member.stdio() {
			id := idOf(stream)
			if slices.Contains(asked, id) {
				continue
			}
			asked = append(asked, id)
			switch e := c.endOf(t.holds, stream); e.state {
			case endHeldUnseen, endNamed, endUntold:
				kept := owned(CheckStdin, Owner{Kind: OwnerProcess}, "somebody who cannot be seen from here may have a pipe into its tree open")
				kept.inner = true
				return kept
			default:
				a.by = append(a.by, e.by...)
			}
		}
	}
	return a
}

// askShares looks for processes that have the other end of a pipe or socket which a member
// has open beside its stdin and stdout, such as the channel of node's fork.
func askShares(c *correlation, t *tree) answer {
	a := answer{check: CheckClients, speak: c.holderSpeaks(CheckClients, "%s shares a pipe or socket with it, or debugs it")}
	return c.askOthers(t, a, func(n *node) inventory.Fact[[]int] { return n.Shares }, func(*node) bool { return true })
}

// askConnects looks for sessions and gateways, what serves a session below it, and what stands above
// the tree, such as an editor, to which a member has a connection open.
func askConnects(c *correlation, t *tree) answer {
	a := answer{check: CheckClients, speak: c.holderSpeaks(CheckClients, "it has a connection to %s")}
	isClient := func(n *node) bool {
		isAgent := n.session != nil || n.tree != nil && n.tree.gateway
		isAgents := n.tree == nil && sessionAbove(n) != nil
		return isAgent || isAgents || ancestor(t.root, func(at *node) bool { return at == n }) != nil
	}
	return c.askOthers(t, a, func(n *node) inventory.Fact[[]int] { return n.Connects }, isClient)
}

// askOthers adds to an answer the processes outside the tree that a fact of its members
// names, as far as they count.
func (c *correlation) askOthers(t *tree, a answer, of func(*node) inventory.Fact[[]int], counts func(*node) bool) answer {
	for _, member := range t.members {
		if of(member).IsUnreadable() {
			return unsure(CheckClients, "with whom process %d shares its descriptors cannot be told", member.PID)
		}
		for _, pid := range of(member).Or(nil) {
			other := c.byPID[pid]
			if other != nil && other.Alive() && !t.holds(pid) && !other.isNobody() && !isShim(other) && counts(other) {
				a.by = append(a.by, other)
			}
		}
	}
	return a
}

func askListening(c *correlation, t *tree) answer {
	switch {
	case t.users != "":
		return owned(CheckClients, Owner{Kind: OwnerProcess}, "%s", t.users).proven()
	case slices.ContainsFunc(t.members, func(n *node) bool { return hidesConnections(n.Process) }):
		return silent(CheckClients, "it listens, and who is connected to it could not be read")
	case t.listening().Or(false):
		return silent(CheckClients, "it listens%s, and nobody is connected to it", t.onPorts())
	}
	return answer{}
}

// onPorts names the TCP ports that a tree listens on: " on port 9121"; "" if it has none.
func (t *tree) onPorts() string {
	var ports []string
	for _, member := range t.members {
		for _, port := range member.ListenPorts {
			ports = append(ports, strconv.Itoa(port))
		}
	}
	if len(ports) == 0 {
		return ""
	}
	return " on " + human.Plural(len(ports), "port") + " " + human.List(ports)
}

// hidesConnections reports a listener whose connections could not be read: it may be in
// use.
func hidesConnections(p *inventory.Process) bool {
	return p.Listening.Or(false) && p.Connections.IsUnreadable()
}

// lastUseCounts is for how long a connection to what a tree listens on counts: whoever came
// within a day may come again.
const lastUseCounts = 24 * time.Hour

// usersOf says who uses the ports and sockets that a tree listens on; "" if nobody
// does. Somebody uses them who is connected now or was within the last day, and so does
// a client whose configuration names the URL.
func (c *correlation) usersOf(t *tree) string {
	for _, member := range t.members {
		if n := member.Connections.Or(0); n > 0 {
			return fmt.Sprintf("it listens and has %s from outside", human.Count(n, "connection"))
		}
		if member.Configured != "" && member.ConfiguredBy != "command" && member.Listening.Or(false) {
			return fmt.Sprintf("it listens, and a client is configured to use it as %s", member.Configured)
		}
	}
	if ago := c.snapshot.Moment().Since(t.past.usedAt); !t.past.usedAt.At.IsZero() && ago < lastUseCounts {
		return fmt.Sprintf("it listens, and had a connection from outside %s ago, since its stdio was closed", human.Span(ago))
	}
	return ""
}

// listening reports that a member listens. It is unreadable if no member is known to
// listen and some member could not be read.
func (t *tree) listening() inventory.Fact[bool] {
	var found inventory.Fact[bool]
	for _, member := range t.members {
		switch {
		case member.Listening.Or(false):
			return inventory.Known(true)
		case member.Listening.IsUnreadable():
			found = inventory.Unreadable[bool]()
		case member.Listening.IsKnown() && found.IsZero():
			found = inventory.Known(false)
		}
	}
	return found
}
