package graph

import (
	"fmt"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/respawn"
)

// countRespawns counts who started again what was reaped below it (package respawn): a
// gateway that does gets a finding, and of a session nothing more is ended that it uses.
func (c *correlation) countRespawns() {
	c.respawns = c.past.respawns.Next(c.snapshot.Moment(), c.options.Reaped, c.runningServers())
	for _, target := range c.targets {
		if target.Kind != KindGateway {
			continue
		}
		target.Respawns = c.respawns.Of(target.Root.ID())
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
		if again, of, most := c.respawns.Restarts(reaped.Owner, c.options.Reaped); most && c.lives(reaped.Owner) {
			c.brakes[reaped.Owner] = fmt.Sprintf("started %d of the %d servers again that were ended below it, so ending more does not help", again, of)
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

// runningServers are the servers among which respawns are searched; nil if nothing was
// reaped.
func (c *correlation) runningServers() []respawn.Server {
	var servers []respawn.Server
	for _, t := range c.targets {
		if len(c.options.Reaped) > 0 && t.Kind != KindContainer {
			servers = append(servers, respawn.Server{ID: t.ID, Name: t.Name, Owner: t.Owner.ID, Began: startOf(t)})
		}
	}
	return servers
}
