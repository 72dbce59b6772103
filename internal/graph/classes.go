package graph

import (
	"slices"

	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/matching"
	"github.com/reaperd/reaperd/internal/sentence"
)

// fit is what matching clients and containers of one class says about a container.
type fit struct {
	candidates []*client // live clients that could have it
	needed     bool      // every largest assignment gives it to one of them
	owner      Owner     // of all candidates, where they have the same
	// explained: each held stdin of its class is that of a client which is there,
	// if only of one that nobody is behind any more.
	explained bool
}

// class is the containers and clients of one image, labels and command.
type class struct {
	containers []*container
	clients    []*client
}

// matchContainers matches what no client or label has settled with the `docker
// run` clients that have no container yet: a container is orphaned only if no
// consistent assignment gives it to a client that lives.
func (c *correlation) matchContainers() {
	for _, class := range c.classes() {
		live := slices.DeleteFunc(slices.Clone(class.clients), func(cl *client) bool { return cl.gone })
		m := c.matchClass(live, class.containers)
		spare, explained := m.Spare(), c.explainsHeldStdins(class)
		for i, k := range class.containers {
			k.server = k.server || slices.ContainsFunc(class.clients, func(cl *client) bool { return cl.tree != nil && cmdline.SameImage(cl.line.Image, k.Image) })
			k.fit = &fit{needed: !spare[i], explained: explained}
			for _, at := range m.Candidates(i) {
				k.fit.candidates = append(k.fit.candidates, live[at])
			}
			k.fit.owner = c.commonOwner(k.fit.candidates)
		}
	}
}

// matchClass matches the live clients of a class with its containers. A client
// without a container contradicts what was concluded: of the stdin first, which
// anybody who attached may have closed when he left, and where the client is old
// enough to have its container, of the times as well.
func (c *correlation) matchClass(live []*client, containers []*container) *matching.Matching {
	match := func(fits func(*client, *inventory.Container) bool) *matching.Matching {
		return matching.Of(len(live), len(containers), func(cl, k int) bool { return fits(live[cl], containers[k].Container) })
	}
	m := match(c.couldRun)
	if !m.Satisfied(func(int) bool { return true }) {
		m = match(c.couldHave)
	}
	if !m.Satisfied(func(cl int) bool { return c.hasToHave(live[cl]) }) {
		m = match(sameClass)
	}
	return m
}

// explainsHeldStdins reports that clients of the class which are there, with or
// without somebody behind them, and whose own stdin is open, account for every
// container of the class whose stdin is held. A gateway that is left over itself
// keeps the stdin of its clients open, and they that of their containers.
func (c *correlation) explainsHeldStdins(of *class) bool {
	fits := func(cl *client) func(*container) bool {
		return func(k *container) bool { return k.Stdin == inventory.PeerOpen && c.couldRun(cl, k.Container) }
	}
	var clients []*client
	var held []*container
	for _, cl := range c.clients {
		if cl.line.Command == "run" && cl.hasOpenStdin() && slices.ContainsFunc(of.containers, fits(cl)) {
			clients = append(clients, cl)
		}
	}
	for _, k := range c.held {
		if slices.Contains(of.containers, k) && k.Stdin == inventory.PeerOpen || slices.ContainsFunc(clients, func(cl *client) bool { return fits(cl)(k) }) {
			held = append(held, k)
		}
	}
	return matching.Of(len(clients), len(held), func(cl, k int) bool { return fits(clients[cl])(held[k]) }).IsFull()
}

// classes groups what is undecided, by the clients that could belong to it. A
// client that has a container is no member.
func (c *correlation) classes() []*class {
	var classes []*class
	for _, k := range c.held {
		if k.state == containerUndecided {
			classes = append(classes, &class{containers: []*container{k}})
		}
	}
	for _, cl := range c.clients {
		if cl.container == nil && cl.line.Command == "run" {
			classes = joinClient(classes, cl)
		}
	}
	return classes
}

// joinClient makes one class of all that a client could belong to.
func joinClient(classes []*class, cl *client) []*class {
	joined := &class{clients: []*client{cl}}
	others := slices.DeleteFunc(classes, func(of *class) bool {
		fits := slices.ContainsFunc(of.containers, func(k *container) bool { return sameClass(cl, k.Container) })
		if fits {
			joined.containers, joined.clients = append(joined.containers, of.containers...), append(of.clients, joined.clients...)
		}
		return fits
	})
	if len(joined.containers) == 0 {
		return others
	}
	return append(others, joined)
}

// commonOwner is the owner of some clients, where they have the same one.
func (c *correlation) commonOwner(clients []*client) Owner {
	var common Owner
	for i, cl := range clients {
		owner := c.ownerOfClient(cl)
		if i > 0 && owner.ID != common.ID {
			return Owner{}
		}
		common = owner
	}
	return common
}

// matchedContainer: every assignment gives the container to a live client.
func matchedContainer(c *correlation, k *container) conclusion {
	if k.fit == nil || !k.fit.needed || len(k.fit.candidates) == 0 {
		return conclusion{}
	}
	if len(k.fit.candidates) == 1 {
		cl := k.fit.candidates[0]
		return conclusion{
			state: containerOwned, client: cl, owner: c.ownerOfClient(cl),
			reason: sentence.Of("its client, docker run %d, lives", cl.PID),
		}
	}
	owner := k.fit.owner
	owner.Liveness = LivenessLive
	return conclusion{
		state: containerOwned, owner: owner,
		reason: sentence.Of("of its class there are as many live clients as containers: one of them is its"),
	}
}

// unplacedContainer: a client lives that could have it.
func unplacedContainer(c *correlation, k *container) conclusion {
	why := c.unplacedClient(k)
	if why.IsZero() {
		return conclusion{}
	}
	return conclusion{state: containerAmbiguous, doubt: why, reason: why.Then(k.stdinWords())}
}

// unplacedClient is a live client whose container is not to be found and that
// could have this one, in words; zero where there is none. Its arguments and
// the engine may describe the container differently, an attach may name it in a
// way that is not understood, and dial-stdio names none at all.
func (c *correlation) unplacedClient(k *container) sentence.S {
	for _, cl := range c.clients {
		if cl.gone || cl.container != nil || cl.line.Command == "exec" || !c.hasToHave(cl) || c.isPlaced(cl) {
			continue
		}
		if cl.line.Image == "" || !cmdline.DifferentImage(cl.line.Image, k.Image) {
			return sentence.Of("docker %s %d lives, and which container is its cannot be told", cl.line.Command, cl.PID)
		}
	}
	for _, n := range c.nodes {
		if c.carriesClient(n) {
			return sentence.Of("docker system dial-stdio %d lives, and for which container somebody on another host speaks through it cannot be told", n.PID)
		}
	}
	return sentence.S{}
}

// isPlaced reports that some container fits the client by class or name.
func (c *correlation) isPlaced(cl *client) bool {
	return slices.ContainsFunc(c.held, func(k *container) bool { return sameClass(cl, k.Container) || c.names(cl, k.Container) })
}
