package graph

import (
	"slices"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/matching"
	"github.com/reaperd/reaperd/internal/sentence"
)

// askExecClient looks for the `docker exec` client of a tree that was started that
// way. The tree's parent is the shim, and so is the holder of its stdio; neither is
// evidence. It is orphaned only if its client would have to be visible and is not.
func askExecClient(c *correlation, t *tree) answer {
	if !t.root.execd {
		return answer{check: CheckContainer}
	}
	container := c.containers[t.root.ContainerID]
	if container == nil || !c.readable || !c.docker.SeesClientsOf(container) {
		return c.execUntold("docker exec brought it in; its client stands outside and cannot be seen from here")
	}
	brought := c.broughtInto(container.ID)
	at := slices.Index(brought, t.root)
	if at < 0 { // the tree has lost its first process, so its client cannot be told
		return c.execUntold("docker exec brought in what started it, and whose that was is not known")
	}
	live := slices.DeleteFunc(c.clientsOf("exec"), func(cl *client) bool { return cl.gone || !c.names(cl, container) })
	return c.execAnswer(t, matchExec(c, live, brought), at, live)
}

func (c *correlation) execUntold(text string) answer {
	a := silent(CheckContainer, "%s", text)
	a.keeps = true
	return a
}

// matchExec matches live clients with the processes that docker exec started. If a
// client stays without a process, the conclusions from times, stdins and commands
// were wrong, and any process may be any client's.
func matchExec(c *correlation, live []*client, brought []*node) *matching.Matching {
	m := matching.Of(len(live), len(brought), func(cl, n int) bool { return couldBring(live[cl], brought[n], brought) })
	if m.Satisfied(func(cl int) bool { return c.hasToHave(live[cl]) }) {
		return m
	}
	return matching.Of(len(live), len(brought), func(int, int) bool { return true })
}

// broughtInto lists the processes that docker exec started in a container and whose
// parent is the shim.
func (c *correlation) broughtInto(id string) []*node {
	var brought []*node
	for _, n := range c.nodes {
		if n.execd && n.ContainerID == id {
			brought = append(brought, n)
		}
	}
	return brought
}

// couldBring reports that the client may have started the process: it is older; if
// its stdin is open, so is the process's; and if some process runs the very command
// it asked for, this one does.
func couldBring(cl *client, n *node, brought []*node) bool {
	if cl.Start > n.Start || cl.hasOpenStdin() && hasClosedStdin(n) {
		return false
	}
	asked := func(n *node) bool { return cl.Start <= n.Start && slices.Equal(cl.line.Args, n.Args()) }
	return asked(n) || !slices.ContainsFunc(brought, asked)
}

func hasClosedStdin(n *node) bool {
	stdin, known := n.Stdin.Get()
	return known && stdin.Connected() && stdin.Peer == "closed"
}

func (c *correlation) execAnswer(t *tree, m *matching.Matching, at int, live []*client) answer {
	switch candidates := m.Candidates(at); {
	case len(candidates) == 0 && hasClosedStdin(t.root):
		return orphaned(CheckContainer, "docker exec brought it in, nobody holds the other end of its stdin, and no live client of that container could be its").proven()
	case len(candidates) == 0:
		return c.execUntold("docker exec brought it in, no client of it is to be seen, and its stdin is not closed")
	case m.Spare()[at]:
		a := c.execUntold("docker exec brought it in, and others like it; " + human.Count(len(live), "live client") + " may be theirs: which is whose cannot be told")
		a.doubt = sentence.Of("it could be that of %s", sentence.Mark(human.Count(len(candidates), "live docker exec client")))
		return a
	default:
		cl := live[candidates[0]]
		return owned(CheckContainer, c.ownerOfClient(cl), "docker exec brought it in, and its client %d lives", cl.PID).proven()
	}
}
