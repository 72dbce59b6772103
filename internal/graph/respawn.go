package graph

import (
	"fmt"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

// This file counts the servers that a gateway or a session starts again after they were reaped below
// it. A gateway that does so gets a finding, and of a session nothing more is ended that it uses.

// respawnWindow is how soon after a reaping a new copy must start to count as started again.
const respawnWindow = time.Minute

// leastRestarts is how many servers a session must have started again to be one that ending
// its servers does not help.
const leastRestarts = 2

// ReapedMemory is how long a copy that was started again counts, and how long callers must
// hand in what was reaped.
const ReapedMemory = 10 * time.Minute

// Reaped is one server or container that was reaped below a live gateway or session.
type Reaped struct {
	Owner  inventory.ID
	Target string // the target's id
	Name   string // and its name
	// From is the look before the act, Until the end of the act: the target went
	// between them.
	From, Until time.Time
}

// respawns are the copies that were started again, by their ids. A copy still counts after
// it has ended or was reaped itself.
type respawns map[string]respawn

// respawn says who started a copy, for which reaped target, and when that was noticed.
type respawn struct {
	owner  inventory.ID
	reaped string
	at     inventory.Moment
}

// next keeps the copies that still count at a moment, and adds at most one for each reaping.
func (r respawns) next(now inventory.Moment, reapings []Reaped, targets []*Target) respawns {
	next, answered := respawns{}, map[string]bool{}
	for id, copied := range r {
		if now.Since(copied.at) <= ReapedMemory {
			next[id] = copied
			answered[copied.reaped] = true
		}
	}
	for _, reaped := range reapings {
		i := slices.IndexFunc(targets, func(t *Target) bool {
			_, counted := next[t.ID]
			return !counted && reaped.isStartedAgain(t)
		})
		if i >= 0 && !answered[reaped.Target] {
			next[targets[i].ID] = respawn{owner: reaped.Owner, reaped: reaped.Target, at: now}
		}
	}
	return next
}

// isStartedAgain reports a younger server of the same name that started within the window.
func (r Reaped) isStartedAgain(t *Target) bool {
	return t.Container == nil && t.Owner.ID == r.Owner && t.Name == r.Name &&
		startOf(t).After(r.From) && !startOf(t).After(r.Until.Add(respawnWindow))
}

// of counts the copies that an owner has started.
func (r respawns) of(owner inventory.ID) (n int) {
	for _, copied := range r {
		if copied.owner == owner {
			n++
		}
	}
	return n
}

// brakeOf is why ending more below an owner does not help: it has started again most of what was
// lately reaped there; "" if it has not.
func (r respawns) brakeOf(owner inventory.ID, reapings []Reaped) string {
	of, again := 0, r.of(owner)
	for _, reaped := range reapings {
		if reaped.Owner == owner {
			of++
		}
	}
	if again < leastRestarts || 2*again < of {
		return ""
	}
	return fmt.Sprintf("started %d of the %d servers again that were ended below it, so ending more does not help", again, of)
}

// countRespawns counts who started again what was reaped below it.
func (c *correlation) countRespawns() {
	c.respawns = c.past.respawns.next(c.snapshot.Moment(), c.options.Reaped, c.targets)
	for _, target := range c.targets {
		if target.Kind != KindGateway {
			continue
		}
		target.Respawns = c.respawns.of(target.Root.ID())
		if target.Finding == FindingNone && target.Respawns >= c.options.RespawnsOver {
			target.Finding = FindingRespawning
			text := fmt.Sprintf("it started %d of what was reaped from it again within a minute", target.Respawns)
			target.Evidence = append(target.Evidence, Evidence{Check: CheckActivity, Says: SaysSilent, Proof: true, Text: text})
		}
	}
	c.brakes = map[inventory.ID]string{}
	for owner, why := range c.past.brakes {
		if c.lives(owner) {
			c.brakes[owner] = why
		}
	}
	for _, reaped := range c.options.Reaped {
		if why := c.respawns.brakeOf(reaped.Owner, c.options.Reaped); why != "" && c.lives(reaped.Owner) {
			c.brakes[reaped.Owner] = why
		}
	}
}

// guardRestarts keeps what a session would start again. A gateway that does so is ended
// itself.
func (c *correlation) guardRestarts(target *Target) {
	if owner := c.byPID[target.Owner.ID.PID]; owner != nil && owner.class.NoRestart && target.Finding == FindingDuplicate {
		target.veto(GuardRestarts, "%v does not start a server again that has ended", target.Owner.Named())
	}
	isUsed := target.Finding == FindingDuplicate || target.Finding == FindingDisconnected || target.Finding == FindingZombies
	if why := c.brakes[target.Owner.ID]; why != "" && isUsed && target.Owner.Kind == OwnerSession {
		target.veto(GuardRestarts, "%v "+why, target.Owner.Named())
	}
}
