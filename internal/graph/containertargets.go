package graph

import (
	"slices"

	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
)

// lastRunner is what a look knew of whose a container is.
type lastRunner struct {
	engine  string       // the endpoint at which the container was seen
	runner  inventory.ID // its own; zero is not known
	target  string       // of its runner's tree
	owner   Owner
	exact   bool
	server  bool
	deduced bool  // the owner is, see [Target.Deduced]
	band    *band // the runners of which one has it
	began   Began // by `docker run -d`
}

// tieRunners ties each runner to its container. A leaked one ends with its orphaned container:
// which of several it gets does not matter, since all of them are reaped. One whose container
// stays is kept: ending it would end that container under whoever uses it, or leak it.
func (c *correlation) tieRunners() {
	c.tellStaying()
	c.guardElsewhere()
	for _, k := range c.held {
		if k.runner == nil && k.state == containerOrphaned && k.taker != nil && k.taker.gone && k.taker.staying == nil {
			k.runner = k.taker
		}
		if r := k.runner; r != nil && (r.container == nil || k.exact) {
			r.container = k
			k.server = k.server || k.exact && r.tree != nil
		}
	}
	for _, r := range c.runners {
		switch {
		case r.tree == nil:
		case r.gone && r.line.Command == "exec":
			c.guardExecRunner(r)
		case r.gone && r.container == nil:
			c.guardRunner(r)
		case !r.gone && r.line.Command == "run":
			c.guardUsed(r)
		}
		if r.container != nil && r.tree != nil && !slices.Contains(r.tree.target.Containers, r.container.ID) {
			r.tree.target.Containers = append(r.tree.target.Containers, r.container.ID)
		}
	}
}

// guardElsewhere vetoes ending a leaked runner that speaks to no engine which is looked at: what
// it has there would be left behind.
func (c *correlation) guardElsewhere() {
	for _, r := range c.elsewhere {
		if r.tree != nil && c.isGone(r.node) {
			r.tree.target.veto(GuardEngine, "its engine is one that is not looked at, and ending it is what leaks its container")
		}
	}
}

// guardRunner vetoes ending a leaked runner whose container is not known, or stays.
func (c *correlation) guardRunner(r *runner) {
	var why human.Sentence
	switch k := r.staying; {
	case c.past.engineFailed || !c.docker.ReadAll(""):
		why = human.Say("its container could not be read, and ending it is what leaks that")
	case k != nil:
		why = human.Say("container %s may be its and stays, and ending this docker run would leak it", human.Mark(k.Handle()))
	case r.line.Program != "docker" || r.line.Global != cmdline.ContainerEngine{}:
		why = human.Say("its engine may be one that is not looked at, and ending it is what leaks its container")
	}
	r.tree.target.vetoBecause(GuardEngine, why)
}

// tellStaying tells each leaked runner a container that may be its and is not reaped.
func (c *correlation) tellStaying() {
	for _, k := range c.held {
		if k.state == containerOrphaned || !k.Running() {
			continue
		}
		_, gone := c.mayHave(&k.thing)
		for _, r := range append(gone, k.named...) {
			if r.staying == nil || k.state == containerAmbiguous {
				r.staying = k
			}
		}
	}
}

// guardUsed vetoes ending a live `docker run` if somebody else uses its container, or one
// that may be its: the docker run would end with its gateway or session, and the container
// with the docker run.
func (c *correlation) guardUsed(r *runner) {
	for _, k := range c.held {
		if user := k.user(); user != nil && (r.container == k || r.container == nil && slices.Contains(k.candidates, r)) {
			words := "docker %s %d uses container %s, which may be its"
			if r.container == k {
				words = "docker %s %d uses its container %s"
			}
			r.tree.target.veto(GuardInUse, words, user.line.Command, user.PID, human.Mark(k.Handle()))
			return
		}
	}
}

// user is a live runner that uses the container without having created it: docker attach,
// start or exec; nil if there is none.
func (k *container) user() *runner {
	if k.state != containerOwned {
		return nil
	}
	return first(k.named, func(r *runner) bool { return !r.gone && r.line.Command != "run" })
}

// addContainer makes a target of a container and remembers its runner.
func (c *correlation) addContainer(k *container) {
	last := k.remember()
	last.began = c.beganBy(k)
	c.lastRunners[k.ID] = last
	k.target = c.containerTarget(k, last)
	c.targets = append(c.targets, k.target)
}

// remember is what the next look is told of a container. Who may have one that is ambiguous is no
// news.
func (k *container) remember() lastRunner {
	last := lastRunner{
		engine: k.Engine, server: k.server, owner: k.owner, runner: k.last.runner, exact: k.last.exact, target: k.last.target, deduced: k.deduced, band: k.band,
	}
	switch {
	case k.runner != nil:
		last.runner, last.exact, last.target = k.runner.ID(), k.exact, ""
		if k.exact {
			last.band = &band{ids: []inventory.ID{last.runner}}
		}
		if k.runner.tree != nil {
			last.target = k.runner.tree.target.ID
		}
	case k.owner.ID.IsZero(), k.state == containerAmbiguous && !k.last.owner.ID.IsZero():
		last.owner, last.deduced = k.last.owner, k.last.deduced
	}
	if last.band == nil {
		last.band = k.past
	}
	return last
}

// keepUnread remembers whose the containers were that this look did not read, since it did
// not read their engine, or not whole. How long a finding holds is not remembered: nobody
// has seen it meanwhile.
func (c *correlation) keepUnread() {
	for id, last := range c.past.containers {
		if _, listed := c.containers[id]; !listed && !c.docker.ReadAll(last.engine) {
			c.lastRunners[id] = last
		}
	}
}

// outcomes are what each conclusion about a container leads to, and what it says as evidence.
var outcomes = map[containerState]struct {
	finding Finding
	says    Says
	proof   bool
}{
	containerOwned:     {says: SaysOwned, proof: true},
	containerOrphaned:  {FindingOrphaned, SaysOrphaned, true},
	containerAmbiguous: {finding: FindingAmbiguous},
	containerExited:    {FindingExited, SaysOrphaned, true},
}

func (c *correlation) containerTarget(k *container, last lastRunner) *Target {
	target := &Target{
		ID: k.ID, Kind: KindContainer, Name: k.class.Name, How: k.class.Why, Container: k.Container,
		Incidental: !k.server, Owner: k.owner, Finding: outcomes[k.state].finding, Evidence: []Evidence{k.evidence()},
		Age: k.Age(c.snapshot.TakenAt), Deduced: k.deduced, Stranger: k.stranger, Reused: k.whyReused(), Likely: k.class.Likely,
	}
	if target.Name == "" {
		target.Name = cmdline.ImageBase(k.Image)
	}
	if k.runner != nil {
		target.Runner = last.target
	}
	if k.class.Likely {
		target.Job = onlyLikely()
	}
	target.Behind = idsOf(c.leakedClients(&k.thing, k))
	target.vetoBecause(GuardUnproven, k.doubt)
	if target.Incidental {
		target.Finding, target.Owner = FindingNone, Owner{}
	}
	target.measure(sumOf(c.inside(target.ID)))
	return target
}

// evidence is the conclusion about a container as a line of evidence.
func (k *container) evidence() Evidence {
	e := evidenceOf(CheckContainer, outcomes[k.state].says, k.reason)
	if e.Proof = outcomes[k.state].proof; k.managed {
		e.Says = SaysOwned
	}
	return e
}
