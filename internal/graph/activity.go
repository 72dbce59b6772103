package graph

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/sentence"
)

// countZombies ties each target to its gateway, and gives the finding zombies to
// parents that have left too many children unwaited.
func (c *correlation) countZombies() {
	for _, target := range c.targets {
		if target.Kind == KindContainer {
			continue
		}
		c.tieToGateway(target)
		if target.Finding == FindingNone && target.Zombies >= c.options.ZombiesOver {
			target.Finding = FindingZombies
			target.Evidence = append(target.Evidence, Evidence{Check: CheckZombies, Says: SaysSilent, Proof: true,
				Text: human.Count(target.Zombies, "child") + " of it exited and were never waited for"})
		}
	}
}

// tieToGateway lists a target below its gateway: the live gateway that owns it or, if
// it has no live owner, the gateway above it in the process table, which is leaked
// too. What a leaked gateway has a pipe to, and maybe somebody unseen as well, is listed
// too: it keeps the gateway ([correlation.usedBelow]).
func (c *correlation) tieToGateway(target *Target) {
	var gateway *tree
	switch n := target.nodes[0]; {
	case target.Owner.Kind == OwnerGateway && c.lives(target.Owner.ID):
		gateway = c.byPID[target.Owner.ID.PID].tree
	case target.Owner.IsUnseen():
		gateway = n.tree.leakedHolder()
	case target.Owner.Liveness != LivenessLive:
		if at := ancestor(n, func(at *node) bool { return at.tree != nil && at.tree != n.tree && at.tree.gateway }); at != nil {
			gateway = at.tree
		}
	}
	if gateway != nil {
		gateway.target.Below = append(gateway.target.Below, target.ID)
	}
}

func (c *correlation) countZombiesOf(target *Target) {
	for _, member := range target.nodes {
		target.Zombies += len(member.dead)
	}
}

// rankGenerations numbers the copies of one server that one owner has, the newest
// first. An older copy that is still connected and is idle since the look before gets
// the finding duplicate.
func (c *correlation) rankGenerations() {
	groups := map[string][]*Target{}
	for _, target := range c.targets {
		if key := generationKey(target); key != "" {
			groups[key] = append(groups[key], target)
		}
	}
	for _, copies := range groups {
		if len(copies) < 2 {
			continue
		}
		slices.SortStableFunc(copies, newerFirst)
		for i, target := range copies {
			target.Generation, target.newest = i+1, copies[0]
			if i > 0 && target.Finding == FindingNone && c.isIdle(target) && c.hasWorkedSince(copies[0], target) {
				target.Finding = FindingDuplicate
			}
		}
	}
}

// together is how long apart two copies may start that a client starts at once, to use one of
// them.
const together = 10 * time.Second

// hasWorkedSince reports that the newer copy was started or used when the older one was no
// more used: else the older may be the one that its client uses, and the newer a spare.
func (c *correlation) hasWorkedSince(newer, older *Target) bool {
	its := c.pastOf(newer).usage
	worked := !c.isIdle(newer) || !its.AtLeast() && its.IdleSince().Since(c.pastOf(older).usage.IdleSince()) > 0
	return worked || startOf(newer).Sub(startOf(older)) > together
}

// olderCopy is the evidence that a target is a duplicate: the newest copy, and for how long
// this one has done nothing.
func olderCopy(target *Target, since time.Time) Evidence {
	e := evidenceOf(CheckActivity, SaysSilent, sentence.Of("a newer copy, %s, serves the same owner, and this one has done nothing for %s",
		sentence.Mark(target.newest.Handle()), sentence.Mark(human.Span(target.Idle.Or(0)))))
	e.Proof, e.Since = true, since
	return e
}

func newerFirst(a, b *Target) int { return ByStart(b, a) }

// ByStart compares by start, the oldest first; of processes as [inventory.ByStart].
func ByStart(a, b *Target) int {
	if a.Root != nil && b.Root != nil && a.Container == nil && b.Container == nil {
		return inventory.ByStart(a.Root.ID(), b.Root.ID())
	}
	return cmp.Or(startOf(a).Compare(startOf(b)), strings.Compare(a.ID, b.ID))
}

// generationKey is equal for two copies of one server (owner, whole argv, working
// directory) and for two of one container (owner, image, name). The runner of a
// container has no key: it ends with its container.
func generationKey(target *Target) string {
	if target.Owner.Liveness != LivenessLive || !target.Owner.Recognised() || target.Deduced {
		return ""
	}
	owner := target.Owner.ID.String()
	switch {
	case target.Container != nil && !target.Incidental && target.Container.Running():
		return strings.Join([]string{owner, target.Container.Image, target.Name}, "\x00")
	case target.Kind == KindServer && len(target.Root.Args()) > 0 && !runsContainer(target):
		return strings.Join(append([]string{owner, target.Root.Cwd, target.Root.ArgvHash}, target.Root.Args()...), "\x00")
	}
	return ""
}

// runsContainer reports a tree that is the runner of a container.
func runsContainer(target *Target) bool {
	return slices.ContainsFunc(target.nodes, func(n *node) bool {
		return n.docker != nil && n.docker.Command == "run" && n.docker.PassesStdin()
	})
}

// isIdle reports a target that is idle since the look before ([history.IsIdle]).
func (c *correlation) isIdle(target *Target) bool {
	return c.pastOf(target).usage.IsIdle(target.used, c.snapshot.Moment())
}

// inside are the processes in a container, as far as they can be seen from here.
func (c *correlation) inside(id string) []*inventory.Process {
	var inside []*inventory.Process
	for _, n := range c.inContainers[id] {
		inside = append(inside, n.Process)
	}
	return inside
}

// recordOf is the record of the target that these processes were part of at the look
// before: the first one's that has one. Every process carries its target's record, so
// the record survives the exit of the root and of any wrapper.
func recordOf(members []*node) record {
	if member := first(members, func(n *node) bool { return n.memory.record != nil }); member != nil {
		return *member.memory.record
	}
	return record{}
}

// pastOf is the record of a target at the look before.
func (c *correlation) pastOf(target *Target) record {
	past := recordOf(target.nodes)
	if target.Container != nil {
		past = c.past.targets[target.ID]
	}
	if past.looks == 0 { // that look saw nothing
		return record{}
	}
	return past
}

// applyRecord continues a target's history, or begins it again if its finding has
// changed.
func (c *correlation) applyRecord(target *Target) {
	now, past := c.snapshot.Moment(), c.pastOf(target)
	next := record{condition: target.Finding, since: now, looks: 1, evidence: target.Evidence, usage: past.usage.Next(target.used, now)}
	switch {
	case past.looks > 0 && past.condition == target.Finding:
		next.since, next.looks = past.since, past.looks+1
	case !past.usedAt.At.IsZero(): // since then nobody has used it
		next.since = past.usedAt
	}
	c.dateEvidence(target, past)
	target.Idle, target.CPUPercent, target.Samples = next.usage.Idle, next.usage.CPUPercent, next.usage.Samples
	if target.Finding == FindingDuplicate && next.looks == 1 { // two looks were needed to see that it is idle
		next.since, next.looks = next.usage.IdleSince(), 2
	}
	if target.Finding == FindingDuplicate {
		target.Evidence = append(target.Evidence, olderCopy(target, next.usage.IdleSince().At))
	}
	if !c.readable { // this look saw nothing
		next.condition, next.looks, next.usage = FindingNone, 0, history{}
	}
	target.Looks = next.looks
	target.Held = now.Since(next.since)
	if target.Finding != FindingNone {
		target.Since = next.since.At
	}
	if target.Owner.Liveness == LivenessGone {
		next.ownerGone = past.ownerGone
		if next.ownerGone.IsZero() {
			next.ownerGone = now.At
		}
		target.Owner.Since = next.ownerGone
	}
	c.keepRecord(target, next)
}

func (c *correlation) keepRecord(target *Target, next record) {
	if target.Container != nil {
		c.records[target.ID] = next
		return
	}
	if tree := target.nodes[0].tree; tree != nil {
		next.usedAt = c.lastUse(tree)
	}
	for _, n := range target.nodes {
		n.record = &next
	}
}

// lastUse is when what a tree listens on was last used while its stdio was closed.
func (c *correlation) lastUse(t *tree) inventory.Moment {
	isConnected := slices.ContainsFunc(t.members, func(n *node) bool { return n.Connections.Or(0) > 0 })
	switch {
	case !c.isClosed(c.endOf(t.holds, t.root.Stdin)):
		return inventory.Moment{}
	case isConnected:
		return c.snapshot.Moment()
	}
	return t.past.usedAt
}

// dateEvidence dates each line of evidence that has no date of its own: with the
// first of the looks in a row in which its check said the same.
func (c *correlation) dateEvidence(target *Target, past record) {
	for i := range target.Evidence {
		e := &target.Evidence[i]
		if !e.Since.IsZero() {
			continue
		}
		e.Since = c.snapshot.TakenAt
		before := slices.IndexFunc(past.evidence, func(p Evidence) bool { return p.Check == e.Check && p.Says == e.Says })
		if before >= 0 {
			e.Since = past.evidence[before].Since
		}
	}
}
