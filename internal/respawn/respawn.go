// Package respawn counts the servers that a gateway or a session starts again after they
// were reaped below it. It is pure.
package respawn

import (
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

// window is how soon after a reaping a new copy must start to count as started again.
const window = time.Minute

// leastRestarts is how many servers a session must have started again to be one that ending
// its servers does not help.
const leastRestarts = 2

// Memory is how long a copy that was started again counts, and how long callers must
// hand in what was reaped.
const Memory = 10 * time.Minute

// Reaped is one server or container that was reaped below a live gateway or session.
type Reaped struct {
	Owner  inventory.ID
	Target string // the target's id
	Name   string // and its name
	// From is the look before the act, Until the end of the act: the target went
	// between them.
	From, Until time.Time
}

// Server is one server of a gateway or session that runs now.
type Server struct {
	ID, Name string
	Owner    inventory.ID
	Began    time.Time
}

// Copies are the copies that were started again, by their ids. A copy still counts after
// it has ended or was reaped itself.
type Copies map[string]replacement

// replacement says who started a copy, for which reaped target, and when that
// was noticed.
type replacement struct {
	owner  inventory.ID
	reaped string
	at     inventory.Moment
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
			next[id] = replacement{owner: reaped.Owner, reaped: reaped.Target, at: now}
		}
	}
	return next
}

// startedAgain is the id of a server that replaces the reaped one and counts for no
// other reaping; "" if there is none.
func (c Copies) startedAgain(reaped Reaped, servers []Server) string {
	for _, server := range servers {
		_, counted := c[server.ID]
		if counted || server.Owner != reaped.Owner || server.Name != reaped.Name {
			continue
		}
		if server.Began.After(reaped.From) && !server.Began.After(reaped.Until.Add(window)) {
			return server.ID
		}
	}
	return ""
}

// Of counts the copies that an owner has started.
func (c Copies) Of(owner inventory.ID) int {
	n := 0
	for _, copied := range c {
		if copied.owner == owner {
			n++
		}
	}
	return n
}

// Restarts reports that an owner has started again most of what was lately reaped below it:
// ending more of it does not help. again is how many, of how many.
func (c Copies) Restarts(owner inventory.ID, reapings []Reaped) (again, of int, most bool) {
	for _, reaped := range reapings {
		if reaped.Owner == owner {
			of++
		}
	}
	again = c.Of(owner)
	return again, of, again >= leastRestarts && 2*again >= of
}
