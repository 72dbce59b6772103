package graph

import (
	"fmt"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

// respawnWindow is how soon after a reaping a new copy must start to count as started
// again.
const respawnWindow = time.Minute

// RespawnMemory is how long a copy that was started again counts, and how long
// callers must hand in what was reaped.
const RespawnMemory = 10 * time.Minute

// Reaped is one server or container that was reaped from a gateway.
type Reaped struct {
	Gateway inventory.ID
	Target  string // the target's id
	Name    string // and its name
	// From is the look before the act, Until the end of the act: the target went
	// between them.
	From, Until time.Time
}

// respawn is one copy that a gateway started again. It still counts after it has
// ended or was reaped itself.
type respawn struct {
	gateway inventory.ID
	reaped  string // the target that it replaces
	at      inventory.Moment
}

// countRespawns counts for each gateway how many of the servers reaped from it came
// back: for each reaping, one younger copy of the same name that started within the
// window.
func (c *correlation) countRespawns() {
	c.findRespawns()
	for _, target := range c.targets {
		if target.Kind != KindGateway {
			continue
		}
		for _, again := range c.respawns {
			if again.gateway == target.Root.ID() {
				target.Respawns++
			}
		}
		if target.Finding == FindingNone && target.Respawns >= c.options.RespawnsOver {
			target.Finding = FindingRespawning
			text := fmt.Sprintf("it started %d of what was reaped from it again within a minute", target.Respawns)
			target.Evidence = append(target.Evidence, Evidence{Check: CheckActivity, Says: SaysSilent, Proof: true, Text: text})
		}
	}
}

// findRespawns keeps the respawns counted before and adds new ones.
func (c *correlation) findRespawns() {
	c.respawns = map[string]respawn{}
	answered := map[string]bool{}
	now := c.snapshot.Moment()
	for copy, again := range c.past.respawns {
		if now.Since(again.at) <= RespawnMemory {
			c.respawns[copy] = again
			answered[again.reaped] = true
		}
	}
	for _, reaped := range c.options.Reaped {
		if answered[reaped.Target] {
			continue
		}
		if copy := c.startedAgain(reaped); copy != "" {
			c.respawns[copy] = respawn{gateway: reaped.Gateway, reaped: reaped.Target, at: now}
		}
	}
}

// startedAgain is the id of a copy that counts for this reaping and for no other; ""
// if there is none.
func (c *correlation) startedAgain(reaped Reaped) string {
	for _, target := range c.targets {
		_, counted := c.respawns[target.ID]
		if counted || target.Kind == KindContainer || target.Owner.ID != reaped.Gateway || target.Name != reaped.Name {
			continue
		}
		if began := startOf(target); began.After(reaped.From) && !began.After(reaped.Until.Add(respawnWindow)) {
			return target.ID
		}
	}
	return ""
}
