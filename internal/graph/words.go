package graph

import (
	"fmt"
)

func (c *correlation) boundaryName(n *node) string {
	if n.parent == nil {
		return "outside this PID namespace"
	}
	if args := n.parent.Args(); len(args) > 0 { // its own name: a first process may wrap another
		return fmt.Sprintf("%s %d", baseName(args[0]), n.parent.PID)
	}
	return c.nameOf(n.parent, n.parent.PID)
}

// nameOf is a process for a person: session or program, and PID.
func (c *correlation) nameOf(n *node, pid int) string {
	if n == nil {
		return fmt.Sprintf("process %d", pid)
	}
	if s := c.sessionOf[n]; s != nil {
		return fmt.Sprintf("%s %d", s.name, n.PID)
	}
	return fmt.Sprintf("%s %d", c.catalogue.Program(n.Process), n.PID)
}
