package graph

import (
	"cmp"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
)

// This file is the rule for containers: whose one is, and when it is nobody's.
//
//	witness       keeps                                          condemns
//	how it runs   it is managed, was started detached, has       –
//	              never run
//	purpose       a terminal, a published port, a restart        –
//	              policy: somebody comes back to it; it listens;
//	              one that stays runs in its namespaces
//	runner        one lives that names it, is attached to it     the one that made it is gone, or all of
//	              or may have it (assign.go)                     the band of runners of which one has it
//	exec          a process that somebody executed in it runs    –
//	own stdin     it is held, and no runner that is gone         closed: never by itself
//	              holds it
//	connections   one to its engine is somebody's whom nobody    there is none: whoever is attached
//	              knows                                          to its stdin would have one
//	sight         a runner may live and not be recognised        –
//
// An orphan's runner is known and gone, or nobody can be attached to it: every connection to
// its engine is known, none is a stranger's, and no runner that lives could have it. In either
// case nobody holds its stdin. Where neither stdin nor connections can be told, as in a virtual
// machine, only the runner that made it condemns.
//
// Why nobody else can be attached: whoever is needs a connection to the engine for as long as
// that lasts. Where it is that of a container CLI, that is a process of the table, judged like all
// others. Once a runner of the band has ended, the engine has closed the stdin of what it had
// (StdinOnce): nobody else can write to it then.
//
// What was executed in a container for a client follows the same rule (execd.go).

// container is one container with what is worked out about it.
type container struct {
	*inventory.Container
	thing
	class   inventory.Class
	server  bool   // an MCP server, by its own labels or image or by its runner
	manager string // compose or a similar tool, which manages it; empty is none
	image   cmdline.Image
	last    lastRunner // as of the look before
	target  *Target

	claims []claim
	conclusion
}

// claim is what one witness says of a container. The zero value says nothing.
type claim struct {
	// state is the conclusion, whatever the witnesses behind this one say; undecided for a claim
	// that only counts together with others.
	state  containerState
	reason human.Sentence
	owner  Owner
	runner *runner // its runner, where that is known
	// exact: the runner made the container, so its exit counts against it.
	exact bool
	// deduced: the owner follows from what other containers' runners need, see [Target.Deduced].
	deduced bool
	// doubt is why the finding may be reported but not acted on.
	doubt human.Sentence
	// stranger is who may be attached to it, where nothing but that keeps it.
	stranger Stranger
	// gone: whoever had it is gone. alone: nobody can be attached to it.
	gone, alone bool
}

// conclusion is the claim that decides.
type conclusion = claim

type containerState uint8

const (
	containerUndecided containerState = iota
	containerUntold                   // its owner cannot be told
	containerOwned
	containerOrphaned
	containerAmbiguous
	containerExited
)

// containerWitnesses lists all of them. The first that decides is the conclusion.
func containerWitnesses() []func(*correlation, *container) claim {
	return []func(*correlation, *container) claim{
		askManager,     // compose or a similar tool manages it
		askState,       // it does not run
		askStart,       // it was started detached: no runner has it
		askLabel,       // its label names a live process
		askNamed,       // a live runner names it
		askUnreadable,  // its runner of earlier looks lives, and cannot be read now
		askAssignment,  // a live runner has it, or may have it
		askPurpose,     // a terminal, a port, a restart policy
		askExecuted,    // somebody executes something in it
		askHiddenUsers, // its runner may run and not be recognised, or be placed
		askOwnStdin,    // somebody holds its stdin
		askRunner,      // its runner is gone
		askEngine,      // whether anybody else may be attached to it
	}
}

// judgeContainers decides about every container, and ties runners to containers.
func (c *correlation) judgeContainers() {
	for _, r := range c.runners {
		r.gone = c.isGone(r.node)
	}
	c.findHidden()
	for _, k := range c.held {
		c.decide(k)
	}
	c.tieRunners()
	for _, k := range c.held {
		c.addContainer(k)
	}
	c.keepUnread()
}

// decide hears the witnesses, and decides: by the first that knows, else as an orphan if its
// runner is gone or nobody can be attached to it.
func (c *correlation) decide(k *container) {
	if k.state != containerUndecided {
		return
	}
	k.state = containerUntold // for whoever asks meanwhile
	for _, ask := range containerWitnesses() {
		said := ask(c, k)
		if said.state != containerUndecided {
			k.conclusion = said
			return
		}
		if said.gone || said.alone {
			k.claims = append(k.claims, said)
		}
	}
	k.conclusion = c.unproven(k)
	if len(k.claims) > 0 {
		k.conclusion = k.claims[0]
		k.state, k.reason = containerOrphaned, k.reason.Then(k.stdinLeft())
	}
}

// findContainers lists the containers with what can be said of each before anything is judged,
// and assigns the runners to them and to what was executed in them.
func (c *correlation) findContainers() {
	var things []*thing
	for _, listed := range c.oldestContainersFirst() {
		k := &container{Container: listed, last: c.past.containers[listed.ID].of(listed)}
		k.thing = thing{container: listed, stdin: listed.Stdin, created: listed.CreatedAt, args: inventory.TrimArgs(listed.Command), past: k.last.band}
		k.clock, k.first = c.clockOf(listed)
		k.class, k.image = c.catalogue.Container(listed), c.imageOf(listed.Image)
		k.server = c.isServerContainer(listed)
		k.manager = c.catalogue.Managed(listed)
		c.held = append(c.held, k)
		if k.Running() && k.wasAttached() && k.manager == "" {
			things = append(things, &k.thing)
		}
	}
	c.findRunners()
	c.tellNamed()
	things = append(things, c.findExecuted()...)
	c.kinds = c.newKinds(things)
	c.assign(things)
}

// wasAttached reports a container that was started for a client, as far as that is known.
func (k *container) wasAttached() bool {
	return k.OpenStdin.Or(true) && k.StdinOnce.Or(true) || !k.OpenStdin.Or(true) && k.AttachStdout.Or(false)
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
	for _, k := range c.held {
		k.named = slices.DeleteFunc(slices.Clone(c.runners), func(r *runner) bool { return !r.names(k.ID) })
	}
}
