package graph

import (
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/dockercli"
	"github.com/reaperd/reaperd/internal/inventory"
)

// idleCPU is the share of a core below which a process counts as using none:
// the timers of an idle runtime.
const idleCPU = 0.001

// countZombies ties gateways to the targets below them and marks those that
// leave too many children unwaited.
func (c *correlation) countZombies() {
	for _, target := range c.targets {
		if target.Kind == KindContainer {
			continue
		}
		c.tieToGateway(target)
		if target.Finding == FindingNone && target.Zombies >= c.options.ZombiesOver {
			target.Finding = FindingZombies
			target.Evidence = append(target.Evidence, Evidence{Check: CheckZombies, Says: SaysSilent, Proof: true,
				Text: count(target.Zombies, "child") + " of it ended and were never waited for"})
		}
	}
}

// tieToGateway puts a target below its gateway: the one that owns it, or, where
// nobody alive does, the one in whose tree it stands, which is left over itself.
func (c *correlation) tieToGateway(target *Target) {
	if target.Owner.Kind != OwnerGateway {
		if above := c.gatewayAbove(target); above != nil {
			above.Below = append(above.Below, target.ID)
		}
		return
	}
	for _, gateway := range c.targets {
		if gateway.ID == target.Owner.ID.String() {
			gateway.Below = append(gateway.Below, target.ID)
		}
	}
}

func (c *correlation) gatewayAbove(target *Target) (gateway *Target) {
	n := c.byPID[target.Root.PID]
	if n == nil || target.Owner.Liveness == LivenessLive {
		return nil
	}
	above(n, func(ancestor *node) bool {
		if t := ancestor.tree; t != nil && t != n.tree && t.gateway {
			gateway = t.target
		}
		return gateway == nil
	})
	return gateway
}

func (c *correlation) countZombiesOf(target *Target, members []*node) {
	for _, member := range members {
		for _, dead := range member.dead {
			target.Zombies++
			target.OldestZombie = max(target.OldestZombie, c.ageOf(dead.Process))
		}
	}
}

// rankGenerations counts the copies of one server that one owner has, from the
// newest, and finds those that only lie about: older, connected, and without
// CPU and I/O since the look before.
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
			target.Generation = i + 1
			if i > 0 && target.Finding == FindingNone && c.isIdle(target) {
				target.Finding = FindingDuplicate
			}
		}
	}
}

func newerFirst(a, b *Target) int {
	if order := startOf(b).Compare(startOf(a)); order != 0 {
		return order
	}
	return strings.Compare(b.ID, a.ID)
}

// generationKey is equal for two copies of one server: owner, whole argv, cwd;
// of one container: owner, image, name. A client of a container is no copy of
// its own: it ends with its container.
func generationKey(target *Target) string {
	if target.Owner.Liveness != LivenessLive || !target.Owner.Recognised() {
		return ""
	}
	owner := target.Owner.ID.String()
	switch {
	case target.Container != nil && !target.Incidental && target.Container.Running():
		return strings.Join([]string{owner, target.Container.Image, target.Name}, "\x00")
	case target.Kind == KindServer && len(target.Root.Args()) > 0 && !runsContainer(target):
		return strings.Join(append([]string{owner, target.Root.Cwd}, target.Root.Args()...), "\x00")
	}
	return ""
}

// runsContainer reports a tree that is the client of a container.
func runsContainer(target *Target) bool {
	return slices.ContainsFunc(target.Members, func(p *inventory.Process) bool {
		line, ok := dockercli.Parse(p.Args())
		return ok && line.Command == "run" && line.PassesStdin()
	})
}

// isIdle reports no CPU and no I/O since the look before; without one, or where
// either could not be read, it is not known to be idle.
func (c *correlation) isIdle(target *Target) bool {
	now, past := c.useOf(target), c.pastOf(target)
	return past.looks > 0 && past.use.members == now.members && now.ioKnown && past.use.ioKnown && past.use.io == now.io &&
		now.cpu-past.use.cpu <= idleCPU*c.snapshot.Moment().Since(past.seen).Seconds()
}

// use is what a target has used so far.
type use struct {
	members int
	cpu     float64 // seconds
	io      uint64  // characters read and written
	ioKnown bool
}

// useOf adds up what the processes of a tree, or inside a container, have used.
func (c *correlation) useOf(target *Target) use {
	members := target.Members
	if target.Container != nil {
		members = c.inside(target.ID)
	}
	u := use{members: len(members), ioKnown: len(members) > 0}
	for _, member := range members {
		u.cpu += member.CPUSeconds.Or(0)
		chars, known := member.IOChars.Get()
		u.io += chars
		u.ioKnown = u.ioKnown && known && member.CPUSeconds.IsKnown()
	}
	return u
}

// inside are the processes in a container, as far as they can be seen from here.
func (c *correlation) inside(id string) []*inventory.Process {
	var inside []*inventory.Process
	for _, n := range c.nodes {
		if n.ContainerID == id {
			inside = append(inside, n.Process)
		}
	}
	return inside
}

// recordOf is what the look before knew of the target that some processes were
// part of: that of the first that was part of one. Every process remembers its
// target's record, so that it outlives the loss of the root and of any wrapper.
func (c *correlation) recordOf(members []*node) record {
	for _, member := range members {
		if member.memory.record != nil {
			return *member.memory.record
		}
	}
	return record{}
}

// nodesOf are a target's processes.
func (c *correlation) nodesOf(target *Target) []*node {
	nodes := make([]*node, len(target.Members))
	for i, member := range target.Members {
		nodes[i] = c.byPID[member.PID]
	}
	return nodes
}

func (c *correlation) pastOf(target *Target) record {
	if target.Container != nil {
		return c.past.targets[target.ID]
	}
	return c.recordOf(c.nodesOf(target))
}

// applyRecord continues a target's history, or begins it anew where its finding
// is another than before.
func (c *correlation) applyRecord(target *Target) {
	now, past := c.snapshot.Moment(), c.pastOf(target)
	next := record{condition: target.Finding, since: now, looks: 1, seen: now, idleSince: now, evidence: target.Evidence}
	if past.condition == target.Finding && past.looks > 0 {
		next.since, next.looks = past.since, past.looks+1
	}
	c.dateEvidence(target, past)
	c.measureUse(target, past, &next)
	if target.Finding == FindingDuplicate && next.looks == 1 { // that it is idle took two looks to see
		next.since, next.looks = next.idleSince, 2
	}
	if !c.readable { // no witness at all
		next.condition, next.looks = FindingNone, 0
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
	for _, n := range c.nodesOf(target) {
		if n.tree != nil {
			next.used = n.tree.isUsed() && c.isClosed(c.endOf(n.tree.holds, n.tree.root.Stdin))
		}
		n.record = &next
	}
}

// dateEvidence says since when each line of evidence stands: since the first of
// the looks in a row that saw it so, unless the line knows better.
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

// measureUse compares what the target has used with the look before.
func (c *correlation) measureUse(target *Target, past record, next *record) {
	next.use = c.useOf(target)
	comparable := past.looks > 0 && past.use.members == next.use.members && next.use.members > 0
	next.cpu = measured(past.cpu, next.seen, next.use.cpu, comparable)
	target.CPUPercent = next.cpu.percent
	next.samples = sampled(past.samples, Sample{From: past.seen, At: next.seen, CPUPercent: target.CPUPercent.Or(-1), MemoryBytes: target.MemoryBytes})
	target.Samples = next.samples
	if !comparable || !next.use.ioKnown || !past.use.ioKnown {
		return
	}
	if c.isIdle(target) {
		next.idleSince = past.idleSince
	}
	target.Idle = inventory.Known(next.seen.Since(next.idleSince).Round(time.Millisecond))
}

// leastMeasure is the least time over which a share of a core is measured: the
// kernel counts in ticks, so two looks one behind the other say nothing.
const leastMeasure = 500 * time.Millisecond

// measured continues a measurement, or begins it anew where the target is not
// comparable with what it was.
func measured(past processor, now inventory.Moment, seconds float64, comparable bool) processor {
	if !comparable {
		return processor{from: now, seconds: seconds}
	}
	elapsed := now.Since(past.from)
	if elapsed < leastMeasure {
		return past
	}
	percent := max(0, 100*(seconds-past.seconds)/elapsed.Seconds())
	return processor{from: now, seconds: seconds, percent: inventory.Known(percent)}
}

// mostSamples bounds what is kept of a target's use.
const mostSamples = 64

// sampled adds a sample. When there are too many, two neighbours become one with
// the least of both.
func sampled(past []Sample, sample Sample) []Sample {
	samples := append(slices.Clone(past), sample)
	if len(samples) <= mostSamples {
		return samples
	}
	merged := samples[:0]
	for i := 0; i+1 < len(samples); i += 2 {
		a, b := samples[i], samples[i+1]
		merged = append(merged, Sample{From: a.From, At: a.At, CPUPercent: min(a.CPUPercent, b.CPUPercent), MemoryBytes: min(a.MemoryBytes, b.MemoryBytes)})
	}
	if len(samples)%2 == 1 {
		merged = append(merged, samples[len(samples)-1])
	}
	return merged
}
