package graph

import (
	"slices"
	"strings"
	"time"

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

func (c *correlation) tieToGateway(target *Target) {
	if target.Owner.Kind != OwnerGateway {
		return
	}
	for _, gateway := range c.targets {
		if gateway.ID == target.Owner.ID.String() {
			gateway.Below = append(gateway.Below, target.ID)
		}
	}
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
	if a.Root.Start != b.Root.Start {
		if a.Root.Start > b.Root.Start {
			return -1
		}
		return 1
	}
	return b.Root.PID - a.Root.PID
}

// generationKey is equal for two copies of one server: owner, whole argv, cwd.
func generationKey(target *Target) string {
	if target.Kind != KindServer || target.Owner.Liveness != LivenessLive || !target.Owner.Recognised() || len(target.Root.Args()) == 0 {
		return ""
	}
	return strings.Join(append([]string{target.Owner.ID.String(), target.Root.Cwd}, target.Root.Args()...), "\x00")
}

// isIdle reports no CPU and no I/O since the look before; without one, or where
// either could not be read, it is not known to be idle.
func (c *correlation) isIdle(target *Target) bool {
	use, past := useOfTree(target), c.past.targets[c.keyOf(target)]
	return past.looks > 0 && past.members == use.members && use.ioKnown && past.ioKnown && past.io == use.io &&
		use.cpu-past.cpu <= idleCPU*c.snapshot.Moment().Since(past.seen).Seconds()
}

// use is what a tree has used so far.
type use struct {
	members int
	cpu     float64 // seconds
	io      uint64  // characters read and written
	ioKnown bool
}

func useOfTree(target *Target) use {
	u := use{members: len(target.Members), ioKnown: len(target.Members) > 0}
	for _, member := range target.Members {
		u.cpu += member.CPUSeconds.Or(0)
		chars, known := member.IOChars.Get()
		u.io += chars
		u.ioKnown = u.ioKnown && known && member.CPUSeconds.IsKnown()
	}
	return u
}

// keyOf is what a target's record is kept under: the tree it was first seen in,
// which outlives the loss of its wrapper.
func (c *correlation) keyOf(target *Target) string {
	if target.Root == nil {
		return target.ID
	}
	for _, u := range c.trees {
		if u.target == target {
			return u.key().String()
		}
	}
	return target.ID
}

func (u *unit) key() inventory.ID {
	for _, member := range u.members {
		if !member.memory.lineage.IsZero() {
			return member.memory.lineage
		}
	}
	return u.root.ID()
}

// applyRecord continues a target's history, or begins it anew where its finding
// is another than before.
func (c *correlation) applyRecord(target *Target) {
	now := c.snapshot.Moment()
	key := c.keyOf(target)
	if _, taken := c.records[key]; taken {
		key = target.ID
	}
	past := c.past.targets[key]
	next := record{condition: target.Finding, since: now, looks: 1, seen: now, idleSince: now}
	if past.condition == target.Finding && past.looks > 0 {
		next.since, next.looks = past.since, past.looks+1
	}
	next.used = target.InUse
	c.measureUse(target, past, &next)
	if !c.readable { // no witness at all
		next.condition, next.looks = FindingNone, 0
	}
	target.Looks = next.looks
	if target.Finding != FindingNone {
		target.Since, target.Held = next.since.At, now.Since(next.since)
	}
	c.records[key] = next
}

// measureUse compares what the tree has used with the look before.
func (c *correlation) measureUse(target *Target, past record, next *record) {
	if target.Root == nil {
		return
	}
	u := useOfTree(target)
	next.members, next.cpu, next.io, next.ioKnown = u.members, u.cpu, u.io, u.ioKnown
	if past.looks == 0 || past.members != u.members {
		return
	}
	elapsed := next.seen.Since(past.seen)
	if elapsed > 0 {
		target.CPUPercent = inventory.Known(max(0, 100*(u.cpu-past.cpu)/elapsed.Seconds()))
	}
	if !u.ioKnown || !past.ioKnown {
		return
	}
	if c.isIdle(target) {
		next.idleSince = past.idleSince
	}
	target.Idle = inventory.Known(next.seen.Since(next.idleSince).Round(time.Millisecond))
}
