package graph

import (
	"slices"
	"strconv"

	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
)

// answerOf is the first answer of a check.
func (t *tree) answerOf(check Check) answer {
	return first(t.answers, func(a answer) bool { return a.check == check })
}

func silent(check Check, format string, args ...any) answer {
	return answer{check: check, says: SaysSilent, text: human.Say(format, args...)}
}

// unsure is the answer that keeps a tree because something could not be told.
func unsure(check Check, format string, args ...any) answer {
	a := silent(check, format, args...)
	a.keeps = true
	return a
}

func orphaned(check Check, format string, args ...any) answer {
	return answer{check: check, says: SaysOrphaned, text: human.Say(format, args...)}
}

// owned is the answer that names a live owner.
func owned(check Check, owner Owner, format string, args ...any) answer {
	owner.Liveness = LivenessLive
	return answer{check: check, says: SaysOwned, keeps: true, owner: owner, text: human.Say(format, args...)}
}

// proven marks an answer that rests on the kernel's word.
func (a answer) proven() answer { a.proof = true; return a }

func askService(c *correlation, t *tree) answer {
	main := first(t.members, func(n *node) bool { return n.Service != "" })
	if main == nil {
		return answer{}
	}
	owner := Owner{Name: main.Service, Kind: OwnerService, ID: main.ID()}
	return owned(CheckService, owner, "it is the main process of %s", main.Service).proven()
}

func askAncestor(c *correlation, t *tree) answer {
	root := t.root
	switch {
	case root.execd:
		return answer{}
	case root.lineage == lineageUnknown:
		return owned(CheckAncestor, Owner{Kind: OwnerProcess}, "its parent %d lives and cannot be seen from here", root.PPID.Or(0)).proven()
	case root.lineage == lineageBoundary:
		return orphaned(CheckAncestor, "its parent is %s, which adopts orphans", c.boundaryName(root))
	case root.lineage == lineageAdopted:
		return orphaned(CheckAncestor, "it was taken over by %s after the process that started it had gone", c.nameOf(root.parent, root.PPID.Or(0)))
	}
	a := orphaned(CheckAncestor, "its parent %s is left over itself", c.nameOf(root.parent, root.parent.PID))
	a.by, a.speak = []*node{root.parent}, func(*node) answer { return c.ancestorSpeaks(root) }
	return a
}

func (c *correlation) ancestorSpeaks(root *node) answer {
	owner := c.ownerAbove(root)
	a := owned(CheckAncestor, owner, "%s started it and lives", c.nameOf(root.parent, root.parent.PID)).proven()
	if owner.Recognised() {
		a.text = human.Say("%s is above it", owner.Named())
	}
	a.near = true
	return a
}

// ownerAbove is the nearest session or gateway above a process, else its parent.
func (c *correlation) ownerAbove(n *node) Owner {
	if known := ancestor(n, func(at *node) bool { return c.asOwner(at).Recognised() }); known != nil {
		return c.asOwner(known)
	}
	return c.asOwner(n.parent)
}

// asOwner makes an owner of a process: the session or gateway that it is part of,
// else the process itself.
func (c *correlation) asOwner(n *node) Owner {
	if n.tree != nil && n.tree.gateway {
		return Owner{Name: c.treeName(n.tree), Kind: OwnerGateway, ID: n.tree.root.ID(), Liveness: LivenessLive}
	}
	if s := n.session; s != nil {
		return Owner{Name: s.name, Kind: OwnerSession, ID: s.root.ID(), Liveness: LivenessLive}
	}
	return Owner{Name: c.programOf(n), Kind: OwnerProcess, ID: n.ID(), Liveness: LivenessLive}
}

// askMemory asks for the session or gateway that the tree was last seen with. It
// keeps the tree if it lives and is not leaked, or may live unseen. If it is gone, it
// only explains whose the tree was.
func askMemory(c *correlation, t *tree) answer {
	last := t.remembered()
	owner := last.owner
	if owner.ID.IsZero() || t.root.execd {
		return answer{}
	}
	a := orphaned(CheckMemory, "%s had it when last seen, and is gone", owner.Named())
	a.owner, a.owner.Liveness, a.since = owner, LivenessGone, last.owned
	switch {
	case c.lives(owner.ID) && owner.Recognised():
		a.text = human.Say("%s had it when last seen, and is left over itself", owner.Named())
		a.by = []*node{c.byPID[owner.ID.PID]}
		a.speak = func(*node) answer {
			said := owned(CheckMemory, owner, "%s had it when last seen, and lives", owner.Named())
			said.near = last.seen
			return said
		}
	case c.lives(owner.ID):
		return answer{}
	case c.mayLive(owner.ID) && owner.Recognised():
		return owned(CheckMemory, owner, "%s had it when last seen, and may live: processes are missing from the table", owner.Named())
	}
	return a
}

// remembered is the memory of the first member that had an owner, else the root's.
func (t *tree) remembered() remembered {
	if member := first(t.members, func(n *node) bool { return !n.memory.owner.ID.IsZero() }); member != nil {
		return member.memory
	}
	return t.root.memory
}

// askOrigin: macOS remembers who forked a process even after init has adopted it.
// Only a forker that lives is evidence, since that of a daemon is always gone.
func askOrigin(c *correlation, t *tree) answer {
	if t.root.OriginalParent == "" {
		return answer{}
	}
	id, err := inventory.ParseID(t.root.OriginalParent)
	if err != nil || t.root.lineage == lineageLive || !c.lives(id) {
		return answer{}
	}
	origin := c.byPID[id.PID]
	return owned(CheckMemory, c.asOwner(origin), "%s forked it, and lives", c.nameOf(origin, origin.PID))
}

// askDeclared reads the markers of the environment: REAPERD_OWNER names a process
// exactly, OPENCODE_PID by number. Children inherit markers, so one that names a
// process that is gone proves nothing.
func askDeclared(c *correlation, t *tree) answer {
	owner, marker := c.declaredOwner(t.root)
	switch {
	case marker == "":
		return answer{}
	case owner == nil:
		a := silent(CheckDeclared, "%s names a process that is gone; markers are inherited, so this proves nothing", marker)
		if _, state := c.declaredState(t.root.Env[marker]); state == declaredUntold && marker == ownerVariable {
			a = silent(CheckDeclared, "%s names a process that cannot be judged from here", marker)
		}
		a.keeps = !c.whole
		return a
	}
	a := silent(CheckDeclared, "%s names %s, which is left over itself", marker, c.nameOf(owner, owner.PID))
	a.by, a.speak = []*node{owner}, func(*node) answer {
		return owned(CheckDeclared, c.asOwner(owner), "%s names %s, which lives", marker, c.nameOf(owner, owner.PID))
	}
	return a
}

// evidence is the list of what the witnesses said.
func (t *tree) evidence() []Evidence {
	var lines []Evidence
	for _, a := range t.answers {
		if !a.text.IsZero() {
			lines = slices.Grow(lines, len(t.answers)-len(lines))
			lines = append(lines, Evidence{Check: a.check, Says: a.says, Proof: a.proof, Since: a.since, Text: a.text.String(), Said: a.text})
		}
	}
	return lines
}

// ownerLabel is the container label that names its owner, as ownerVariable does for a
// process.
const (
	ownerLabel    = "reaperd.owner"
	ownerVariable = "REAPERD_OWNER"
)

// declaredOwner returns the live process that a marker in the environment names, or
// nil, and the marker's name, or "" if there is no marker.
func (c *correlation) declaredOwner(n *node) (*node, string) {
	if declared := n.Env[ownerVariable]; declared != "" {
		owner, _ := c.declaredState(declared)
		return owner, ownerVariable
	}
	number := n.Env["OPENCODE_PID"]
	if number == "" {
		return nil, ""
	}
	pid, err := strconv.Atoi(number)
	if err != nil {
		return nil, ""
	}
	owner := c.byPID[pid]
	if owner == nil || !owner.Alive() || owner == n || n.Start != 0 && owner.Start > n.Start || owner.class.Role != inventory.RoleSession {
		return nil, "OPENCODE_PID"
	}
	return owner, "OPENCODE_PID"
}

// declared is what is known of the process that an owner mark names.
type declared uint8

const (
	declaredUntold declared = iota // the process cannot be judged from here, or the mark names none
	declaredLive
	declaredGone
)

// declaredState looks up the process that an owner mark names; it is nil unless it
// lives. A process of this boot and PID namespace is gone only if the table is
// complete. One of another boot is gone.
func (c *correlation) declaredState(text string) (*node, declared) {
	if text == "" {
		return nil, declaredUntold
	}
	host := c.snapshot.Host
	mark, err := inventory.ParseOwnerMark(text)
	otherBoot := mark.BootID != "" && host.BootID != "" && mark.BootID != host.BootID
	switch {
	case err != nil:
		return nil, declaredUntold
	case mark.MayBeOf(host) && c.lives(mark.ID):
		return c.byPID[mark.PID], declaredLive
	case otherBoot, mark.IsOf(host) && c.whole:
		return nil, declaredGone
	}
	return nil, declaredUntold
}

func (c *correlation) boundaryName(n *node) human.Named {
	if n.parent == nil {
		return human.Named{Name: "outside this PID namespace"}
	}
	if args := n.parent.Args(); len(args) > 0 { // its own name, not that of the program it wraps
		return human.Named{Name: baseName(args[0]), PID: n.parent.PID}
	}
	return c.nameOf(n.parent, n.parent.PID)
}

// nameOf names a process for people: its session or program, and its PID.
func (c *correlation) nameOf(n *node, pid int) human.Named {
	if n == nil {
		return human.Named{Name: "process", PID: pid}
	}
	if s := n.session; s != nil {
		return human.Named{Name: s.name, PID: n.PID}
	}
	return human.Named{Name: c.programOf(n), PID: n.PID}
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
func (o Owner) Named() human.Named { return human.Named{Name: o.Name, PID: o.ID.PID} }

// evidenceOf makes a line of evidence.
func evidenceOf(check Check, says Says, said human.Sentence) Evidence {
	return Evidence{Check: check, Says: says, Text: said.String(), Said: said}
}
