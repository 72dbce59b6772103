package scan

import (
	"fmt"
	"slices"

	"github.com/reaperd/reaperd/internal/darwin"
	"github.com/reaperd/reaperd/internal/inventory"
)

// readClients finds out who is connected to the engines' sockets: from the descriptors of the
// program that listens there, whose accepted sockets have its path. Where that program is
// another user's, it cannot be told.
func (l *macLook) readClients(paths []string) Clients {
	found := Clients{Engines: map[string]inventory.Fact[[]inventory.Connection]{}}
	for _, path := range paths {
		found.Engines[path] = l.connectionsAt(path)
	}
	return found
}

func (l *macLook) connectionsAt(path string) inventory.Fact[[]inventory.Connection] {
	listens, open := false, []inventory.Connection{}
	for _, sockets := range l.readEnds().sockets {
		for _, s := range sockets {
			if !s.IsUnix() || s.Path != path {
				continue
			}
			listens = listens || s.Listening
			if s.Other() == darwin.EndOpen {
				open = append(open, l.connection(s.Peer))
			}
		}
	}
	if !listens {
		return inventory.Unreadable[[]inventory.Connection]()
	}
	return inventory.Known(open)
}

// connection is the one whose client's end has that handle.
func (l *macLook) connection(peer uint64) inventory.Connection {
	c := inventory.Connection{ID: fmt.Sprintf("socket:[%x]", peer), PIDs: []int{}}
	for _, i := range l.readEnds().holders[peer] {
		c.PIDs, c.UID = append(c.PIDs, l.members[i].process.PID), l.members[i].process.UID
	}
	slices.Sort(c.PIDs)
	return c
}
