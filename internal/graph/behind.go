package graph

import (
	"slices"

	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/human"
)

// This file is about leaked trees by which somebody could still come to others. One that listens may
// be called, and one that may be at work still speaks to what it has: a gateway on a port, a job.
// What such a tree has a channel to is leaked only together with it, and goes no sooner; nor does what
// has a channel to any of these: a gateway that ends takes the input of a listening server with it.

// followLeaked notes behind which of these trees others stand, and behind which others these do.
func (c *correlation) followLeaked(trees []*tree) {
	for _, t := range trees {
		if t.mayBeReached() {
			t.standBefore(c.holds)
		}
	}
	for _, t := range trees {
		for _, a := range t.answers {
			t.behind = append(t.behind, a.after...)
		}
	}
}

// mayBeReached reports a leaked tree which may be called, or at work still.
func (t *tree) mayBeReached() bool {
	listening := t.listening()
	return t.isLeaked() && (listening.Or(listening.IsUnreadable()) || !t.job.IsZero())
}

// isLeaked reports a tree that nobody uses: none has it, or its owner lives and has let go of it.
func (t *tree) isLeaked() bool { return !t.live || t.finding == FindingDisconnected }

// standBefore notes the tree with all to which it has a channel, and those have one; and with whatever has
// a channel to one of them.
func (t *tree) standBefore(holds map[*tree][]*tree) {
	reached := []*tree{t}
	for i := 0; i < len(reached); i++ {
		for _, held := range holds[reached[i]] {
			if held.isLeaked() && !slices.Contains(reached, held) {
				reached = append(reached, held)
			}
		}
	}
	for _, at := range reached {
		at.standBehind(t)
		for _, holder := range at.leakedHolders() {
			holder.standBehind(t)
		}
	}
}

// leakedHolders are the leaked trees that have a channel to this one.
func (t *tree) leakedHolders() (holders []*tree) {
	for _, a := range t.answers {
		for _, by := range a.by {
			if isChannel(a) && by.tree != nil && by.tree.isLeaked() && !slices.Contains(holders, by.tree) {
				holders = append(holders, by.tree)
			}
		}
	}
	return holders
}

func (t *tree) standBehind(first *tree) {
	if t != first && !slices.Contains(t.behind, first) {
		t.behind = append(t.behind, first)
	}
}

// before are the leaked trees behind which stands whatever this one has.
func (t *tree) before() []*tree {
	if t.mayBeReached() {
		return append([]*tree{t}, t.behind...)
	}
	return t.behind
}

// leakedClients are the leaked trees behind which stands what a container runs, or what was executed
// in it: those of the runners that could have it, and of whoever is connected to its engine.
func (c *correlation) leakedClients(x *thing, k *container) (before []*tree) {
	add := func(n *node) {
		if n == nil || n.tree == nil || !n.tree.isLeaked() {
			return
		}
		for _, t := range n.tree.before() {
			if !slices.Contains(before, t) {
				before = append(before, t)
			}
		}
	}
	_, gone := c.mayHave(x)
	for _, r := range append(gone, k.named...) {
		add(r.node)
	}
	connections, _ := c.docker.Connections(k.Container)
	for _, connection := range connections {
		for _, pid := range connection.PIDs {
			if n := c.byPID[pid]; n != nil && n.docker == nil && n.class.Name != dockerGateway {
				add(n)
			}
		}
	}
	return before
}

// idsOf are the ids of the targets of trees.
func idsOf(trees []*tree) (ids []string) {
	for _, t := range trees {
		ids = append(ids, t.root.ID().String())
	}
	return ids
}

// jobOf is why a tree may be at work although nobody speaks to it; zero where it cannot be. A batch
// ends its input before it has its answers, and reads them from a file.
func (t *tree) jobOf() human.Sentence {
	switch {
	case t.likely:
		return onlyLikely()
	case slices.ContainsFunc(t.members, writesAway):
		return human.Say("what it says is written away, as that of a batch is")
	}
	return human.Sentence{}
}

func onlyLikely() human.Sentence { return human.Say("it is only likely to be an MCP server") }

// writesAway reports a filter that writes what it reads to a file or a log, or may do so.
func writesAway(n *node) bool {
	isFile := func(arg string) bool { return arg != "" && arg[0] != '-' && arg != "/dev/null" }
	return cmdline.WritesAway(n.program()) || n.program() == "tee" && slices.ContainsFunc(n.Args()[1:], isFile)
}
