package graph

import (
	"hash/maphash"
	"strconv"

	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/inventory"
)

// This file decides which processes can matter to a verdict. The others are neither read closely nor
// listed nor judged. In doubt a process matters.
//
//	a process matters if it                                         because
//	is a session, gateway, server or `docker run`                    it is judged: it is read whole, with all below it
//	is above a process that matters                                 it may be its owner
//	holds an end of the stdin or stdout of one that matters         it may be its owner
//	may be in one tree with one that matters                        it lives and is reaped with it
//	  (below a parent with the same stdin, a relay, a pipeline)
//	has arguments that are not known                                it may be a container's runner
//	is the monitor of a container (a shim, conmon)                  it names the container of what is below it
//	is named by an environment, a label or the memory               it may be an owner
//	is dead, and its parent matters                                 it counts as that parent's zombie
//
// Tests over recorded and random worlds hold that what is selected leads to the same verdicts as the
// whole table.

// Selection decides about single processes while a look is made. Make one with [NewSelection]. It is
// for one goroutine.
type Selection struct {
	known      Catalogue
	configured func(*inventory.Process) bool
	whole      map[int]int     // PIDs that the memory has read whole, each with the root of its tree
	named      map[int]bool    // PIDs that are listed whatever they are
	marks      map[uint64]bool // of the commands of shapes: which container a process is in is not known yet
	seed       maphash.Seed
}

// NewSelection makes a selection. configured reports a process that a client's configuration
// names; nil means that there is no configuration.
func NewSelection(known Catalogue, configured func(*inventory.Process) bool) *Selection {
	if configured == nil {
		configured = func(*inventory.Process) bool { return false }
	}
	return &Selection{known: known, configured: configured, seed: maphash.MakeSeed()}
}

// After is the selection for the next look; previous is nil for the first look.
func (s *Selection) After(previous *Graph) *Selection {
	next := *s
	next.whole, next.named, next.marks = nil, nil, nil
	if previous == nil {
		return &next
	}
	var shapes shapeSet
	next.whole, next.named, shapes = previous.recall()
	Mentioned(previous.Snapshot, func(pid int) { next.named[pid] = true })
	next.marks = make(map[uint64]bool, len(shapes))
	for known := range shapes {
		next.marks[maphash.String(s.seed, commandOf(known))] = true
	}
	return &next
}

// Candidate reports a process to be read whole, with all below it: a session, gateway
// or server by the catalogue or a client's configuration, a container's runner, and a
// process that was part of a server before. Wrappers and boundaries are none: they
// are read as the surroundings of candidates.
func (s *Selection) Candidate(p *inventory.Process) bool {
	class := s.known.Process(p)
	switch class.Role {
	case inventory.RoleSession, inventory.RoleGateway, inventory.RoleServer:
		return true
	}
	root, was := s.whole[p.PID]
	isReadWithParent := root != p.PID && s.whole[p.PPID.Or(0)] == root
	if class.Relay || s.configured(p) || was && !isReadWithParent {
		return true
	}
	if line, ok := cmdline.ReadContainer(p.Args()); ok && line.CarriesRunner() { // its stdio tells whether the CLI behind it lives
		return true
	}
	return len(s.marks) > 0 && len(p.Argv) > 0 && s.marks[s.Mark(p)]
}

// Lists reports a process that is no candidate and yet matters by itself: it uses a
// container engine, or may do so because its arguments are not all known, or it is a
// container's monitor, or it is named somewhere.
func (s *Selection) Lists(p *inventory.Process) bool {
	if !p.Alive() {
		return false
	}
	args := p.Args()
	if len(args) == 0 || p.ArgvHash != "" || s.named[p.PID] {
		return true
	}
	_, asks := cmdline.ReadContainer(args)
	_, monitor := p.Monitors()
	return asks || monitor
}

// DependsOnFolder reports whether it may say something else of the same process
// in another working directory: nothing but its shape covers that. What is configured
// may too, which it cannot know.
func (s *Selection) DependsOnFolder(p *inventory.Process) bool { return hasRelativePath(p.Args()) }

// Mark is equal for two processes with the shape of one server, but for their scope.
func (s *Selection) Mark(p *inventory.Process) uint64 {
	return shapeHash(s.seed, p)
}

// Wants reports an unchanged process that did not matter before and may matter now.
func (s *Selection) Wants(id inventory.ID, mark uint64) bool {
	return s.named[id.PID] || s.whole[id.PID] != 0 || s.marks[mark]
}

// Mentioned calls name with each PID that a snapshot mentions in environments, in labels of
// containers, as what their engines started in them, and as who is connected to an engine or
// attached to a container. Such a process may live or be gone; only the table tells.
func Mentioned(s *inventory.Snapshot, name func(pid int)) {
	for i := range s.Processes {
		env := s.Processes[i].Env
		nameMark(env[ownerVariable], name)
		if number := env["OPENCODE_PID"]; number != "" {
			if pid, err := strconv.Atoi(number); err == nil {
				name(pid)
			}
		}
	}
	for i := range s.Sources {
		nameConnected(s.Sources[i].Connections, name)
	}
	for i := range s.Containers {
		nameConnected(s.Containers[i].Attached, name)
		nameMark(s.Containers[i].Labels[ownerLabel], name)
		name(s.Containers[i].PID)
		for _, pid := range s.Containers[i].ExecPIDs {
			name(pid)
		}
	}
}

func nameConnected(connections inventory.Fact[[]inventory.Connection], name func(pid int)) {
	for _, connection := range connections.Or(nil) {
		for _, pid := range connection.PIDs {
			name(pid)
		}
	}
}

func nameMark(text string, name func(pid int)) {
	if text == "" {
		return
	}
	if mark, err := inventory.ParseOwnerMark(text); err == nil {
		name(mark.PID)
	}
}
