// Package selection finds the processes that can matter to a verdict in a table that
// was read completely. The daemon never does that: it decides while it reads (see
// graph.Selection). Tests compare the two, and both with the whole table.
package selection

import (
	"slices"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

// Of is the snapshot with only those processes that can matter to a verdict. rule is
// the one for the look that the snapshot is of, known is what it was made with.
func Of(s *inventory.Snapshot, known graph.Catalogue, rule *graph.Selection) *inventory.Snapshot {
	c := newClosure(s, known, rule)
	if !c.hasEveryParent {
		return s // without parents and holders nothing can be left out
	}
	c.addSeeds()
	c.settle()
	selected := *s
	selected.Processes = make([]inventory.Process, 0, len(c.matters))
	for i := range s.Processes {
		if c.matters[i] {
			selected.Processes = append(selected.Processes, s.Processes[i])
		}
	}
	selected.Unlisted = len(s.Processes) - len(selected.Processes)
	return &selected
}

// closure collects the processes that matter, by their index in the snapshot.
type closure struct {
	*inventory.Snapshot
	known    graph.Catalogue
	rule     *graph.Selection
	byPID    map[int]int
	children map[int][]int

	hasEveryParent bool

	matters []bool
	trees   []bool // everything below it matters
	queue   []int  // matters, and not followed yet
	shapes  map[string]bool
}

func newClosure(s *inventory.Snapshot, known graph.Catalogue, rule *graph.Selection) *closure {
	c := &closure{
		Snapshot: s, known: known, rule: rule, byPID: make(map[int]int, len(s.Processes)), children: map[int][]int{}, hasEveryParent: true,
		matters: make([]bool, len(s.Processes)), trees: make([]bool, len(s.Processes)), shapes: map[string]bool{},
	}
	for i := range s.Processes {
		c.byPID[s.Processes[i].PID] = i
	}
	for i := range s.Processes {
		ppid, known := s.Processes[i].PPID.Get()
		c.hasEveryParent = c.hasEveryParent && known
		if parent, ok := c.byPID[ppid]; ok && parent != i {
			c.children[parent] = append(c.children[parent], i)
		}
	}
	return c
}

// addSeeds adds the processes that matter by themselves.
func (c *closure) addSeeds() {
	c.addPID(1)
	c.addPID(c.Host.SelfPID)
	graph.Mentioned(c.Snapshot, c.addPID)
	users, unread := map[int]bool{}, false
	for i := range c.Processes {
		p := &c.Processes[i]
		switch {
		case c.rule.Candidate(p):
			c.addTree(i)
		case c.rule.Lists(p), p.ContainerID != "", p.Service != "":
			c.add(i)
		}
		if uid, known := p.UID.Get(); known && !users[uid] && !c.Host.UID.IsKnown() { // whether there are several users
			users[uid] = true
			c.add(i)
		}
		if p.UnseenFDs.Or(0) > 0 { // it may hold any end
			c.add(i)
		}
		if p.OpenFDs.IsUnreadable() && p.Alive() && !unread { // one such process may hold anything; more add nothing
			unread = true
			c.add(i)
		}
	}
}

func (c *closure) addPID(pid int) {
	if i, ok := c.byPID[pid]; ok {
		c.add(i)
	}
}

func (c *closure) add(i int) {
	if !c.matters[i] {
		c.matters[i] = true
		c.queue = append(c.queue, i)
	}
}

// addTree adds a process and everything below it.
func (c *closure) addTree(i int) {
	if c.trees[i] {
		return
	}
	c.trees[i] = true
	c.matters[i] = true
	c.queue = append(c.queue, i) // followed again, now as a part of a tree
	for _, child := range c.children[i] {
		c.addTree(child)
	}
}

// settle follows processes until none is added any more.
func (c *closure) settle() {
	for {
		for len(c.queue) > 0 {
			next := c.queue[len(c.queue)-1]
			c.queue = c.queue[:len(c.queue)-1]
			c.follow(next)
		}
		if !c.addShapes() {
			return
		}
	}
}

// follow adds the processes related to one that matters.
func (c *closure) follow(i int) {
	p := &c.Processes[i]
	if parent, ok := c.byPID[p.PPID.Or(0)]; ok && parent != i {
		c.add(parent)
		if c.trees[i] && c.mayShareTree(p, &c.Processes[parent]) {
			c.addTree(parent)
		}
		c.noteShape(p, &c.Processes[parent])
	}
	for _, stream := range []inventory.Fact[inventory.Stdio]{p.Stdin, p.Stdout} {
		for _, pid := range stream.Or(inventory.Stdio{}).Holders {
			c.addHolder(p, pid)
		}
	}
	for _, pid := range slices.Concat(p.Shares.Or(nil), p.Connects.Or(nil)) {
		c.addPID(pid)
	}
	for _, child := range c.children[i] {
		if !c.Processes[child].Alive() {
			c.add(child)
		}
	}
}

// addHolder adds a holder of a process's stdio. If the two are neighbours in a
// pipeline, everything below the holder may be part of the tree.
func (c *closure) addHolder(p *inventory.Process, pid int) {
	holder, ok := c.byPID[pid]
	if !ok {
		return
	}
	c.add(holder)
	if c.Processes[holder].PPID == p.PPID {
		c.addTree(holder)
	}
}

// mayShareTree reports that a parent may be in one tree with its child: both have the
// same stdin, or that cannot be told.
func (c *closure) mayShareTree(child, parent *inventory.Process) bool {
	if parent.PID == 1 {
		return false
	}
	mine, known := child.Stdin.Get()
	its, alsoKnown := parent.Stdin.Get()
	if !known || !alsoKnown || mine.Kind == inventory.KindUnknown || its.Kind == inventory.KindUnknown {
		return child.Alive()
	}
	return mine.Connected() && mine.ID == its.ID
}

// noteShape notes the shape of a process that a session or a gateway started: every
// process of that shape may be a server.
func (c *closure) noteShape(p, parent *inventory.Process) {
	role := c.known.Process(parent).Role
	if of := graph.ShapeOf(p); of != "" && (role == inventory.RoleSession || role == inventory.RoleGateway) {
		c.shapes[of] = true
	}
}

// addShapes adds the processes with a noted shape, and reports whether that added
// any.
func (c *closure) addShapes() (added bool) {
	for i := range c.Processes {
		if !c.trees[i] && len(c.shapes) > 0 && c.shapes[graph.ShapeOf(&c.Processes[i])] {
			c.addTree(i)
			added = true
		}
	}
	return added
}
