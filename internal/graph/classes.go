package graph

import (
	"slices"

	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/matching"
	"github.com/reaperd/reaperd/internal/sentence"
)

// fit is the result of matching for one container, among the clients and containers
// of its class.
type fit struct {
	candidates []*client // live clients that could have it
	needed     bool      // every largest matching gives it to one of them
	owner      Owner     // of all candidates, where they have the same
	// explained: every container of its class with a held stdin can be matched with a
	// client that runs and whose own stdin is open, even if that client is leaked.
	explained bool
}

// class is a group of containers and clients that may belong to each other: image,
// labels and command do not contradict it.
type class struct {
	containers []*container
	clients    []*client
}

// matchContainers matches the containers that no earlier stage has decided with the
// `docker run` clients that have no container yet. A container is orphaned only if no
// largest matching gives it to a live client.
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

// matchClass matches the live clients of a class with its containers. If a client
// stays without a container, one of our assumptions is wrong, and the matching is
// repeated with fewer of them: first without the state of the stdins (whoever
// attached to a container may have closed its stdin), then, if the client is old
// enough to have its container, without the times too.
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

// explainsHeldStdins reports that every container of the class whose stdin is held
// can be matched with a `docker run` client whose own stdin is open, leaked or not. A
// leaked gateway keeps its clients' stdins open, and they keep their containers'.
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

// classes groups the undecided containers with the clients that they may belong to. A
// client that has its container takes no part.
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

// joinClient merges all classes in which a client could have a container.
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

// commonOwner is the owner of these clients if all have the same one, else the zero
// value.
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

// matchedContainer: every largest matching gives the container to a live client.
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

// unplacedContainer: a live client whose container was not found could be its client.
func unplacedContainer(c *correlation, k *container) conclusion {
	why := c.unplacedClient(k)
	if why.IsZero() {
		return conclusion{}
	}
	return conclusion{state: containerAmbiguous, doubt: why, reason: why.Then(k.stdinWords())}
}

// unplacedClient names a live client whose container was not found and could be this
// one; zero if there is none. The client's arguments and the engine may describe one
// container differently, an attach may name it in a form we cannot read, and
// dial-stdio names none.
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

// isPlaced reports that some container fits the client by class or by name.
func (c *correlation) isPlaced(cl *client) bool {
	return slices.ContainsFunc(c.held, func(k *container) bool { return sameClass(cl, k.Container) || c.names(cl, k.Container) })
}
