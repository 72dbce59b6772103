package graph

import (
	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/sentence"
)

func (c *correlation) boundaryName(n *node) sentence.Name {
	if n.parent == nil {
		return sentence.Name{Name: "outside this PID namespace"}
	}
	if args := n.parent.Args(); len(args) > 0 { // its own name, not that of the program it wraps
		return sentence.Name{Name: baseName(args[0]), PID: n.parent.PID}
	}
	return c.nameOf(n.parent, n.parent.PID)
}

// nameOf names a process for people: its session or program, and its PID.
func (c *correlation) nameOf(n *node, pid int) sentence.Name {
	if n == nil {
		return sentence.Name{Name: "process", PID: pid}
	}
	if s := n.session; s != nil {
		return sentence.Name{Name: s.name, PID: n.PID}
	}
	return sentence.Name{Name: c.programOf(n), PID: n.PID}
}

// programOf names a process that is no session. A shell that runs a line and is part of no
// server is that shell, and no word of its line.
func (c *correlation) programOf(n *node) string {
	if args := n.Args(); n.tree == nil && cmdline.RunsLine(args) {
		return baseName(args[0])
	}
	return c.catalogue.Program(n.Process)
}

// Named is the owner by name and PID, for people.
func (o Owner) Named() sentence.Name { return sentence.Name{Name: o.Name, PID: o.ID.PID} }

// evidenceOf makes a line of evidence.
func evidenceOf(check Check, says Says, said sentence.S) Evidence {
	return Evidence{Check: check, Says: says, Text: said.String(), Said: said}
}
