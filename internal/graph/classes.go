package graph

import (
	"slices"

	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/matching"
	"github.com/reaperd/reaperd/internal/sentence"
)

// fit is the result of matching for one container, among the runners and containers
// of its class.
type fit struct {
	candidates []*runner // live runners that could have it
	needed     bool      // every largest matching gives it to one of them
	owner      Owner     // of all candidates, where they have the same
	// explained: every container of its class with a held stdin can be matched with a
	// runner that runs and whose own stdin is open, even if that runner is leaked.
	explained bool
}

// class is a group of containers and runners that may belong to each other: image,
// labels and command do not contradict it.
type class struct {
	containers []*container
	runners    []*runner
}

// matchContainers matches the containers that no earlier stage has decided with the
// `docker run` runners that have no container yet. A container is orphaned only if no
// largest matching gives it to a live runner.
func (c *correlation) matchContainers() {
	for _, class := range c.classes() {
		live := slices.DeleteFunc(slices.Clone(class.runners), func(r *runner) bool { return r.gone })
		m := c.matchClass(live, class.containers)
		spare, explained := m.Spare(), c.explainsHeldStdins(class)
		for i, k := range class.containers {
			k.server = k.server || slices.ContainsFunc(class.runners, func(r *runner) bool { return r.tree != nil && cmdline.SameImage(r.line.Image, k.Image) })
			k.fit = &fit{needed: !spare[i], explained: explained}
			for _, at := range m.Candidates(i) {
				k.fit.candidates = append(k.fit.candidates, live[at])
			}
			k.fit.owner = c.commonOwner(k.fit.candidates)
		}
	}
}

// matchClass matches the live runners of a class with its containers. If a runner
// stays without a container, one of our assumptions is wrong, and the matching is
// repeated with fewer of them: first without the state of the stdins (whoever
// attached to a container may have closed its stdin), then, if the runner is old
// enough to have its container, without the times too.
func (c *correlation) matchClass(live []*runner, containers []*container) *matching.Matching {
	match := func(fits func(*runner, *inventory.Container) bool) *matching.Matching {
		return matching.Of(len(live), len(containers), func(r, k int) bool { return fits(live[r], containers[k].Container) })
	}
	m := match(c.couldRun)
	if !m.Satisfied(func(int) bool { return true }) {
		m = match(c.couldHave)
	}
	if !m.Satisfied(func(r int) bool { return c.hasToHave(live[r]) }) {
		m = match(sameClass)
	}
	return m
}

// explainsHeldStdins reports that every container of the class whose stdin is held
// can be matched with a `docker run` runner whose own stdin is open, leaked or not. A
// leaked gateway keeps its runners' stdins open, and they keep their containers'.
func (c *correlation) explainsHeldStdins(of *class) bool {
	fits := func(r *runner) func(*container) bool {
		return func(k *container) bool { return k.Stdin == inventory.PeerOpen && c.couldRun(r, k.Container) }
	}
	var runners []*runner
	var held []*container
	for _, r := range c.runners {
		if r.line.Command == "run" && r.hasOpenStdin() && slices.ContainsFunc(of.containers, fits(r)) {
			runners = append(runners, r)
		}
	}
	for _, k := range c.held {
		if slices.Contains(of.containers, k) && k.Stdin == inventory.PeerOpen || slices.ContainsFunc(runners, func(r *runner) bool { return fits(r)(k) }) {
			held = append(held, k)
		}
	}
	return matching.Of(len(runners), len(held), func(r, k int) bool { return fits(runners[r])(held[k]) }).IsFull()
}

// classes groups the undecided containers with the runners that they may belong to. A
// runner that has its container takes no part.
func (c *correlation) classes() []*class {
	var classes []*class
	for _, k := range c.held {
		if k.state == containerUndecided {
			classes = append(classes, &class{containers: []*container{k}})
		}
	}
	for _, r := range c.runners {
		if r.container == nil && r.line.Command == "run" {
			classes = joinRunner(classes, r)
		}
	}
	return classes
}

// joinRunner merges all classes in which a runner could have a container.
func joinRunner(classes []*class, r *runner) []*class {
	joined := &class{runners: []*runner{r}}
	others := slices.DeleteFunc(classes, func(of *class) bool {
		fits := slices.ContainsFunc(of.containers, func(k *container) bool { return sameClass(r, k.Container) })
		if fits {
			joined.containers, joined.runners = append(joined.containers, of.containers...), append(of.runners, joined.runners...)
		}
		return fits
	})
	if len(joined.containers) == 0 {
		return others
	}
	return append(others, joined)
}

// commonOwner is the owner of these runners if all have the same one, else the zero
// value.
func (c *correlation) commonOwner(runners []*runner) Owner {
	var common Owner
	for i, r := range runners {
		owner := c.ownerOfRunner(r)
		if i > 0 && owner.ID != common.ID {
			return Owner{}
		}
		common = owner
	}
	return common
}

// matchedContainer: every largest matching gives the container to a live runner.
func matchedContainer(c *correlation, k *container) conclusion {
	if k.fit == nil || !k.fit.needed || len(k.fit.candidates) == 0 {
		return conclusion{}
	}
	if len(k.fit.candidates) == 1 {
		r := k.fit.candidates[0]
		return conclusion{
			state: containerOwned, runner: r, owner: c.ownerOfRunner(r),
			reason: sentence.Of("its docker run %d lives", r.PID),
		}
	}
	owner := k.fit.owner
	owner.Liveness = LivenessLive
	return conclusion{
		state: containerOwned, owner: owner,
		reason: sentence.Of("of its class there are as many live docker runs as containers: one of them is its"),
	}
}

// unplacedContainer: a live runner whose container was not found could be its runner.
func unplacedContainer(c *correlation, k *container) conclusion {
	why := c.unplacedRunner(k)
	if why.IsZero() {
		return conclusion{}
	}
	return conclusion{state: containerAmbiguous, doubt: why, reason: why.Then(k.stdinWords())}
}

// unplacedRunner names a live runner whose container was not found and could be this
// one; zero if there is none. The runner's arguments and the engine may describe one
// container differently, an attach may name it in a form we cannot read, and
// dial-stdio names none.
func (c *correlation) unplacedRunner(k *container) sentence.S {
	for _, r := range c.runners {
		if r.gone || r.container != nil || r.line.Command == "exec" || !c.hasToHave(r) || c.isPlaced(r) {
			continue
		}
		if r.line.Image == "" || !cmdline.DifferentImage(r.line.Image, k.Image) {
			return sentence.Of("docker %s %d lives, and which container is its cannot be told", r.line.Command, r.PID)
		}
	}
	for _, n := range c.nodes {
		if c.carriesRunner(n) {
			return sentence.Of("docker system dial-stdio %d lives, and for which container somebody on another host speaks through it cannot be told", n.PID)
		}
	}
	return sentence.S{}
}

// isPlaced reports that some container fits the runner by class or by name.
func (c *correlation) isPlaced(r *runner) bool {
	return slices.ContainsFunc(c.held, func(k *container) bool { return sameClass(r, k.Container) || c.names(r, k.Container) })
}
