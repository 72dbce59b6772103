package graph

import (
	"slices"

	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/matching"
	"github.com/reaperd/reaperd/internal/sentence"
	"github.com/reaperd/reaperd/internal/usage"
)

// tieGoneClients pairs leaked clients with orphaned containers of their class. Which
// client gets which container does not matter, since all of them are reaped. A client
// whose container may belong to somebody else is kept: killing it would leak that
// container.
func (c *correlation) tieGoneClients() {
	var gone []*client
	for _, cl := range c.clients {
		if cl.gone && cl.container == nil && cl.line.Command != "exec" {
			gone = append(gone, cl)
		}
	}
	m := matching.Of(len(gone), len(c.held), func(cl, k int) bool {
		orphan := c.held[k].state == containerOrphaned && c.held[k].client == nil
		return orphan && c.couldRun(gone[cl], c.held[k].Container)
	})
	for i, cl := range gone {
		if m.ThingOf(i) < 0 {
			c.guardClient(cl)
			continue
		}
		k := c.held[m.ThingOf(i)]
		cl.container, k.client = k, cl
		if k.owner.ID.IsZero() {
			k.owner = formerOwner(cl)
		}
	}
	c.allowClosing(gone)
	for _, cl := range c.clients {
		if cl.container != nil && cl.tree != nil && !slices.Contains(cl.tree.target.Containers, cl.container.ID) {
			cl.tree.target.Containers = append(cl.tree.target.Containers, cl.container.ID)
		}
	}
}

// allowClosing gives orphaned containers the time of a graceful close: a disconnected
// client may be about to stop its container. Each orphan that could be such a
// client's takes over its live owner. If that owner is no session or gateway, the
// orphan is kept.
func (c *correlation) allowClosing(gone []*client) {
	for _, cl := range gone {
		if cl.tree.finding != FindingDisconnected {
			continue
		}
		for _, k := range c.held {
			if k.state == containerOrphaned && !k.exact && c.couldRun(cl, k.Container) {
				k.owner = formerOwner(cl)
				if k.doubt.IsZero() {
					k.doubt = letGoByStranger(cl)
				}
			}
		}
	}
}

// isUncertain reports a running container, started with -i as far as is known, that
// is kept although its owner is not certain.
func (k *container) isUncertain() bool {
	withStdin := k.OpenStdin.Or(true) && k.StdinOnce.Or(true)
	return k.Running() && withStdin && !k.managed && k.state != containerOrphaned && !k.exact
}

// guardClient vetoes ending a client whose container is not known.
func (c *correlation) guardClient(cl *client) {
	var why sentence.S
	switch {
	case c.docker.Failed:
		why = sentence.Of("the container engine did not answer, and ending the client is what leaks its container")
	case c.past.engineFailed:
		why = sentence.Of("the container engine did not answer in the look before, and ending the client is what leaks its container")
	case c.docker.Partial:
		why = sentence.Of("not every container could be read, and ending the client is what leaks its container")
	case !c.docker.Known:
		why = sentence.Of("no container engine is to be seen, and ending the client is what leaks its container")
	case cl.line.Program != "docker" || cl.line.Global.Host != "" || cl.line.Global.Context != "":
		why = sentence.Of("it may be the client of an engine that is not looked at, and ending it is what leaks its container")
	}
	for _, k := range c.held {
		switch {
		case k.state == containerAmbiguous && sameClass(cl, k.Container):
			why = sentence.Of("which of the containers of its class is its cannot be told, and ending it is what leaks it")
		case k.isUncertain() && c.couldRun(cl, k.Container), k.state != containerOrphaned && c.names(cl, k.Container):
			why = sentence.Of("container %.12s may be its and stays, and ending the client is what leaks it", sentence.Mark(k.ID))
		}
	}
	if !why.IsZero() {
		cl.tree.target.Vetoes = append(cl.tree.target.Vetoes, VetoOf(GuardEngine, why))
	}
}

// addContainer makes a target of a container and remembers its client.
func (c *correlation) addContainer(k *container) {
	past := c.past.containers[k.ID]
	last := lastClient{server: k.server, owner: k.owner, client: past.client, exact: past.exact, target: past.target}
	switch {
	case k.client != nil:
		last.client, last.exact, last.target = k.client.ID(), k.exact, ""
		if k.client.tree != nil {
			last.target = k.client.tree.target.ID
		}
	case k.owner.ID.IsZero():
		last.owner = past.owner
	}
	c.lastClients[k.ID] = last
	c.targets = append(c.targets, c.containerTarget(k, last))
}

// findings is the finding that each conclusion about a container leads to.
var findings = map[containerState]Finding{
	containerOrphaned: FindingOrphaned, containerAmbiguous: FindingAmbiguous, containerExited: FindingExited,
}

func (c *correlation) containerTarget(k *container, last lastClient) *Target {
	target := &Target{
		ID: k.ID, Kind: KindContainer, Name: k.class.Name, How: k.class.Why, Container: k.Container,
		Incidental: !k.server, Owner: k.owner, Finding: findings[k.state], Evidence: []Evidence{k.evidence()},
		Age: k.Age(c.snapshot.TakenAt),
	}
	if target.Name == "" {
		target.Name = cmdline.ImageBase(k.Image)
	}
	if k.client != nil {
		target.Client = last.target
	}
	if !k.doubt.IsZero() {
		target.Vetoes = append(target.Vetoes, VetoOf(GuardUnproven, k.doubt))
	}
	if target.Incidental {
		target.Finding, target.Owner = FindingNone, Owner{}
	}
	target.measure(usage.Sum(c.inside(target.ID)))
	return target
}

// evidence is the conclusion as a line of evidence. The conclusions owned, orphaned
// and exited count as proven.
func (k *container) evidence() Evidence {
	e := evidenceOf(CheckContainer, SaysSilent, k.reason)
	switch {
	case k.managed:
		e.Says = SaysOwned
	case k.state == containerOwned:
		e.Says, e.Proof = SaysOwned, true
	case k.state == containerOrphaned, k.state == containerExited:
		e.Says, e.Proof = SaysOrphaned, true
	}
	return e
}
