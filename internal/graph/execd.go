package graph

import (
	"slices"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
)

// This file is about what was executed in a container for a client: docker exec, docker compose
// exec, or a program that speaks to the engine itself. Its parent is the container's monitor, and
// so is the holder of its stdio; neither is evidence. It follows the rule for containers
// (containers.go): it belongs to the docker exec that brought it in. The two are one server, and
// one tree as soon as only one docker exec is left that can have brought it in.

// findExecuted lists what was executed in containers and is in the table.
func (c *correlation) findExecuted() (things []*thing) {
	c.executed = map[*node]*thing{}
	for _, n := range c.nodes {
		k := c.containers[n.ContainerID]
		if !n.execd || k == nil {
			continue
		}
		x := &thing{container: k, first: n, clock: clockOfKernel, stdin: n.Stdin.Or(inventory.Stdio{}).Peer, args: n.Args(), execd: true, past: n.memory.band}
		c.executed[n] = x
		things = append(things, x)
	}
	return things
}

// runsServer reports a process that was executed in a container by a runner, or by another with
// the same command, that is known for an MCP server.
func (c *correlation) runsServer(n *node) bool {
	x := c.executed[n]
	return x != nil && slices.ContainsFunc(c.runners, func(r *runner) bool {
		return r.line.Command == "exec" && r.isServerRunner() && slices.Equal(r.line.Args, x.args) && r.names(x.container.ID) && c.reaches(r.node, x.container)
	})
}

// bringer is the only runner that can have brought a process in; nil if there are several, or it
// is not known.
func (c *correlation) bringer(n *node) *runner {
	x := c.executed[n]
	if x == nil || x.band == nil || len(x.band.ids) != 1 {
		return nil
	}
	return first(x.candidates, x.band.has)
}

// joinExecuted makes what was executed in a container part of the tree of the docker exec that
// brought it in.
func (c *correlation) joinExecuted() {
	for _, n := range c.nodes {
		r := c.bringer(n)
		if r == nil || r.tree == nil || n.tree == nil || n.tree == r.tree || n.tree.root != n {
			continue
		}
		from := n.tree
		for _, member := range from.members {
			member.tree = r.tree
		}
		r.tree.members = append(r.tree.members, from.members...)
		r.tree.left = append(r.tree.left, from.left...)
		c.trees = slices.DeleteFunc(c.trees, func(t *tree) bool { return t == from })
	}
}

// isExecutedInside reports a member that a tree's docker exec brought into a container. Its
// stdio is the engine's.
func (t *tree) isExecutedInside(n *node) bool { return n.ContainerID != t.root.ContainerID }

// askExecRunner asks about a tree that was executed in a container and is no part of its
// runner's.
func askExecRunner(c *correlation, t *tree) answer {
	if !t.root.execd {
		return answer{}
	}
	x := c.executed[t.root]
	switch {
	case x == nil: // the tree has lost its first process, or its engine is not seen
		return unsure(CheckContainer, "docker exec brought in what started it, and whose that was is not known")
	case !c.readable || !c.docker.SeesRunnersOf(x.container):
		return unsure(CheckContainer, "docker exec brought it in; its docker exec stands outside and cannot be seen from here")
	}
	for _, r := range c.runners {
		r.gone = c.isGone(r.node)
	}
	live, gone := c.mayHave(x)
	if len(live) > 0 {
		return c.usedExec(x, live, gone)
	}
	return c.leftExec(t, x, gone)
}

// usedExec: runners live that brought it in, or may have.
func (c *correlation) usedExec(x *thing, live, gone []*runner) answer {
	owner, same := c.commonOwner(live)
	switch {
	case !x.needed || len(gone) > 0:
		a := unsure(CheckContainer, "%s", "docker exec brought it in, and others like it; "+human.Count(len(live), "live docker exec")+" may be theirs: which is whose cannot be told")
		a.doubt = human.Say("it could be that of %s", human.Mark(human.Count(len(live), "live docker exec")))
		return a
	case !same:
		return owned(CheckContainer, Owner{Kind: OwnerProcess}, "one of %s brought it in, each of which lives: which is whose cannot be told", human.Count(len(live), "docker exec"))
	case len(live) > 1:
		return owned(CheckContainer, owner, "one of %s of %v brought it in, and each lives", human.Count(len(live), "docker exec"), owner.Named()).proven()
	}
	return owned(CheckContainer, owner, "docker exec %d, which lives, brought it in", live[0].PID).proven()
}

// leftExec: no runner that lives can have brought it in. Nobody uses it if its runner is known
// and gone, or if nobody who is connected to its engine may be attached to it.
func (c *correlation) leftExec(t *tree, x *thing, gone []*runner) answer {
	k := &container{Container: x.container}
	isKnown := x.band != nil && len(gone) > 0 || x.past != nil && !slices.ContainsFunc(x.past.ids, c.mayLive)
	stranger := c.strangerOf(k)
	switch {
	case c.unread != nil || c.carrier != nil:
		return unsure(CheckContainer, "docker exec brought it in, and not every docker exec of that container can be told")
	case x.stdin != inventory.PeerClosed:
		return unsure(CheckContainer, "docker exec brought it in, no such process is to be seen, and its stdin is not closed")
	case isKnown, c.seesClients(x.container) && stranger.IsZero() && !x.container.Attached.IsKnown():
		a := orphaned(CheckContainer, "docker exec brought it in, nobody holds the other end of its stdin, and no live docker exec of that container could be its").proven()
		a.after = c.leakedClients(x, k)
		if len(gone) > 0 {
			a.owner, _ = ownerOfClosing(gone)
		}
		return a
	case !stranger.IsZero():
		a := unsure(CheckContainer, "%s", "docker exec brought it in, and "+stranger.Says.String())
		a.doubt, a.stranger = stranger.Says, stranger
		return a
	}
	return unsure(CheckContainer, "docker exec brought it in, its stdin is closed, and not every client of its engine can be seen from here")
}

// guardExecRunner has a leaked docker exec end only together with what it brought into its
// container: docker exec hands no signal on, and its end would leave that behind.
func (c *correlation) guardExecRunner(r *runner) {
	seen := false
	for _, n := range c.nodes {
		x := c.executed[n]
		if x == nil || !r.names(x.container.ID) {
			continue
		}
		seen = seen || n.tree == r.tree
		if n.tree == nil || n.tree == r.tree || !slices.Contains(x.candidates, r) || x.band != nil && !x.band.has(r) {
			continue
		}
		seen = true
		r.tree.target.Below = append(r.tree.target.Below, n.tree.target.ID)
		if n.tree.finding != FindingOrphaned {
			r.tree.target.veto(GuardEngine, "what it executes may be process %d in its container, which stays, and ending it would leave that behind", n.PID)
		}
	}
	if isVisible := slices.ContainsFunc(r.named, func(id string) bool { return len(c.inContainers[id]) > 0 }); !seen && !isVisible {
		r.tree.target.veto(GuardEngine, "what it executes in its container cannot be seen from here, and ending it would leave that behind")
	}
}
