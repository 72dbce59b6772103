package matters

import (
	"hash/maphash"

	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

// Catalogue recognises sessions, servers, gateways and relays.
type Catalogue interface {
	Process(*inventory.Process) catalogue.Class
}

// Rule says of single processes whether they matter. The zero value is not usable;
// see [NewRule]. It is for one goroutine.
type Rule struct {
	known      Catalogue
	configured func(*inventory.Process) bool
	whole      map[int]bool // PIDs that the memory has read whole
	named      map[int]bool // PIDs that are listed whatever they are
	marks      map[uint64]bool
	shapes     map[string]bool
	seed       maphash.Seed
}

// NewRule makes a rule. configured tells what a client's configuration names; nil
// is nothing.
func NewRule(known Catalogue, configured func(*inventory.Process) bool) *Rule {
	if configured == nil {
		configured = func(*inventory.Process) bool { return false }
	}
	return &Rule{known: known, configured: configured, seed: maphash.MakeSeed()}
}

// After is the rule for the look after one; previous is nil for the first look.
func (r *Rule) After(previous *graph.Graph) *Rule {
	next := *r
	next.whole, next.named, next.marks, next.shapes = nil, nil, nil, nil
	if previous == nil {
		return &next
	}
	next.whole, next.named, next.shapes = previous.Recall()
	Names(previous.Snapshot, func(pid int) { next.named[pid] = true })
	next.marks = make(map[uint64]bool, len(next.shapes))
	for shape := range next.shapes {
		next.marks[maphash.String(r.seed, shape)] = true
	}
	return &next
}

// Candidate reports whether a process is read whole, with what is below it: a
// session, a gateway or a server by the catalogue or by a client's configuration,
// the client of a container, and what was part of a server before. Wrappers and
// boundaries are read as what is around them.
func (r *Rule) Candidate(p *inventory.Process) bool {
	class := r.known.Process(p)
	switch class.Role {
	case catalogue.RoleSession, catalogue.RoleGateway, catalogue.RoleServer:
		return true
	}
	if class.Relay || r.configured(p) || r.whole[p.PID] {
		return true
	}
	if line, ok := cmdline.ReadContainer(p.Args()); ok && line.CarriesClient() { // whether anybody is behind it
		return true
	}
	return len(r.shapes) > 0 && len(p.Argv) > 0 && r.shapes[graph.ShapeOf(p)]
}

// Lists reports whether a process that is no candidate matters by itself: what asks
// something of a container engine, what may do so because its arguments are not
// all known, and whoever is named.
func (r *Rule) Lists(p *inventory.Process) bool {
	if !p.Alive() {
		return false
	}
	args := p.Args()
	if len(args) == 0 || p.ArgvHash != "" || r.named[p.PID] {
		return true
	}
	_, asks := cmdline.ReadContainer(args)
	return asks
}

// DependsOnFolder reports whether the rule may say something else of the same process
// in another working directory: nothing but its shape covers that. What is configured
// may too, which the rule cannot know.
func (r *Rule) DependsOnFolder(p *inventory.Process) bool { return graph.HasRelativePath(p.Args()) }

// Mark is equal for two processes with the shape of the same server.
func (r *Rule) Mark(p *inventory.Process) uint64 {
	return maphash.String(r.seed, graph.ShapeOf(p))
}

// Wants reports whether a process that did not matter may matter by now, although
// it has not changed.
func (r *Rule) Wants(id inventory.ID, mark uint64) bool {
	return r.named[id.PID] || r.whole[id.PID] || r.marks[mark]
}
