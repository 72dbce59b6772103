package graph

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
)

// This file tells what serves with a tree from what the tree's server opened for a person.
//
//	a member     is a server or a wrapper, has an end of the tree's stdio, is spoken to by the tree alone,
//	             or is a browser that the tree drives: it goes with the tree
//	an outsider  is a person's: a browser, an editor, whatever has a display, a terminal, a session or a
//	             unit of its own; or shares nothing with the tree. It is never acted on, in any state of
//	             the tree, and is reported as left open
//	a remainder  is what lives on once the server has ended. It goes if it serves by itself, or ran behind
//	             the wrapper; a helper, whose stdin and stdout the server held, is only likely to be left

// Outsider is a process below a target that is no part of it, and why.
type Outsider struct {
	*inventory.Process
	Why string // "a person's browser"
}

// belongs reports that a child is part of its parent's tree; if it is not, why is the reason.
func (c *correlation) belongs(t *tree, parent, child *node) (why string, member bool) {
	switch {
	case child.inner, child.class.Driven, child.server && !isDaemon(parent, child):
		return "", true
	case child.client:
		return "it uses MCP servers itself", false
	}
	switch why = forPerson(parent, child); {
	case why != "":
		return why, false
	case isSupervised(child, t.root.ID()), parent.class.Browser:
		return "", true
	}
	if why = t.apart(parent, child); why != "" {
		return why, false
	}
	if _, seen := child.Stdin.Get(); !seen {
		return "", true
	}
	return "it shares no pipe or socket with the server", t.shares(child)
}

// forPerson is why a process is a person's program, whatever ends of the tree's stdio it
// has inherited; "" if it is none. Once a look has seen it below a server it stays one.
func forPerson(parent, child *node) string {
	switch {
	case child.person != "", child.class.Driven:
		return child.person
	case child.class.Person:
		return "a person's program"
	case child.class.Browser && parent.class.Browser:
		return ""
	case child.class.Browser:
		return "a person's browser: no program drives it"
	case child.Display.Or(false):
		return "it is connected to a display"
	}
	return ""
}

// isDaemon reports a server that its parent, a server too, has started for good: it has a session of
// its own, and reads and writes elsewhere.
func isDaemon(parent, child *node) bool {
	stdin := child.Stdin.Or(inventory.Stdio{Kind: inventory.KindUnknown})
	return writesElsewhere(child) && !stdin.Connected() && stdin.Kind != inventory.KindUnknown && !isSameFact(parent.SID, child.SID)
}

// apart is why a child is none of the tree's that has a terminal, a unit or a session of
// its own; "" if it has none. What the tree holds the stdin and stdout of is a helper in
// any session, and so is what runs behind a wrapper.
func (t *tree) apart(parent, child *node) string {
	switch {
	case child.TTY != "" && child.TTY != t.root.TTY:
		return "on a terminal of its own"
	case t.isHelper(child), isBehind(parent, child):
		return ""
	case hasOwnUnit(parent, child):
		return "in a unit of its own"
	case child.SID.IsKnown() && parent.SID.IsKnown() && !isSameFact(parent.SID, child.SID):
		return "in a session of its own"
	}
	return ""
}

// isBehind reports that a launcher or a shell has passed its stdin on to a child, which is
// the program that it runs.
func isBehind(parent, child *node) bool {
	launches := parent.class.Launches || parent.class.Relay || cmdline.IsShell(parent.program())
	return launches && isSameStream(parent.Stdin, child.Stdin)
}

// hasOwnUnit reports that a service manager has put a child into a unit of its own.
func hasOwnUnit(parent, child *node) bool {
	isUnit := strings.HasSuffix(child.Cgroup, ".scope") || strings.HasSuffix(child.Cgroup, ".service")
	return isUnit && parent.Cgroup != "" && !strings.HasPrefix(parent.Cgroup, child.Cgroup)
}

// isHelper reports a process whose stdin and stdout the tree holds the other ends of.
func (t *tree) isHelper(n *node) bool {
	return t.hasOtherEnd(n.Stdin) && t.hasOtherEnd(n.Stdout)
}

func (t *tree) hasOtherEnd(stream inventory.Fact[inventory.Stdio]) bool {
	stdio := stream.Or(inventory.Stdio{})
	return stdio.Connected() && slices.ContainsFunc(stdio.Holders, t.holds)
}

// shares reports that a process and a tree have the same pipe or socket, or hold the two
// ends of one.
func (t *tree) shares(n *node) bool {
	for _, member := range t.members {
		if slices.Contains(n.Shares.Or(nil), member.PID) {
			return true
		}
		for _, its := range member.stdio() {
			for _, own := range n.stdio() {
				if isSameStream(its, own) || isHeldBy(its, n.PID) || isHeldBy(own, member.PID) {
					return true
				}
			}
		}
	}
	return false
}

// part is what a process was to its server when a look saw them together.
type part uint8

const (
	partOther  part = iota
	partHelper      // the server held its stdin and its stdout
	partServer      // it served: the root, or what ran behind the wrapper
)

// partOf is what a member is to the tree.
func (t *tree) partOf(n *node) part {
	isDriven := n.class.Driven || n.class.Browser && n.parent != nil && n.parent.class.Browser
	switch {
	case n == t.root, n.server, isDriven, n.parent != nil && n.parent.tree == t && isBehind(n.parent, n) && isSameStream(n.Stdin, t.root.Stdin):
		return partServer
	case t.isHelper(n):
		return partHelper
	}
	return partOther
}

// remains reports that a process which has lost its server is to go by itself. likely: it
// is only likely to be left over.
func (c *correlation) remains(n *node) (target, likely bool) {
	switch {
	case n.client, n.Service != "", n.sealed, n.class.Role == inventory.RoleSession, n.person != "", n.isPersons():
		return false, false
	case isSupervised(n, n.memory.lineage):
		return true, false
	case writesElsewhere(n):
		return false, false
	}
	if n.memory.part == partHelper {
		return n.TTY == "" && !n.Listening.Or(n.Listening.IsUnreadable()), true
	}
	return n.memory.part == partServer, n.memory.likely
}

// writesElsewhere reports a stdout to a file, a terminal or /dev/null: it has left its
// server for good.
func writesElsewhere(n *node) bool {
	stdout, seen := n.Stdout.Get()
	return seen && !stdout.Connected() && stdout.Kind != inventory.KindUnknown
}

// mostLeft is the greatest number of processes that [Target.LeftOpen] names.
const mostLeft = 3

// LeftOpen names what is left of a target's processes once it has ended, each with the reason:
// "left open: chromium 170 (a person's browser: no program drives it)"; empty if nothing is.
func (t *Target) LeftOpen() string {
	var names []string
	for _, o := range t.Left[:min(len(t.Left), mostLeft)] {
		names = append(names, fmt.Sprintf("%s %d (%s)", programOf(o.Process), o.PID, o.Why))
	}
	if more := len(t.Left) - len(names); more > 0 {
		names = append(names, human.Number(more)+" more")
	}
	if len(names) == 0 {
		return ""
	}
	return "left open: " + strings.Join(names, ", ")
}

// programOf is the program of a process as its command line calls it. The kernel's name may be that of
// its interpreter, or of the program that has started it.
func programOf(p *inventory.Process) string {
	if args := p.Args(); len(args) > 0 && args[0] != "" {
		return human.Safe(path.Base(args[0]))
	}
	return human.Safe(cmp.Or(p.Comm, "process"))
}
