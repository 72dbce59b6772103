package host

import (
	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/discover"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

// whole says which processes of one look are read whole.
type whole struct {
	catalogue  *catalogue.Memo
	configured discover.Set
	previous   *graph.Graph // nil for the first look
}

// reads reports whether a process is read whole: a session, a gateway or a server
// by the catalogue or by a client's configuration, the client of a container, and
// what was part of a server before. Wrappers and boundaries are read as what is
// around them.
func (w *whole) reads(p *inventory.Process) bool {
	switch w.catalogue.Process(p).Role {
	case catalogue.RoleSession, catalogue.RoleGateway, catalogue.RoleServer:
		return true
	}
	if _, _, known := w.configured.Match(p); known {
		return true
	}
	if line, ok := cmdline.ReadContainer(p.Args()); ok && line.CarriesClient() { // whether anybody is behind it
		return true
	}
	return w.previous != nil && w.previous.Knows(p)
}
