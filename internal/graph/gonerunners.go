package graph

import (
	"slices"

	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/matching"
	"github.com/reaperd/reaperd/internal/sentence"
	"github.com/reaperd/reaperd/internal/usage"
)

// tieGoneRunners pairs leaked runners with orphaned containers of their class. Which
// runner gets which container does not matter, since all of them are reaped. A runner
// whose container may stay is kept: ending it would end that container under whoever uses
// it, or leak it.
func (c *correlation) tieGoneRunners() {
	var gone []*runner
	for _, r := range c.runners {
		if r.gone && r.container == nil && r.line.Command != "exec" {
			gone = append(gone, r)
		}
	}
	staying := c.staying()
	free := slices.DeleteFunc(slices.Clone(gone), staying.mayHaveUnclaimed)
	pairs := c.pair(free, c.orphans(func(k *container) bool { return k.runner == nil }))
	for _, r := range gone {
		k := pairs[r]
		if k == nil {
			c.guardRunner(r, staying)
			continue
		}
		r.container, k.runner = k, r
		if k.owner.ID.IsZero() || k.deduced {
			k.owner, k.deduced = formerOwner(r), false
		}
	}
	c.allowClosing(gone)
	for _, r := range c.runners {
		if r.container != nil && r.tree != nil && !slices.Contains(r.tree.target.Containers, r.container.ID) {
			r.tree.target.Containers = append(r.tree.target.Containers, r.container.ID)
		}
	}
}

// pair gives as many of these runners as possible a container each.
func (c *correlation) pair(runners []*runner, containers []*container) map[*runner]*container {
	pairs := make(map[*runner]*container, len(runners))
	for _, class := range c.classes(containers, runners) {
		things := matching.Pairs(len(class.runners), len(class.containers), func(r, k int) bool {
			return couldRun(c, class.runners[r], class.containers[k])
		})
		for r, thing := range things {
			if thing >= 0 {
				pairs[class.runners[r]] = class.containers[thing]
			}
		}
	}
	return pairs
}

// orphans are the orphaned containers for which a condition holds.
func (c *correlation) orphans(that func(*container) bool) []*container {
	return slices.DeleteFunc(slices.Clone(c.held), func(k *container) bool { return k.state != containerOrphaned || !that(k) })
}

// allowClosing gives orphaned containers the time of a graceful close: a disconnected
// runner may be about to stop its container. Each orphan that could be such a
// runner's takes over the live owner of the youngest. If an owner is no session or
// gateway, the orphan is kept.
func (c *correlation) allowClosing(gone []*runner) {
	closing := slices.DeleteFunc(slices.Clone(gone), func(r *runner) bool { return r.tree.finding != FindingDisconnected })
	orphans := rowsOf(c.orphans(func(k *container) bool { return !k.exact }))
	last, stranger := -1, len(closing)
	orphans.walk(c.choices(closing, orphans, couldRun), func(k *container, first bool, joining []int) {
		if first {
			last, stranger = -1, len(closing)
		}
		for _, i := range joining {
			last = max(last, i)
			if !letGoByStranger(closing[i]).IsZero() {
				stranger = min(stranger, i)
			}
		}
		if last >= 0 {
			k.owner, k.deduced = formerOwner(closing[last]), false
		}
		if stranger < len(closing) && k.doubt.IsZero() {
			k.doubt = letGoByStranger(closing[stranger])
		}
	})
}

// guardRunner vetoes ending a runner whose container is not known.
func (c *correlation) guardRunner(r *runner, staying staying) {
	var why sentence.S
	switch {
	case c.docker.Failed:
		why = sentence.Of("the container engine did not answer, and ending it is what leaks its container")
	case c.past.engineFailed:
		why = sentence.Of("the container engine did not answer in the look before, and ending it is what leaks its container")
	case c.docker.Partial:
		why = sentence.Of("not every container could be read, and ending it is what leaks its container")
	case !c.docker.Known:
		why = sentence.Of("no container engine is to be seen, and ending it is what leaks its container")
	case r.line.Program != "docker" || r.line.Global.Host != "" || r.line.Global.Context != "":
		why = sentence.Of("its engine may be one that is not looked at, and ending it is what leaks its container")
	}
	switch k, ambiguous := staying.maybeOf(r); {
	case k == nil:
	case ambiguous:
		why = sentence.Of("which of several containers alike is its cannot be told, and ending it is what leaks it")
	default:
		why = sentence.Of("container %s may be its and stays, and ending this docker run would leak it", sentence.Mark(k.Handle()))
	}
	if !why.IsZero() && c.lostContainer(r) {
		why = sentence.Of("the container that it was seen with has ended, so it may be about to exit by itself; until then %v", why)
	}
	if !why.IsZero() {
		r.tree.target.Vetoes = append(r.tree.target.Vetoes, VetoOf(GuardEngine, why))
	}
}

// lostContainer reports that the look before tied a runner to a container that has ended.
func (c *correlation) lostContainer(r *runner) bool {
	for id, last := range c.past.containers {
		if last.target == r.tree.target.ID && c.hasEnded(id) {
			return true
		}
	}
	return false
}

// addContainer makes a target of a container and remembers its runner.
func (c *correlation) addContainer(k *container) {
	past := c.past.containers[k.ID]
	last := lastRunner{
		engine: k.Engine, server: k.server, owner: k.owner, runner: past.runner, exact: past.exact, target: past.target, runners: k.runners, deduced: k.deduced,
	}
	switch {
	case k.runner != nil:
		if last.runners == nil {
			last.runners = []inventory.ID{k.runner.ID()}
		}
		last.runner, last.exact, last.target = k.runner.ID(), k.exact, ""
		if k.runner.tree != nil {
			last.target = k.runner.tree.target.ID
		}
	case k.owner.ID.IsZero(), k.state == containerAmbiguous && !past.owner.ID.IsZero(): // who may have it is no news
		last.owner, last.deduced = past.owner, past.deduced
	}
	c.lastRunners[k.ID] = last
	c.targets = append(c.targets, c.containerTarget(k, last))
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

// findings is the finding that each conclusion about a container leads to.
var findings = map[containerState]Finding{
	containerOrphaned: FindingOrphaned, containerAmbiguous: FindingAmbiguous, containerExited: FindingExited,
}

func (c *correlation) containerTarget(k *container, last lastRunner) *Target {
	target := &Target{
		ID: k.ID, Kind: KindContainer, Name: k.class.Name, How: k.class.Why, Container: k.Container,
		Incidental: !k.server, Owner: k.owner, Finding: findings[k.state], Evidence: []Evidence{c.evidenceOn(k)},
		Age: k.Age(c.snapshot.TakenAt), Deduced: k.deduced,
	}
	if target.Name == "" {
		target.Name = cmdline.ImageBase(k.Image)
	}
	if k.runner != nil {
		target.Runner = last.target
	}
	target.unsettled = c.leaverOf(k) != nil
	if !k.doubt.IsZero() {
		target.Vetoes = append(target.Vetoes, VetoOf(GuardUnproven, k.doubt))
	}
	if target.Incidental {
		target.Finding, target.Owner = FindingNone, Owner{}
	}
	target.measure(usage.Sum(c.inside(target.ID)))
	return target
}

// evidenceOn is the conclusion about a container as a line of evidence. The conclusions
// owned, orphaned and exited count as proven.
func (c *correlation) evidenceOn(k *container) Evidence {
	e := evidenceOf(CheckContainer, SaysSilent, k.reason.Then(c.leaverWords(k)))
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
