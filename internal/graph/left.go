package graph

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/inventory"
)

// This file tells what a session that has ended left running beside its MCP servers: dev servers,
// language servers, browsers, and containers that its `docker run -d` has started. It is what looks saw
// below the session. It is no target: nothing acts on it.

// AlsoLeft is what a session that has ended left of one user's.
type AlsoLeft struct {
	Session    Owner
	UID        inventory.Fact[int]
	Things     []Left
	Containers []*inventory.Container
}

// Left is a process that a session left, with all below it.
type Left struct {
	*inventory.Process
	Name        string // what a person would call it: "next dev"
	Ports       []int  // on which it listens, in order
	MemoryBytes uint64
}

// alsoLeft lists what sessions that have ended left, the oldest first.
func (c *correlation) alsoLeft() (left []AlsoLeft) {
	of := func(session Owner, uid inventory.Fact[int]) *AlsoLeft {
		i := slices.IndexFunc(left, func(a AlsoLeft) bool { return a.Session.ID == session.ID && a.UID == uid })
		if i < 0 {
			i, session.Liveness = len(left), LivenessGone
			left = append(left, AlsoLeft{Session: session, UID: uid})
		}
		return &left[i]
	}
	for _, n := range c.nodes {
		if c.isLeft(n.memory.below) && n.isOutermost() && n.tree == nil && n.session == nil && !n.class.Helper && n.Service == "" {
			for _, one := range c.leftAt(n) {
				at := of(n.memory.below, one.UID)
				at.Things = append(at.Things, one)
			}
		}
	}
	for _, k := range c.held {
		if at := c.lastRunners[k.ID].began; c.isLeft(at.By) && k.Running() && !k.server {
			to := of(at.By, at.UID)
			to.Containers = append(to.Containers, k.Container)
		}
	}
	return left
}

// isLeft reports a session that has ended.
func (c *correlation) isLeft(session Owner) bool {
	return !session.ID.IsZero() && !c.mayLive(session.ID)
}

// leaver is the session that a process, or one above it, was last seen below; zero is none.
func (c *correlation) leaver(n *node) Owner {
	session := n.memory.below
	above(n, func(ancestor *node) bool {
		session = cmp.Or(session, ancestor.memory.below)
		return session == Owner{}
	})
	return session
}

// isOutermost reports a process above which nobody is who could have it.
func (n *node) isOutermost() bool {
	return n.lineage == lineageBoundary || n.lineage == lineageAdopted
}

// leftAt is what runs at a process. A shell and a launcher stand for what they run.
func (c *correlation) leftAt(n *node) (left []Left) {
	if n.class.Launches || cmdline.IsShell(n.program()) {
		for _, child := range n.children {
			left = append(left, c.leftAt(child)...)
		}
		if len(n.children) > 0 {
			return left
		}
	}
	if n.tree != nil || n.session != nil {
		return nil
	}
	one := Left{Process: n.Process, Name: c.leftName(n)}
	all := appendBelow(nil, n)
	for _, p := range all {
		one.Ports = append(one.Ports, p.ListenPorts...)
	}
	slices.Sort(one.Ports)
	one.Ports, one.MemoryBytes = slices.Compact(one.Ports), sumOf(all).MemoryBytes
	return []Left{one}
}

// subcommand is a word that tells what a program does: next dev.
var subcommand = regexp.MustCompile("^[a-z]{2,12}$")

func (c *correlation) leftName(n *node) string {
	command := cmdline.Read(n.Args())
	if args := command.Args(); !command.Wrapped && len(args) > 0 && subcommand.MatchString(args[0]) {
		return c.programOf(n) + " " + args[0]
	}
	return c.programOf(n)
}

// Began is the session that was seen to start something, and the user as whom; zero is none.
type Began struct {
	By  Owner
	UID inventory.Fact[int]
}

// Began is what sessions were seen to start, and what only memory tells of: what hangs below them no more, by the
// ids of processes and containers.
func (g *Graph) Began() map[string]Began {
	began := map[string]Began{}
	for id, r := range g.memory.processes {
		if r.apart {
			began[id.String()] = Began{r.below, r.uid}
		}
	}
	for id, last := range g.memory.containers {
		if !last.began.By.ID.IsZero() {
			began[id] = last.began
		}
	}
	return began
}

// recallBegan gives processes the sessions that an earlier program saw start them.
func (c *correlation) recallBegan() {
	for id, began := range c.options.Began {
		of, err := inventory.ParseID(id)
		if n := c.byPID[of.PID]; err == nil && n != nil && n.ID() == of && n.memory.below.ID.IsZero() {
			n.memory.below = began.By
		}
	}
}

// detaching is a `docker run -d` below a session. It ends as soon as its container is up.
type detaching struct {
	Began
	*runner
}

// findDetaching lists those of this look, and those of the look before, whose containers may have come since.
func (c *correlation) findDetaching() {
	for _, n := range c.nodes {
		if n.docker == nil || n.docker.Command != "run" || !n.docker.Detach {
			continue
		}
		if s := sessionAbove(n); s != nil {
			r := &runner{node: n, line: *n.docker, image: c.imageOf(n.docker.Image)}
			c.detaching = append(c.detaching, detaching{Began{c.asOwner(s.root), n.UID}, r})
		}
	}
}

// beganBy tells which session started a container by `docker run -d`. A look must have seen the only one that can
// have done it: of that name, or without a name, of that image, and older than the container.
func (c *correlation) beganBy(k *container) Began {
	for _, known := range []Began{c.past.containers[k.ID].began, c.options.Began[k.ID]} {
		if !known.By.ID.IsZero() {
			return known
		}
	}
	var found []detaching
	seen := map[inventory.ID]bool{}
	for _, d := range slices.Concat(c.detaching, c.past.detaching) {
		named := cmp.Or(d.line.Name, strings.TrimPrefix(k.Name, "/")) == strings.TrimPrefix(k.Name, "/")
		if named && !seen[d.ID()] && !d.image.Differs(k.image) && order(d.runner, &k.thing) < 0 && c.reaches(d.node, k.Container) {
			seen[d.ID()] = true
			found = append(found, d)
		}
	}
	if len(found) != 1 {
		return Began{}
	}
	return found[0].Began
}
