package graph

import (
	"slices"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/matching"
	"github.com/reaperd/reaperd/internal/sentence"
)

// fit is the result of matching for one container, among the runners and containers
// of its class.
type fit struct {
	candidates int     // how many live runners could have it
	candidate  *runner // the youngest of them; nil for none
	needed     bool    // every largest matching gives it to one of them
	owner      Owner   // of all candidates, where they have the same
	// deduced: the owner is only that of those candidates which need no other container.
	// See deduced.go.
	deduced bool
	// disputed: the only candidate may have a container instead that is in use for another
	// reason: somebody is attached to it, or its label names a live process.
	disputed bool
	// explained: every container of its class with a held stdin can be matched with a
	// runner that runs and whose own stdin is open, even if that runner is leaked.
	explained bool
	// leaving is a runner that is none of the candidates because its own container has just
	// ended: see leaving.go.
	leaving *runner
}

// class is a group of containers and runners that may belong to each other: image,
// labels and command do not contradict it.
type class struct {
	containers []*container
	runners    []*runner
}

// live are the runners that are not gone, oldest first.
func (of *class) live() []*runner {
	return slices.DeleteFunc(slices.Clone(of.runners), func(r *runner) bool { return r.gone })
}

// matchContainers matches the containers that no earlier stage has decided with the
// `docker run` runners that have no container yet. A container is orphaned only if no
// largest matching gives it to a live runner.
func (c *correlation) matchContainers() {
	holders, inUse := c.stdinHolders(), c.withoutRunner()
	for _, class := range c.classes(c.undecided()) {
		serverImages := map[string]bool{}
		for _, r := range class.runners {
			serverImages[r.image.Key()] = serverImages[r.image.Key()] || r.tree != nil
		}
		explained, runners := holders.explain(class), idsOf(class.runners)
		c.fitClass(class)
		c.deduceOwners(class, inUse)
		for _, k := range class.containers {
			k.runners = runners
			k.server = k.server || serverImages[k.image.Key()]
			k.fit.explained = explained
			k.fit.disputed = k.fit.candidates == 1 && len(c.choices([]*runner{k.fit.candidate}, inUse, couldHave)[0]) > 0
		}
	}
}

// withoutRunner are the containers that an earlier stage has decided without finding the
// `docker run` that started them, or with one that only names them and is younger: one of
// those that live may be it.
func (c *correlation) withoutRunner() rows {
	var without []*container
	for _, k := range c.held {
		found := k.runner != nil && order(k.runner, k) <= 0
		if k.state != containerUndecided && !found && k.isUncertain() {
			without = append(without, k)
		}
	}
	return rowsOf(without)
}

// fitClass gives each container of a class its fit.
func (c *correlation) fitClass(of *class) {
	live, inRows := of.live(), rowsOf(of.containers)
	holds, m := c.matchClass(live, inRows)
	spare := m.Spare()
	for i, k := range inRows.all() {
		k.fit = &fit{needed: !spare[i]}
	}
	c.countCandidates(live, inRows, holds)
	c.fitWithoutLeaving(live, inRows)
}

func idsOf(runners []*runner) []inventory.ID {
	ids := make([]inventory.ID, len(runners))
	for i, r := range runners {
		ids[i] = r.ID()
	}
	return ids
}

// matchClass matches the live runners of a class with its containers, by the rule that
// it returns. If a runner stays without a container, one of our assumptions is wrong,
// and the matching is repeated with fewer of them: first without the state of the
// stdins (whoever attached to a container may have closed its stdin), then, if the
// runner is old enough to have its container, without the times too. A young runner may
// have no container yet: the stdins stay, unless it is they that leave it without one.
func (c *correlation) matchClass(live []*runner, inRows rows) (rule, *matching.Matching) {
	hasToHave := func(r int) bool { return c.hasToHave(live[r]) }
	holds := rule(couldRun)
	m := c.match(live, inRows, holds)
	if without := m.Without(); without > 0 {
		relaxed := c.match(live, inRows, couldHave)
		if !m.Satisfied(hasToHave) || relaxed.Without() < without {
			holds, m = couldHave, relaxed
		}
	}
	if !m.Satisfied(hasToHave) {
		holds = sameClass
		m = c.match(live, inRows, holds)
	}
	return holds, m
}

// countCandidates tells each container's fit which live runners could have it.
func (c *correlation) countCandidates(live []*runner, inRows rows, holds rule) {
	owners := make([]Owner, len(live))
	for i, r := range live {
		owners[i] = c.ownerOfRunner(r)
	}
	count, youngest, several := 0, 0, false
	inRows.walk(c.choices(live, inRows, holds), func(k *container, first bool, joining []int) {
		if first {
			count, youngest, several = 0, 0, false
		}
		for _, r := range joining {
			several = several || count > 0 && owners[r].ID != owners[youngest].ID
			count, youngest = count+1, max(youngest, r)
		}
		if count == 0 {
			return
		}
		k.fit.candidates, k.fit.candidate = count, live[youngest]
		if !several {
			k.fit.owner = owners[youngest]
		}
	})
}

// undecided are the containers that no stage has decided yet, and the `docker run`
// runners that have no container.
func (c *correlation) undecided() (containers []*container, runners []*runner) {
	containers = slices.DeleteFunc(slices.Clone(c.held), func(k *container) bool { return k.state != containerUndecided })
	runners = slices.DeleteFunc(slices.Clone(c.runners), func(r *runner) bool { return r.container != nil || r.line.Command != "run" })
	return containers, runners
}

// classes groups containers with the runners that they may belong to. A runner that
// none of them fits takes no part.
func (c *correlation) classes(containers []*container, runners []*runner) []*class {
	of := make([]*class, c.kinds.containers) // by the kind of its containers
	for _, k := range containers {
		if of[k.kind] == nil {
			of[k.kind] = &class{}
		}
	}
	c.joinClasses(of, runners)
	for _, k := range containers {
		of[k.kind].containers = append(of[k.kind].containers, k)
	}
	for _, r := range runners {
		if at := c.firstFit(of, r.kind); at >= 0 {
			of[at].runners = append(of[at].runners, r)
		}
	}
	var all []*class
	for _, class := range of {
		if class != nil && !slices.Contains(all, class) {
			all = append(all, class)
		}
	}
	return all
}

// joinClasses makes one class of all in which a runner could have a container.
func (c *correlation) joinClasses(of []*class, runners []*runner) {
	joined := map[int]bool{} // kinds of runners
	for _, r := range runners {
		first := c.firstFit(of, r.kind)
		if first < 0 || joined[r.kind] {
			continue
		}
		joined[r.kind] = true
		for kind, other := range of {
			if other == nil || other == of[first] || !c.kinds.fit(r.kind, kind) {
				continue
			}
			for i := range of {
				if of[i] == other {
					of[i] = of[first]
				}
			}
		}
	}
}

// firstFit is the first kind of containers that fits a kind of runners and has a class;
// -1 is none.
func (c *correlation) firstFit(of []*class, runner int) int {
	for kind, class := range of {
		if class != nil && c.kinds.fit(runner, kind) {
			return kind
		}
	}
	return -1
}

// matchedContainer: every largest matching gives the container to a live runner.
func matchedContainer(c *correlation, k *container) conclusion {
	if k.fit == nil || !k.fit.needed || k.fit.candidates == 0 {
		return conclusion{}
	}
	if r := k.fit.candidate; k.fit.disputed {
		return conclusion{
			state: containerOwned, owner: c.ownerOfRunner(r),
			reason: sentence.Of("docker run %d lives, and has it or another container like it that is in use", r.PID),
		}
	}
	if k.fit.candidates == 1 {
		r := k.fit.candidate
		return conclusion{
			state: containerOwned, runner: r, owner: c.ownerOfRunner(r),
			reason: sentence.Of("its docker run %d lives", r.PID),
		}
	}
	found := conclusion{state: containerOwned, owner: k.fit.owner, deduced: k.fit.deduced}
	found.owner.Liveness = LivenessLive
	found.reason = sentence.Of("there is a live docker run for every container like this one: one of them is its")
	if k.fit.deduced {
		found.reason = sentence.Of("there is a live docker run for every container like this one, and only one of %v's can have it", k.fit.owner.Named())
	}
	return found
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
	for _, r := range c.strays {
		if c.couldStray(r, k) && !(c.isLeaving(r) && c.wasOrphaned(k)) {
			return sentence.Of("docker %s %d lives, and which container is its cannot be told", r.line.Command, r.PID)
		}
	}
	if c.carrier != nil {
		return sentence.Of("docker system dial-stdio %d lives, and for which container somebody on another host speaks through it cannot be told", c.carrier.PID)
	}
	return sentence.S{}
}

// couldStray reports that a container could be a stray runner's.
func (c *correlation) couldStray(r *runner, k *container) bool {
	return c.mayHave(r, k) && (r.line.Image == "" || !r.image.Differs(k.image))
}

// mayHave reports that the age of a stray runner does not rule out that the container is
// its. A young `docker run` can have only one that was created after it started.
func (c *correlation) mayHave(r *runner, k *container) bool {
	return c.hasToHave(r) || r.line.Command != "run" || order(r, k) <= 0
}

// strayRunners lists live runners that no container fits, by class or by name: the
// oldest of each command and image among those that are leaving, and among the others.
func (c *correlation) strayRunners() []*runner {
	var strays []*runner
	type asked struct {
		command, image string
		leaving        bool
	}
	seen := map[asked]bool{}
	for _, r := range c.runners {
		asks := asked{r.line.Command, r.line.Image, c.isLeaving(r)}
		isPlaced := c.kinds.fitsAny(r.kind) || len(r.named) > 0
		if r.gone || r.line.Command == "exec" || isPlaced || seen[asks] {
			continue
		}
		seen[asks] = true
		strays = append(strays, r)
	}
	return strays
}
