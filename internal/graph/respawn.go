package graph

import (
	"fmt"

	"github.com/reaperd/reaperd/internal/respawn"
)

// countRespawns counts for each gateway how many of the servers reaped from it came
// back (package respawn).
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
}

// runningServers are the servers among which respawns are searched; nil if nothing was
// reaped.
func (c *correlation) runningServers() []respawn.Server {
	var servers []respawn.Server
	for _, t := range c.targets {
		if len(c.options.Reaped) > 0 && t.Kind != KindContainer {
			servers = append(servers, respawn.Server{ID: t.ID, Name: t.Name, Gateway: t.Owner.ID, Began: startOf(t)})
		}
	}
	return servers
}
