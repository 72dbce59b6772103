package graph

import (
	"cmp"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/sentence"
)

// This file is the rule for containers. A container that was started with
// `docker run -i` belongs to its runner. Each is led through the stages below,
// and the first stage that knows decides. It is orphaned only where its stdin is
// not held, no runner that lives names it, and no runner that lives could be its
// although every runner must be visible, or where the runner that created it is
// known and gone.

// container is one container with what is worked out about it.
type container struct {
	*inventory.Container
	class   catalogue.Class
	server  bool // an MCP server, by its own labels or image or by its runner
	managed bool // compose or a similar tool manages it

	number int // among all containers, from 0
	image  cmdline.Image
	kind   int   // by its image, labels and command, as in kinds
	clock  clock // the clock by which it is compared with runners
	first  *node // its first process; set for clockOfKernel

	named    []*runner      // live runners that name it
	creators []*runner      // those of them that can have created it
	fit      *fit           // the result of matching; nil if it took no part
	runners  []inventory.ID // of its class; nil if it took no part

	conclusion
}

// conclusion is the decision of a stage. The zero value decides nothing.
type conclusion struct {
	state  containerState
	reason sentence.S // the evidence
	owner  Owner
	runner *runner // its runner, where that is known
	// exact: the runner created the container, so its exit counts against the
	// container later.
	exact bool
	// deduced: the owner follows from what other containers' runners need, see [Target.Deduced].
	deduced bool
	// doubt is why an orphan may be reported but not acted on.
	doubt sentence.S
}

type containerState uint8

const (
	containerUndecided containerState = iota
	containerUntold                   // its owner cannot be told
	containerOwned
	containerOrphaned
	containerAmbiguous
	containerExited
)

// containerStage looks at one container and may decide about it.
type containerStage func(*correlation, *container) conclusion

// containerStages lists the stages before and after matching.
func containerStages() (before, after []containerStage) {
	before = []containerStage{
		managedContainer,    // compose or a similar tool manages it
		exitedContainer,     // it does not run
		detachedContainer,   // it was started without -i: no runner owns it
		declaredContainer,   // its label names a live process
		namedContainer,      // a live runner names it
		rememberedContainer, // its runner of earlier looks lives
		abandonedContainer,  // the runner that created it is gone
	}
	after = []containerStage{
		matchedContainer,   // every largest matching gives it to a live runner
		attachedContainer,  // its stdin is held: somebody is attached
		ambiguousContainer, // it could be a live runner's
		hiddenContainer,    // its runner may run and not be recognised
		unseenContainer,    // not every runner can be seen from here
		unplacedContainer,  // a live runner's container was not found
		nobodysContainer,   // no live runner remains that could have it
	}
	return before, after
}

// judgeContainers decides about every container and ties runners to containers.
func (c *correlation) judgeContainers() {
	c.findContainers()
	before, after := containerStages()
	c.pass(before)
	c.matchContainers()
	c.pass(after)
	c.tieGoneRunners()
	c.guardUsed()
	for _, k := range c.held {
		c.addContainer(k)
	}
	c.keepUnread()
}

func (c *correlation) pass(stages []containerStage) {
	for _, k := range c.held {
		for _, stage := range stages {
			if k.state == containerUndecided {
				k.conclusion = stage(c, k)
			}
		}
		if k.runner != nil {
			k.runner.container = k
			k.server = k.server || k.runner.tree != nil
		}
	}
}

func (c *correlation) findContainers() {
	c.runners = c.runnersOf("run", "start", "attach", "exec")
	isOrphan := func(n *node) bool { return c.isGone(n) && n.tree.finding == FindingOrphaned }
	if i := slices.IndexFunc(c.nodes, func(n *node) bool { return c.mayBeRunner(n) && !isOrphan(n) }); i >= 0 {
		c.unread = c.nodes[i]
	}
	for i, listed := range c.oldestContainersFirst() {
		k := &container{Container: listed, number: i}
		k.class = c.classOf(k.Container)
		k.server = k.class.Role == catalogue.RoleServer || c.past.containers[k.ID].server
		k.image = c.images.of(k.Image)
		k.clock, k.first = c.clockOf(k)
		c.held = append(c.held, k)
	}
	c.tellNamed()
	c.kinds = newKinds(c.runners, c.held)
	c.findLeaving()
	c.strays = c.strayRunners()
	if i := slices.IndexFunc(c.nodes, c.carriesRunner); i >= 0 {
		c.carrier = c.nodes[i]
	}
}

// oldestContainersFirst lists all containers in an order that is not the engine's: which
// of several a runner is paired with must not change from look to look.
func (c *correlation) oldestContainersFirst() []*inventory.Container {
	all := make([]*inventory.Container, len(c.snapshot.Containers))
	for i := range all {
		all[i] = &c.snapshot.Containers[i]
	}
	slices.SortStableFunc(all, func(a, b *inventory.Container) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), strings.Compare(a.ID, b.ID))
	})
	return all
}

// tellNamed ties containers to the runners that name them.
func (c *correlation) tellNamed() {
	byID := make(map[string][]*runner, len(c.runners))
	for _, r := range c.runners {
		for _, id := range r.named {
			byID[id] = append(byID[id], r)
		}
	}
	for _, k := range c.held {
		for _, r := range byID[k.ID] {
			k.named = append(k.named, r)
			if c.isCreator(r, k) {
				k.creators = append(k.creators, r)
			}
		}
	}
}

func managedContainer(c *correlation, k *container) conclusion {
	if by, managed := c.catalogue.Managed(k.Container); managed {
		k.managed = true
		return conclusion{state: containerUntold, reason: sentence.Of("%s manages it", by)}
	}
	return conclusion{}
}

func exitedContainer(_ *correlation, k *container) conclusion {
	if k.Running() {
		return conclusion{}
	}
	switch ended := k.State == "exited" || k.State == "dead"; {
	case k.State == "created":
		return conclusion{state: containerUntold, reason: sentence.Of("it was created, and has never run")}
	case !ended:
		return conclusion{state: containerUntold, reason: sentence.Of("its state is %s", k.State)}
	case k.AutoRemove.Or(false):
		return conclusion{state: containerUntold, reason: sentence.Of("it has exited, and its engine removes it")}
	case !k.OpenStdin.Or(false):
		return conclusion{state: containerUntold, reason: sentence.Of("it has exited, and was not started with -i: somebody may start it again")}
	}
	return conclusion{state: containerExited, reason: sentence.Of("it has ended and was left behind")}
}

func detachedContainer(_ *correlation, k *container) conclusion {
	openStdin, known := k.OpenStdin.Get()
	switch {
	case !known || !k.StdinOnce.IsKnown():
		return conclusion{state: containerUntold, reason: sentence.Of("how it was started could not be told")}
	case openStdin && !k.StdinOnce.Or(false):
		return conclusion{state: containerUntold, reason: sentence.Of("it was started detached: no docker run speaks to its stdin")}
	case !openStdin:
		return conclusion{state: containerUntold, reason: sentence.Of("it was not started with -i, so no docker run owns it")}
	}
	return conclusion{}
}

func declaredContainer(c *correlation, k *container) conclusion {
	owner, state := c.declaredState(k.Labels[ownerLabel])
	if state != declaredLive {
		return conclusion{}
	}
	return conclusion{
		state: containerOwned, owner: c.asOwner(owner),
		reason: sentence.Of("its label %s names %s, which lives", ownerLabel, c.nameOf(owner, owner.PID)),
	}
}

// namedContainer keeps a container that a live runner names.
func namedContainer(c *correlation, k *container) conclusion {
	for _, r := range k.named {
		if r.gone {
			continue
		}
		found := conclusion{state: containerOwned, owner: c.ownerOfRunner(r)}
		found.reason = sentence.Of("its docker %s %d lives", r.line.Command, r.PID)
		switch r.line.Command {
		case "run":
			found.runner, found.exact = r, slices.Contains(k.creators, r)
		case "exec":
			found.reason = sentence.Of("docker exec %d lives, and has a process in it", r.PID)
		}
		return found
	}
	return conclusion{}
}

// rememberedContainer keeps a container whose runner was known, still lives, and
// cannot be recognised now because its arguments cannot be read. A runner that can be
// read is asked by the other stages.
func rememberedContainer(c *correlation, k *container) conclusion {
	last := c.past.containers[k.ID]
	n := c.byPID[last.runner.PID]
	if !last.exact || !c.lives(last.runner) || n.docker != nil || c.isGone(n) {
		return conclusion{}
	}
	return conclusion{
		state: containerOwned, owner: last.owner,
		reason: sentence.Of("process %d, which was seen to be its docker run, lives", n.PID),
	}
}

// abandonedContainer is orphaned because the runner that created it is gone: it has
// exited, or it runs and nobody uses it.
func abandonedContainer(c *correlation, k *container) conclusion {
	explained := slices.ContainsFunc(k.creators, (*runner).hasOpenStdin)
	if k.Stdin == inventory.PeerOpen && !explained || !c.hiddenReason(k).IsZero() || !c.unplacedRunner(k).IsZero() {
		return conclusion{}
	}
	for _, r := range k.creators {
		return conclusion{
			state: containerOrphaned, owner: formerOwner(r), runner: r, exact: true, doubt: letGoByStranger(r),
			reason: sentence.Of("nobody is behind its docker run %d any more", r.PID).Then(k.stdinHeldBy(sentence.Of(", which holds its stdin"))),
		}
	}
	last := c.past.containers[k.ID]
	if !last.exact || c.mayLive(last.runner) {
		return conclusion{}
	}
	return conclusion{
		state: containerOrphaned, owner: c.leftBy(last.owner), exact: true,
		reason: sentence.Of("its docker run %d is gone", last.runner.PID).Then(k.stdinSeen()),
	}
}

// letGoByStranger is why a container is kept if its runner is disconnected from an
// owner that is no session or gateway: we do not know what a person or an unknown
// program intends. Zero for any other runner.
func letGoByStranger(r *runner) sentence.S {
	if r.tree.finding != FindingDisconnected || r.tree.owner.Recognised() {
		return sentence.S{}
	}
	return sentence.Of("its docker run %d is below process %d, which lives and is no session", r.PID, r.tree.owner.ID.PID)
}

// attachedContainer: somebody holds the container's stdin and is thus attached, by
// whatever runner, API or machine. This does not count if local runners account for
// every held stdin of the class.
func attachedContainer(_ *correlation, k *container) conclusion {
	if k.Stdin != inventory.PeerOpen || k.fit != nil && k.fit.explained {
		return conclusion{}
	}
	found := conclusion{state: containerOwned, owner: Owner{Kind: OwnerProcess, Liveness: LivenessLive}}
	found.reason = sentence.Of("its stdin is held: somebody is attached to it, who is not to be seen from here")
	if k.fit != nil && !k.fit.owner.ID.IsZero() {
		found.owner = k.fit.owner
		found.owner.Liveness = LivenessLive
		found.reason = sentence.Of("its stdin is held: somebody is attached to it")
	}
	return found
}

// ambiguousContainer: some largest matching gives it to a live runner, and some other
// leaves it over.
func ambiguousContainer(_ *correlation, k *container) conclusion {
	if k.fit == nil || k.fit.candidates == 0 {
		return conclusion{}
	}
	return conclusion{
		state: containerAmbiguous, owner: k.fit.owner,
		doubt:  sentence.Of("it could be that of any of %s", sentence.Mark(human.Count(k.fit.candidates, "live docker run"))),
		reason: sentence.Of("there are fewer live docker runs than containers like this one: which is whose cannot be told").Then(k.stdinWords()),
	}
}

func hiddenContainer(c *correlation, k *container) conclusion {
	if why := c.hiddenReason(k); !why.IsZero() {
		return conclusion{state: containerUntold, reason: sentence.Of("no docker run of it is to be seen, but %v", why).Then(k.stdinWords())}
	}
	return conclusion{}
}

// hiddenReason is why a runner of the container may live without being recognised;
// zero if that is impossible.
func (c *correlation) hiddenReason(k *container) sentence.S {
	declared, labelled := k.Labels[ownerLabel]
	if _, state := c.declaredState(declared); labelled && state == declaredUntold {
		return sentence.Of("its label %s=%q names an owner that cannot be judged from here", ownerLabel, sentence.Mark(declared))
	}
	if n := c.unread; n != nil {
		return sentence.Of("the arguments of %s, which lives, could not be read", c.nameOf(n, n.PID))
	}
	return sentence.S{}
}

func unseenContainer(c *correlation, k *container) conclusion {
	if c.readable && c.docker.SeesRunnersOf(k.Container) {
		return conclusion{}
	}
	return conclusion{state: containerUntold, reason: sentence.Of("no docker run of it is to be seen, but not every one of this engine can be seen from here").Then(k.stdinWords())}
}

func nobodysContainer(c *correlation, k *container) conclusion {
	last := c.past.containers[k.ID]
	reason := sentence.Of("nobody alive is behind any docker run that could be its")
	if !last.runner.IsZero() {
		reason = sentence.Of("nobody is behind its docker run %d any more, nor behind another that could be its", last.runner.PID)
	}
	if _, state := c.declaredState(k.Labels[ownerLabel]); state == declaredGone {
		reason = reason.Then(sentence.Of("; its label %s names a process that is gone", ownerLabel))
	}
	return conclusion{state: containerOrphaned, owner: c.leftBy(last.owner), deduced: last.deduced, reason: reason.Then(k.stdinHeldBy(sentence.Of("; one of these holds its stdin")))}
}

// leftBy is who left what nobody has any more, by who had it last. A process that lives is
// not told to be gone: then nobody is named.
func (c *correlation) leftBy(last Owner) Owner {
	if c.lives(last.ID) {
		return Owner{Liveness: LivenessGone}
	}
	last.Liveness = LivenessGone
	return last
}

// stdinSeen says what is known of the container's stdin; it is zero if nothing is.
func (k *container) stdinSeen() sentence.S {
	switch k.Stdin {
	case inventory.PeerClosed:
		return sentence.Of("; nobody holds its stdin")
	case inventory.PeerOpen:
		return sentence.Of("; its stdin is held")
	}
	return sentence.S{}
}

// stdinHeldBy is stdinSeen where a docker run accounts for the stdin that is held, and nobody is behind that.
func (k *container) stdinHeldBy(holder sentence.S) sentence.S {
	if k.Stdin == inventory.PeerOpen {
		return holder
	}
	return k.stdinSeen()
}

// stdinWords is stdinSeen and, if nothing is known, what would decide about the container.
func (k *container) stdinWords() sentence.S {
	if seen := k.stdinSeen(); !seen.IsZero() {
		return seen
	}
	return sentence.Of("; whether anybody holds its stdin could not be told (root on the engine's own Linux host can tell)")
}
