package matters

import (
	"hash/maphash"

	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/shape"
)

// Catalogue recognises sessions, servers, gateways and relays.
type Catalogue interface {
	Process(*inventory.Process) catalogue.Class
}

// Rule decides whether a single process matters. Make one with [NewRule]. It is for
// one goroutine.
type Rule struct {
	known      Catalogue
	configured func(*inventory.Process) bool
	whole      map[int]bool    // PIDs that the memory has read whole
	named      map[int]bool    // PIDs that are listed whatever they are
	marks      map[uint64]bool // of the commands of shapes: which container a process is in is not known yet
	seed       maphash.Seed
}

// NewRule makes a rule. configured reports a process that a client's configuration
// names; nil means that there is no configuration.
func NewRule(known Catalogue, configured func(*inventory.Process) bool) *Rule {
	if configured == nil {
		configured = func(*inventory.Process) bool { return false }
	}
	return &Rule{known: known, configured: configured, seed: maphash.MakeSeed()}
}

// After is the rule for the next look; previous is nil for the first look.
func (r *Rule) After(previous *graph.Graph) *Rule {
	next := *r
	next.whole, next.named, next.marks = nil, nil, nil
	if previous == nil {
		return &next
	}
	whole, named, shapes := previous.Recall()
	next.whole, next.named = whole, named
	Names(previous.Snapshot, func(pid int) { next.named[pid] = true })
	next.marks = make(map[uint64]bool, len(shapes))
	for known := range shapes {
		next.marks[maphash.String(r.seed, shape.Command(known))] = true
	}
	return &next
}

// Candidate reports a process to be read whole, with all below it: a session, gateway
// or server by the catalogue or a client's configuration, a container's runner, and a
// process that was part of a server before. Wrappers and boundaries are none: they
// are read as the surroundings of candidates.
func (r *Rule) Candidate(p *inventory.Process) bool {
	class := r.known.Process(p)
	switch class.Role {
	case catalogue.RoleSession, catalogue.RoleGateway, catalogue.RoleServer:
		return true
	}
	if class.Relay || r.configured(p) || r.whole[p.PID] {
		return true
	}
	if line, ok := cmdline.ReadContainer(p.Args()); ok && line.CarriesRunner() { // its stdio tells whether the CLI behind it lives
		return true
	}
	return len(r.marks) > 0 && len(p.Argv) > 0 && r.marks[r.Mark(p)]
}

// Lists reports a process that is no candidate and yet matters by itself: it uses a
// container engine, or may do so because its arguments are not all known, or it is a
// container's monitor, or it is named somewhere.
func (r *Rule) Lists(p *inventory.Process) bool {
	if !p.Alive() {
		return false
	}
	args := p.Args()
	if len(args) == 0 || p.ArgvHash != "" || r.named[p.PID] {
		return true
	}
	_, asks := cmdline.ReadContainer(args)
	_, monitor := p.Monitors()
	return asks || monitor
}

// DependsOnFolder reports whether the rule may say something else of the same process
// in another working directory: nothing but its shape covers that. What is configured
// may too, which the rule cannot know.
func (r *Rule) DependsOnFolder(p *inventory.Process) bool { return shape.HasRelativePath(p.Args()) }

// Mark is equal for two processes with the shape of one server, but for their scope.
func (r *Rule) Mark(p *inventory.Process) uint64 {
	return shape.Hash(r.seed, p)
}

// Wants reports an unchanged process that did not matter before and may matter now.
func (r *Rule) Wants(id inventory.ID, mark uint64) bool {
	return r.named[id.PID] || r.whole[id.PID] || r.marks[mark]
}
