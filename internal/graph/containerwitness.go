package graph

import (
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
)

// This file has what each witness of containers.go looks at, in the order in which they are heard.

// untold is the claim of a witness that keeps a container without an owner.
func untold(form string, facts ...any) claim {
	return claim{state: containerUntold, reason: human.Say(form, facts...)}
}

func askManager(_ *correlation, k *container) claim {
	if k.manager == "" {
		return claim{}
	}
	return untold("%s manages it", k.manager)
}

func askState(c *correlation, k *container) claim {
	if k.Running() {
		return claim{}
	}
	switch ended := k.State == "exited" || k.State == "dead"; {
	case k.State == "created":
		return untold("it was created, and has never run")
	case !ended:
		return untold("its state is %s", k.State)
	case k.AutoRemove.Or(false):
		return untold("it has exited, and its engine removes it")
	case !k.OpenStdin.Or(false) && !k.AttachStdout.Or(false):
		return untold("it has exited, and was not started with -i: somebody may start it again")
	}
	if why := k.whyReused(); why != "" {
		return untold("it has exited, and %s: somebody may start it again", why)
	}
	return claim{state: containerExited, reason: human.Say("it has ended and was left behind")}
}

// whyReused is why somebody may come back to a container once it has ended; "" if nothing says
// so. A container that its engine removes at its end is nobody's to come back to.
func (k *container) whyReused() string {
	switch {
	case k.AutoRemove.Or(false):
		return ""
	case k.Configured != "":
		return "a client is configured to start it as " + k.Configured
	case k.Named.Or(true):
		return "somebody gave it its name"
	case k.StartedAt.Sub(k.CreatedAt) > startedAgain:
		return "somebody has started it again"
	case k.TTY.Or(false):
		return "it has a terminal"
	}
	return ""
}

// startedAgain is how long after its creation a container was started for another time, if ever.
const startedAgain = time.Minute

func askStart(_ *correlation, k *container) claim {
	openStdin, known := k.OpenStdin.Get()
	switch {
	case !known || openStdin && !k.StdinOnce.IsKnown():
		return untold("how it was started could not be told")
	case openStdin && !k.StdinOnce.Or(false):
		return untold("it was started detached: no docker run speaks to its stdin")
	case !openStdin && !k.AttachStdout.Or(false):
		return untold("it was not started with -i, so no docker run owns it")
	}
	return claim{}
}

func askLabel(c *correlation, k *container) claim {
	owner, state := c.declaredState(k.Labels[ownerLabel])
	if state != declaredLive {
		return claim{}
	}
	return claim{
		state: containerOwned, owner: c.asOwner(owner),
		reason: human.Say("its label %s names %s, which lives", ownerLabel, c.nameOf(owner, owner.PID)),
	}
}

// askNamed keeps a container that a live runner names.
func askNamed(c *correlation, k *container) claim {
	for _, r := range k.named {
		if r.gone {
			continue
		}
		found := claim{state: containerOwned, owner: c.ownerOfRunner(r)}
		found.reason = human.Say("its docker %s %d lives", r.line.Command, r.PID)
		switch r.line.Command {
		case "run":
			found.runner, found.exact = r, c.isCreator(r, k)
		case "exec":
			found.reason = human.Say("docker exec %d lives, and has a process in it", r.PID)
		}
		return found
	}
	return claim{}
}

// askUnreadable keeps a container whose runner was known, still lives, and cannot be recognised
// now because its arguments cannot be read. A runner that can be read is asked by the other
// witnesses.
func askUnreadable(c *correlation, k *container) claim {
	for _, id := range k.past.list() {
		if n := c.byPID[id.PID]; c.lives(id) && n.docker == nil && !c.isGone(n) {
			return claim{
				state: containerOwned, owner: k.last.owner,
				reason: human.Say("process %d, which was seen to be its docker run, lives", n.PID),
			}
		}
	}
	return claim{}
}

// askAssignment keeps a container that a live runner has or may have. If every largest
// assignment gives it to one that lives, it is in use; else that is ambiguous.
func askAssignment(c *correlation, k *container) claim {
	live, gone := c.mayHave(&k.thing)
	if len(live) == 0 {
		return claim{}
	}
	owner, same := c.commonOwner(live)
	found := claim{state: containerOwned, owner: owner}
	isSure := k.band != nil || c.strangerOf(k).IsZero() && !slices.ContainsFunc(live, func(r *runner) bool { return !r.sure && r.State != "T" })
	if len(live) > 1 && !(k.needed && len(gone) == 0) || !isSure {
		found.owner = Owner{Liveness: LivenessLive}
	}
	switch {
	case k.needed && len(gone) == 0 && !isSure:
		found.reason = human.Say("docker run %d lives, which may have it", live[0].PID)
	case k.needed && len(gone) == 0:
		found.deduced = k.band == nil && same && (len(live) > 1 || live[0].State == "T" || k.loose)
		c.sayRunner(k, &found, live)
	case k.Stdin == inventory.PeerOpen:
		found.reason = human.Say("its stdin is held: somebody is attached to it")
	default:
		found.state = containerAmbiguous
		found.doubt = human.Say("it could be that of any of %s", human.Mark(human.Count(len(live), "live docker run")))
		found.reason = human.Say("there are fewer live docker runs than containers like this one: which is whose cannot be told").Then(k.stdinWords())
	}
	return found
}

// sayRunner says which of the runners that live has a container that one of them certainly has.
func (c *correlation) sayRunner(k *container, found *claim, live []*runner) {
	switch {
	case len(live) > 1:
		found.reason = human.Say("there is a live docker run for every container like this one: one of them is its")
	case found.deduced:
		found.reason = human.Say("docker run %d lives, and no other could have it", live[0].PID)
	default:
		found.exact, found.runner, found.reason = k.band != nil, live[0], human.Say("its docker run %d lives", live[0].PID)
	}
}

func askPurpose(c *correlation, k *container) claim {
	switch by := c.lentTo(k); {
	case by != nil:
		return untold("container %s runs in its namespaces, and stays", human.Mark(by.Handle()))
	case c.isCalled(k):
		return untold("it listens: somebody may use it there")
	case k.TTY.Or(false):
		return untold("it has a terminal: somebody may attach to it again")
	case k.Publishes.Or(false):
		return untold("it publishes a port: somebody may use it there")
	case k.Restarts.Or(false):
		return untold("its engine starts it again whenever it ends: somebody wants it to run")
	}
	return claim{}
}

// lentTo is a container that runs in a namespace of this one and is no orphan: it ends, or is cut
// off, with this one. nil is none.
func (c *correlation) lentTo(k *container) *container {
	return first(c.held, func(other *container) bool {
		if other == k || !other.Running() || other.Engine != k.Engine || !slices.ContainsFunc(other.Joins, k.isMeant) {
			return false
		}
		c.decide(other)
		return other.state != containerOrphaned
	})
}

// isMeant reports a container that an engine's word for a namespace names.
func (k *container) isMeant(word string) bool {
	name, isContainer := strings.CutPrefix(word, "container:")
	return isContainer && (name == k.Called() || name != "" && strings.HasPrefix(k.ID, name))
}

// isCalled reports a container in which somebody is connected to what listens, or may call it: it
// serves no stdin, or everybody on the host reaches it. What cannot be read may listen.
func (c *correlation) isCalled(k *container) bool {
	isOpen := !k.OpenStdin.Or(true) || slices.Contains(k.Joins, "host")
	return slices.ContainsFunc(c.inside(k.ID), func(p *inventory.Process) bool {
		return p.Connections.Or(0) > 0 || isOpen && (p.Listening.Or(false) || p.Listening.IsUnreadable())
	})
}

// askExecuted keeps a container in which somebody executes something.
func askExecuted(c *correlation, k *container) claim {
	for _, pid := range k.ExecPIDs {
		n := c.byPID[pid]
		if n == nil || n.Alive() && !(n.tree != nil && !n.tree.live) {
			return untold("process %d in it was started by docker exec, or over the engine's API, and runs", pid)
		}
	}
	return claim{}
}

// askHiddenUsers keeps a container whose runner may live without being recognised, or without
// its container being found.
func askHiddenUsers(c *correlation, k *container) claim {
	declared, labelled := k.Labels[ownerLabel]
	if _, state := c.declaredState(declared); labelled && state == declaredUntold {
		return untoldUser(k, human.Say("its label %s=%q names an owner that cannot be judged from here", ownerLabel, human.Mark(declared)))
	}
	if n := c.unread; n != nil {
		return untoldUser(k, human.Say("the arguments of %s, which lives, could not be read", c.nameOf(n, n.PID)))
	}
	for _, r := range c.strays {
		if c.hasToHave(r) || r.line.Command != "run" || order(r, &k.thing) <= 0 {
			if r.own == nil && (r.line.Image == "" || !r.image.Differs(k.image)) {
				why := human.Say("docker %s %d lives, and which container is its cannot be told", r.line.Command, r.PID)
				return claim{state: containerAmbiguous, doubt: why, reason: why.Then(k.stdinWords())}
			}
		}
	}
	if n := c.carrier; n != nil {
		why := human.Say("docker system dial-stdio %d lives, and for which container somebody on another host speaks through it cannot be told", n.PID)
		return claim{state: containerAmbiguous, doubt: why, reason: why.Then(k.stdinWords())}
	}
	return claim{}
}

func untoldUser(k *container, why human.Sentence) claim {
	return untold("no docker run of it is to be seen, but %v%v", why, k.stdinWords())
}

// askOwnStdin keeps a container whose stdin somebody holds: whoever that is, is attached. A runner
// that is gone may hold it and keep nobody.
func askOwnStdin(c *correlation, k *container) claim {
	if k.Stdin != inventory.PeerOpen || c.isHeldByGone(k) {
		return claim{}
	}
	return claim{
		state: containerOwned, owner: Owner{Kind: OwnerProcess, Liveness: LivenessLive},
		reason: human.Say("its stdin is held: somebody is attached to it, who is not to be seen from here"),
	}
}

// isHeldByGone reports that a runner which is gone holds the container's stdin: the container is
// certainly its, or every client of the engine is known and an assignment gives it to no other;
// somebody else has the other end of the runner's own stdin; and no stranger is connected.
func (c *correlation) isHeldByGone(k *container) bool {
	by := c.creators(k)
	if k.band != nil || k.needed && c.seesClients(k.Container) {
		_, gone := c.mayHave(&k.thing)
		by = append(by, gone...)
	}
	return slices.ContainsFunc(by, (*runner).hasOpenStdin) && c.strangerOf(k).IsZero()
}

// creators are the runners that made a container, by the names that they give it.
func (c *correlation) creators(k *container) []*runner {
	return slices.DeleteFunc(slices.Clone(k.named), func(r *runner) bool { return !c.isCreator(r, k) })
}

// askRunner: the runner that made the container is gone. It has exited, or it runs and nobody
// uses it. Where its stdin cannot be told, a stranger may have attached to it as well.
func askRunner(c *correlation, k *container) claim {
	if isTold := k.Stdin == inventory.PeerClosed || k.Stdin == inventory.PeerOpen; !isTold && !c.strangerOf(k).IsZero() {
		return claim{}
	}
	for _, r := range c.creators(k) {
		return claim{
			gone: true, owner: formerOwner(r), runner: r, exact: true, doubt: letGoByStranger(r),
			reason: human.Say("nobody is behind its docker run %d any more", r.PID),
		}
	}
	if _, gone := c.mayHave(&k.thing); k.band != nil && len(gone) > 0 {
		found := claim{gone: true, reason: human.Say("nobody is behind any docker run that could be its")}
		if len(gone) == 1 {
			found.exact, found.reason = true, human.Say("nobody is behind its docker run %d any more", gone[0].PID)
		}
		found.owner, found.doubt = ownerOfClosing(gone)
		return found
	}
	if k.past == nil || slices.ContainsFunc(k.past.ids, c.mayLive) {
		return claim{}
	}
	return claim{
		gone: true, owner: c.leftBy(k.last.owner), exact: k.last.exact, deduced: k.last.deduced,
		reason: human.Say("its docker run %d is gone", k.past.ids[0].PID),
	}
}

// ownerOfClosing is the owner of what gone runners had: that of the youngest which is only
// disconnected, because it may be about to stop its container. doubt is why an orphan is kept
// beside one that an unknown program has let go of.
func ownerOfClosing(gone []*runner) (owner Owner, doubt human.Sentence) {
	for _, r := range gone {
		if owner == (Owner{}) || r.tree.finding == FindingDisconnected {
			owner = formerOwner(r)
		}
		if doubt.IsZero() {
			doubt = letGoByStranger(r)
		}
	}
	return owner, doubt
}

// letGoByStranger is why a container is kept if its runner is disconnected from an
// owner that is no session or gateway: we do not know what a person or an unknown
// program intends. Zero for any other runner.
func letGoByStranger(r *runner) human.Sentence {
	if r.tree.finding != FindingDisconnected || r.tree.owner.Recognised() {
		return human.Sentence{}
	}
	return human.Say("its docker run %d is below process %d, which lives and is no session", r.PID, r.tree.owner.ID.PID)
}

// askEngine asks whether anybody may be attached to a container of which no runner is
// known: a stranger keeps it. That nobody is proves nothing where not every runner, or not every
// connection, can be seen.
func askEngine(c *correlation, k *container) claim {
	if !c.seesClients(k.Container) {
		return claim{}
	}
	if stranger := c.strangerOf(k); !stranger.IsZero() && len(k.claims) == 0 {
		return claim{state: containerAmbiguous, doubt: stranger.Says, stranger: stranger, reason: stranger.Says.Then(k.stdinWords())}
	}
	_, gone := c.mayHave(&k.thing)
	if isKnown := k.needed && len(gone) > 0 || !k.last.runner.IsZero(); !k.OpenStdin.Or(true) && len(k.claims) == 0 && !isKnown {
		return untold("it has no stdin, and no docker run of it was seen: it may have been started detached")
	}
	found := claim{alone: true, reason: human.Say("nobody alive is behind any docker run that could be its")}
	if len(gone) > 0 {
		found.owner, found.doubt = ownerOfClosing(gone)
	}
	if found.owner == (Owner{}) {
		found.owner, found.deduced = c.leftBy(k.last.owner), k.last.deduced
	}
	return found
}

// seesClients reports that everybody who is connected to a container's engine is known: all runners are in
// the table, and all connections were read.
func (c *correlation) seesClients(k *inventory.Container) bool {
	_, known := c.docker.Connections(k)
	return known && c.readable && c.docker.SeesRunnersOf(k) && c.unseenDoor(k) == nil
}

// unproven is why nothing condemns a container although nothing keeps it.
func (c *correlation) unproven(k *container) claim {
	found := untold("no docker run of it is to be seen, but not every client of this engine can be seen from here")
	if door := c.unseenDoor(k.Container); door != nil {
		found.stranger = Stranger{human.Say("container %s has the engine's socket, and whom it serves cannot be seen from here", human.Mark(door.Handle())), trusts(door)}
		found.reason = human.Say("no docker run of it is to be seen, but %v", found.stranger.Says)
	}
	found.reason = found.reason.Then(k.stdinWords())
	return found
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
func (k *container) stdinSeen() human.Sentence {
	switch k.Stdin {
	case inventory.PeerClosed:
		return human.Say("; nobody holds its stdin")
	case inventory.PeerOpen:
		return human.Say("; its stdin is held")
	}
	return human.Sentence{}
}

// stdinLeft is stdinSeen where whoever holds the stdin is a docker run that nobody is behind.
func (k *container) stdinLeft() human.Sentence {
	if k.Stdin == inventory.PeerOpen {
		return human.Say("; only a docker run that is left over holds its stdin")
	}
	return k.stdinSeen()
}

// stdinWords is stdinSeen and, if nothing is known, what would decide about the container.
func (k *container) stdinWords() human.Sentence {
	if seen := k.stdinSeen(); !seen.IsZero() || !k.OpenStdin.Or(true) {
		return seen
	}
	return human.Say("; whether anybody holds its stdin could not be told (root on the engine's own Linux host can tell)")
}
