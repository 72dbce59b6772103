package graph

import "slices"

// judgeExeced decides a tree that docker exec brought into a container. Its
// parent is the shim and its stdio is the shim's, so neither says anything: its
// owner is the `docker exec` client, which must be visible to be missed.
func (c *correlation) judgeExeced(j *judgement) {
	j.owner = Owner{Liveness: LivenessUnknown}
	container := c.containers[j.root.ContainerID]
	if container == nil || !c.readable || !c.docker.seesClientsOf(container) {
		j.note(CheckContainer, SaysSilent, false, "docker exec brought it in; its client stands outside and cannot be seen from here")
		return
	}
	brought := c.broughtInto(container.ID)
	var live []*client
	for _, cl := range c.clientsOf("exec") {
		if c.names(cl, container) && !cl.gone {
			live = append(live, cl)
		}
	}
	m := match(len(live), len(brought), func(cl, n int) bool { return couldBring(live[cl], brought[n], brought) })
	if !m.satisfied(func(cl int) bool { return c.hasToHave(live[cl]) }) {
		m = match(len(live), len(brought), func(int, int) bool { return true })
	}
	c.settleExeced(j, m, slices.Index(brought, j.root), live)
}

// broughtInto lists the processes that docker exec brought into a container and
// that hang on the shim themselves.
func (c *correlation) broughtInto(id string) []*node {
	var brought []*node
	for _, n := range c.nodes {
		if n.execd && n.ContainerID == id {
			brought = append(brought, n)
		}
	}
	return brought
}

// couldBring: the client is older, its open stdin has an open one, and where
// some process still has the very command it asked for, only such a one is its.
func couldBring(cl *client, n *node, brought []*node) bool {
	if cl.Start > n.Start {
		return false
	}
	if stdin, known := cl.Stdin.Get(); known && stdin.Connected() && stdin.Peer == "open" && isClosed(n) {
		return false
	}
	asked := func(n *node) bool { return cl.Start <= n.Start && slices.Equal(cl.line.Args, n.Args()) }
	return asked(n) || !slices.ContainsFunc(brought, asked)
}

func isClosed(n *node) bool {
	stdin, known := n.Stdin.Get()
	return known && stdin.Connected() && stdin.Peer == "closed"
}

func (c *correlation) settleExeced(j *judgement, m *matching, at int, live []*client) {
	claimable := m.claimable()
	switch {
	case at < 0:
	case !claimable[at] && isClosed(j.root):
		j.finding, j.owner.Liveness, j.live = FindingOrphaned, LivenessGone, false
		j.note(CheckContainer, SaysOrphaned, true, "docker exec brought it in, and no live client of that container could be its")
		j.note(CheckStdin, SaysOrphaned, true, "nobody alive holds the other end of its stdin")
	case !claimable[at]:
		j.note(CheckContainer, SaysSilent, false, "docker exec brought it in, no client of it is to be seen, and its stdin is not closed")
	case m.spare()[at]:
		j.finding = FindingAmbiguous
		j.unproven = "it could be that of " + count(len(candidatesOf(m, at)), "live docker exec client")
		j.note(CheckContainer, SaysSilent, false, "docker exec brought in %d like it, and %s are there: which is whose cannot be told", len(m.client), count(len(live), "live client"))
	default:
		cl := live[candidatesOf(m, at)[0]]
		j.own(c.ownerOfClient(cl))
		j.note(CheckContainer, SaysOwned, true, "docker exec brought it in, and its client %d lives", cl.PID)
	}
}
