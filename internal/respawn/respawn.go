// Package respawn counts the servers that a gateway starts again after they were reaped
// from it. It is pure.
package respawn

import (
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

// window is how soon after a reaping a new copy must start to count as started again.
const window = time.Minute

// Memory is how long a copy that was started again counts, and how long callers must
// hand in what was reaped.
const Memory = 10 * time.Minute

// Reaped is one server or container that was reaped from a gateway.
type Reaped struct {
	Gateway inventory.ID
	Target  string // the target's id
	Name    string // and its name
	// From is the look before the act, Until the end of the act: the target went
	// between them.
	From, Until time.Time
}

// Server is one server of a gateway that runs now.
type Server struct {
	ID, Name string
	Gateway  inventory.ID
	Began    time.Time
}

// Copies are the copies that gateways have started again, by their ids. A copy still
// counts after it has ended or was reaped itself.
type Copies map[string]replacement

// replacement says which gateway started a copy, for which reaped target, and when that
// was noticed.
type replacement struct {
	gateway inventory.ID
	reaped  string
	at      inventory.Moment
}

// Next keeps the copies that still count at a moment, and adds at most one for each
// reaping: a younger server of the same name that started within the window.
func (c Copies) Next(now inventory.Moment, reapings []Reaped, servers []Server) Copies {
	next, answered := Copies{}, map[string]bool{}
	for id, copied := range c {
		if now.Since(copied.at) <= Memory {
			next[id] = copied
			answered[copied.reaped] = true
		}
	}
	for _, reaped := range reapings {
		if answered[reaped.Target] {
			continue
		}
		if id := next.startedAgain(reaped, servers); id != "" {
			next[id] = replacement{gateway: reaped.Gateway, reaped: reaped.Target, at: now}
		}
	}
	return next
}

// startedAgain is the id of a server that replaces the reaped one and counts for no
// other reaping; "" if there is none.
func (c Copies) startedAgain(reaped Reaped, servers []Server) string {
	for _, server := range servers {
		_, counted := c[server.ID]
		if counted || server.Gateway != reaped.Gateway || server.Name != reaped.Name {
			continue
		}
		if server.Began.After(reaped.From) && !server.Began.After(reaped.Until.Add(window)) {
			return server.ID
		}
	}
	return ""
}

// Of counts the copies that a gateway has started.
func (c Copies) Of(gateway inventory.ID) int {
	n := 0
	for _, copied := range c {
		if copied.gateway == gateway {
			n++
		}
	}
	return n
}
