package graph

import (
	"slices"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/matching"
	"github.com/reaperd/reaperd/internal/sentence"
)

// askExecRunner looks for the `docker exec` runner of a tree that was started that
// way. The tree's parent is the shim, and so is the holder of its stdio; neither is
// evidence. It is orphaned only if its runner would have to be visible and is not.
func askExecRunner(c *correlation, t *tree) answer {
	if !t.root.execd {
		return answer{check: CheckContainer}
	}
	container := c.containers[t.root.ContainerID]
	if container == nil || !c.readable || !c.docker.SeesRunnersOf(container) {
		return c.execUntold("docker exec brought it in; its docker exec stands outside and cannot be seen from here")
	}
	brought := c.broughtInto(container.ID)
	at := slices.Index(brought, t.root)
	if at < 0 { // the tree has lost its first process, so its runner cannot be told
		return c.execUntold("docker exec brought in what started it, and whose that was is not known")
	}
	live := slices.DeleteFunc(c.runnersOf("exec"), func(r *runner) bool { return r.gone || !r.names(container.ID) })
	return c.execAnswer(t, matchExec(c, live, brought), at, live)
}

func (c *correlation) execUntold(text string) answer {
	a := silent(CheckContainer, "%s", text)
	a.keeps = true
	return a
}

// matchExec matches live runners with the processes that docker exec started. If a
// runner stays without a process, the conclusions from times, stdins and commands
// were wrong, and any process may be any runner's.
func matchExec(c *correlation, live []*runner, brought []*node) *matching.Matching {
	m := matching.Of(len(live), len(brought), func(r, n int) bool { return couldBring(live[r], brought[n], brought) })
	if m.Satisfied(func(r int) bool { return c.hasToHave(live[r]) }) {
		return m
	}
	return matching.Of(len(live), len(brought), func(int, int) bool { return true })
}

// broughtInto lists the processes that docker exec started in a container and whose
// parent is the shim.
func (c *correlation) broughtInto(id string) []*node {
	var brought []*node
	for _, n := range c.inContainers[id] {
		if n.execd {
			brought = append(brought, n)
		}
	}
	return brought
}

// couldBring reports that the runner may have started the process: it is older; if
// its stdin is open, so is the process's; and if some process runs the very command
// it asked for, this one does.
func couldBring(r *runner, n *node, brought []*node) bool {
	if r.Start > n.Start || r.hasOpenStdin() && hasClosedStdin(n) {
		return false
	}
	asked := func(n *node) bool { return r.Start <= n.Start && slices.Equal(r.line.Args, n.Args()) }
	return asked(n) || !slices.ContainsFunc(brought, asked)
}

func hasClosedStdin(n *node) bool {
	stdin, known := n.Stdin.Get()
	return known && stdin.Connected() && stdin.Peer == "closed"
}

func (c *correlation) execAnswer(t *tree, m *matching.Matching, at int, live []*runner) answer {
	switch candidates := m.Candidates(at); {
	case len(candidates) == 0 && hasClosedStdin(t.root):
		return orphaned(CheckContainer, "docker exec brought it in, nobody holds the other end of its stdin, and no live docker exec of that container could be its").proven()
	case len(candidates) == 0:
		return c.execUntold("docker exec brought it in, no such process is to be seen, and its stdin is not closed")
	case m.Spare()[at]:
		a := c.execUntold("docker exec brought it in, and others like it; " + human.Count(len(live), "live docker exec") + " may be theirs: which is whose cannot be told")
		a.doubt = sentence.Of("it could be that of %s", sentence.Mark(human.Count(len(candidates), "live docker exec")))
		return a
	default:
		r := live[candidates[0]]
		return owned(CheckContainer, c.ownerOfRunner(r), "docker exec %d, which lives, brought it in", r.PID).proven()
	}
}
