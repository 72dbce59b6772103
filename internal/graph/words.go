package graph

import "github.com/reaperd/reaperd/internal/sentence"

func (c *correlation) boundaryName(n *node) sentence.Name {
	if n.parent == nil {
		return sentence.Name{Name: "outside this PID namespace"}
	}
	if args := n.parent.Args(); len(args) > 0 { // its own name: a first process may wrap another
		return sentence.Name{Name: baseName(args[0]), PID: n.parent.PID}
	}
	return c.nameOf(n.parent, n.parent.PID)
}

// nameOf is a process for a person: session or program, and PID.
func (c *correlation) nameOf(n *node, pid int) sentence.Name {
	if n == nil {
		return sentence.Name{Name: "process", PID: pid}
	}
	if s := c.sessionOf[n]; s != nil {
		return sentence.Name{Name: s.name, PID: n.PID}
	}
	return sentence.Name{Name: c.catalogue.Program(n.Process), PID: n.PID}
}

// named is an owner for a person.
func (o Owner) named() sentence.Name { return sentence.Name{Name: o.Name, PID: o.ID.PID} }

// evidenceOf is what a sentence says for a check.
func evidenceOf(check Check, says Says, said sentence.S) Evidence {
	return Evidence{Check: check, Says: says, Text: said.String(), Said: said}
}
