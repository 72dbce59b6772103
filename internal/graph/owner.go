package graph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/reaperd/reaperd/internal/inventory"
)

// judgement is what is worked out about one tree.
type judgement struct {
	*unit
	stdin, stdout end
	owner         Owner
	below         bool // the owner is an ancestor, or the session it is remembered with
	byWord        bool // the owner is only declared, or what the system remembers
	used          bool
	finding       Finding
	unproven      string // why the finding may not be acted on, empty where it may
	evidence      []Evidence
}

// judgeTrees works out the owner and the finding of every server's tree. What
// docker exec brought in comes last: its clients must be judged by then.
func (c *correlation) judgeTrees() {
	for _, u := range c.trees {
		if !u.root.execd {
			j := c.newJudgement(u)
			c.findOwner(j)
			c.findLeak(j)
			c.adoptLeftovers(j)
			c.addTarget(j)
		}
	}
	for _, u := range c.trees {
		if u.root.execd {
			j := c.newJudgement(u)
			c.judgeExeced(j)
			c.addTarget(j)
		}
	}
}

func (c *correlation) newJudgement(u *unit) *judgement {
	return &judgement{
		unit: u, finding: FindingNone, used: c.inUse(u),
		stdin: c.endOf(u, u.root.Stdin), stdout: c.endOf(u, u.root.Stdout),
	}
}

// findOwner asks ancestor, stdio peers, memory, declaration, service and
// clients, in this order; the first that knows an owner names it, and all leave
// their line of evidence.
func (c *correlation) findOwner(j *judgement) {
	c.askAncestors(j)
	c.askStream(j, CheckStdin, j.stdin)
	c.askStream(j, CheckStdout, j.stdout)
	c.askInner(j)
	c.askMemory(j)
	c.askOrigin(j)
	c.askDeclared(j)
	c.askService(j)
	c.askClients(j)
	if !j.live && j.owner.Liveness != LivenessLive {
		j.owner.Liveness = LivenessGone
	}
	if j.owner.Liveness == "" {
		j.owner.Liveness = LivenessUnknown
	}
}

func (j *judgement) note(check Check, says Says, proof bool, format string, args ...any) {
	j.evidence = append(j.evidence, Evidence{Check: check, Says: says, Proof: proof, Text: fmt.Sprintf(format, args...)})
}

// own makes a live owner of it unless one is known already.
func (j *judgement) own(owner Owner) {
	if j.owner.Liveness != LivenessLive {
		owner.Liveness = LivenessLive
		j.owner = owner
	}
}

func (c *correlation) askAncestors(j *judgement) {
	root := j.root
	switch root.lineage {
	case lineageUnknown:
		j.own(Owner{Kind: OwnerProcess})
		j.note(CheckAncestor, SaysOwned, true, "its parent %d lives and cannot be seen from here", root.PPID.Or(0))
	case lineageBoundary:
		j.note(CheckAncestor, SaysOrphaned, false, "its parent is %s, which is nobody's parent", c.boundaryName(root))
	case lineageAdopted:
		j.note(CheckAncestor, SaysOrphaned, false, "it was taken over by %s after the process that started it had gone", c.nameOf(root.parent, root.PPID.Or(0)))
	case lineageLive:
		c.askLiveAncestor(j)
	}
}

func (c *correlation) askLiveAncestor(j *judgement) {
	parent := j.root.parent
	if !parent.unit.live {
		j.note(CheckAncestor, SaysOrphaned, false, "its parent %s is left over itself", c.nameOf(parent, parent.PID))
		return
	}
	owner := c.ownerAbove(j.root)
	j.own(owner)
	j.below = true
	if owner.Recognised() {
		j.note(CheckAncestor, SaysOwned, true, "%s %d is above it", owner.Name, owner.ID.PID)
		return
	}
	j.note(CheckAncestor, SaysOwned, true, "%s started it and lives", c.nameOf(parent, parent.PID))
}

// ownerAbove is the nearest session or gateway above a process, else its parent.
func (c *correlation) ownerAbove(n *node) Owner {
	owner := c.asOwner(n.parent)
	above(n, func(ancestor *node) bool {
		found := c.asOwner(ancestor)
		if found.Recognised() {
			owner = found
			return false
		}
		return true
	})
	return owner
}

// asOwner is a process as an owner: the session or gateway it is part of, else itself.
func (c *correlation) asOwner(n *node) Owner {
	if n.unit != nil && n.unit.gateway {
		return Owner{Name: c.treeName(n.unit), Kind: OwnerGateway, ID: n.unit.root.ID(), Liveness: LivenessLive}
	}
	if s := c.sessionOf[n]; s != nil {
		return Owner{Name: s.name, Kind: OwnerSession, ID: s.root.ID(), Liveness: LivenessLive}
	}
	return Owner{Name: c.catalogue.Program(n.Process), Kind: OwnerProcess, ID: n.ID(), Liveness: LivenessLive}
}

var streamWords = map[Check]struct{ other, verb string }{
	CheckStdin:  {"the other end of its stdin", "holds"},
	CheckStdout: {"its stdout", "reads"},
}

func (c *correlation) askStream(j *judgement, check Check, e end) {
	words := streamWords[check]
	switch e.state {
	case endHeld:
		if !c.isShim(e.holder) {
			j.own(c.ownerOfHolder(e.holder))
		}
		j.note(check, SaysOwned, true, "%s %s %s", c.nameOf(e.holder, e.holder.PID), words.verb, words.other)
	case endHeldUnseen:
		j.own(Owner{Kind: OwnerProcess})
		j.note(check, SaysOwned, true, "%s is open, held by a process that cannot be seen from here", words.other)
	case endGone:
		j.note(check, SaysOrphaned, !j.live, "nobody alive %s %s", words.verb, words.other)
	case endUnconnected:
		stream, _ := streamOf(j.root, check).Get()
		j.note(check, SaysSilent, false, "its %s is %s, which proves nothing", check, kindWords(stream.Kind))
	case endUnreadable:
		j.note(check, SaysSilent, false, "its %s could not be read", check)
	case endUntold:
		j.note(check, SaysSilent, false, "whether anybody %s %s could not be told", words.verb, words.other)
	}
}

func streamOf(n *node, check Check) inventory.Fact[inventory.Stdio] {
	if check == CheckStdout {
		return n.Stdout
	}
	return n.Stdin
}

func kindWords(kind inventory.Kind) string {
	switch kind {
	case inventory.KindNull:
		return "/dev/null"
	case inventory.KindTTY:
		return "a terminal"
	case inventory.KindFile:
		return "a file"
	}
	return "closed"
}

// ownerOfHolder is whose a held server is: the session or gateway the holder
// belongs to, else the holder.
func (c *correlation) ownerOfHolder(holder *node) Owner {
	owner := c.asOwner(holder)
	if !owner.Recognised() && holder.lineage == lineageLive {
		if above := c.ownerAbove(holder); above.Recognised() {
			return above
		}
	}
	return owner
}

func (c *correlation) askInner(j *judgement) {
	if holder := c.heldInside(j.unit); holder != nil {
		j.own(c.ownerOfHolder(holder))
		j.note(CheckStdin, SaysOwned, true, "%s has a pipe into its tree open", c.nameOf(holder, holder.PID))
	}
}

// askMemory: the session it was last seen with keeps it while it lives, and
// names who left it when it does not.
func (c *correlation) askMemory(j *judgement) {
	last := j.remembered()
	switch {
	case last.owner.IsZero():
	case !c.lives(last.owner):
		if j.owner.Liveness != LivenessLive {
			j.owner = Owner{Name: last.client, Kind: last.kind, ID: last.owner, Liveness: LivenessGone}
		}
		j.note(CheckMemory, SaysOrphaned, false, "%s %d had it when last seen, and is gone", last.client, last.owner.PID)
		j.evidence[len(j.evidence)-1].Since = last.owned
	case last.hadSession():
		j.byWord = !last.seen && j.owner.Liveness != LivenessLive
		j.own(Owner{Name: last.client, Kind: last.kind, ID: last.owner})
		j.below = j.below || last.seen && j.owner.ID == last.owner
		j.note(CheckMemory, SaysOwned, false, "%s %d had it when last seen, and lives", last.client, last.owner.PID)
	}
}

// remembered is what was known of the tree: of its root, else of a member.
func (u *unit) remembered() remembered {
	for _, member := range u.members {
		if !member.memory.owner.IsZero() {
			return member.memory
		}
	}
	return u.root.memory
}

// askOrigin: some systems remember who forked a process after it was taken over.
// A daemon's forker is always gone, so only one that lives says anything.
func (c *correlation) askOrigin(j *judgement) {
	if origin := c.originOf(j.root); origin != nil {
		j.byWord = j.byWord || j.owner.Liveness != LivenessLive
		j.own(c.asOwner(origin))
		j.note(CheckMemory, SaysOwned, false, "%s forked it, and lives", c.nameOf(origin, origin.PID))
	}
}

// originOf is the live process that forked a process which has another parent
// now, nil where that is not known or gone.
func (c *correlation) originOf(n *node) *node {
	id, err := inventory.ParseID(n.OriginalParent)
	if err != nil || n.lineage == lineageLive || !c.lives(id) {
		return nil
	}
	return c.byPID[id.PID]
}

// askDeclared: REAPERD_OWNER names a process exactly, OPENCODE_PID by number.
// Markers are inherited by strangers, so a dead one proves nothing.
func (c *correlation) askDeclared(j *judgement) {
	owner, marker := c.declaredOwner(j.root)
	if marker == "" {
		return
	}
	if owner == nil {
		j.note(CheckDeclared, SaysSilent, false, "%s names a process that is gone; markers are inherited, so this proves nothing", marker)
		return
	}
	j.byWord = j.byWord || j.owner.Liveness != LivenessLive
	j.own(c.asOwner(owner))
	j.note(CheckDeclared, SaysOwned, false, "%s names %s, which lives", marker, c.nameOf(owner, owner.PID))
}

// declaredOwner is the live process that the environment names, and the marker
// that was there.
func (c *correlation) declaredOwner(n *node) (*node, string) {
	if declared := n.Env["REAPERD_OWNER"]; declared != "" {
		return c.ownerByIdentity(declared), "REAPERD_OWNER"
	}
	pid, err := strconv.Atoi(n.Env["OPENCODE_PID"])
	if err != nil {
		return nil, ""
	}
	owner := c.byPID[pid]
	if owner == nil || !owner.Alive() || owner == n || n.Start != 0 && owner.Start > n.Start || owner.class.Role != RoleSession {
		return nil, "OPENCODE_PID"
	}
	return owner, "OPENCODE_PID"
}

// ownerByIdentity reads <pid>:<start>:<boot>:<pidns>; boot and namespace may be
// left out, and where given must be this host's.
func (c *correlation) ownerByIdentity(declared string) *node {
	parts := strings.SplitN(declared, ":", 4)
	if len(parts) < 2 {
		return nil
	}
	id, err := inventory.ParseID(parts[0] + ":" + parts[1])
	if err != nil || len(parts) > 2 && parts[2] != "" && parts[2] != c.snapshot.Host.BootID {
		return nil
	}
	if own := c.snapshot.Host.PIDNamespaceID; len(parts) > 3 && own != 0 && parts[3] != strconv.FormatUint(own, 10) {
		return nil
	}
	if owner := c.byPID[id.PID]; owner != nil && owner.Alive() && mayBe(owner, id) {
		return owner
	}
	return nil
}

func (c *correlation) askService(j *judgement) {
	for _, member := range j.members {
		if member.Service != "" {
			j.own(Owner{Name: member.Service, Kind: OwnerService, ID: member.ID()})
			j.note(CheckService, SaysOwned, true, "it is the main process of %s", member.Service)
			return
		}
	}
}

func (c *correlation) askClients(j *judgement) {
	switch {
	case j.used:
		j.own(Owner{Kind: OwnerProcess})
		j.note(CheckClients, SaysOwned, true, "%s", c.usersOf(j.unit))
	case slices.ContainsFunc(j.members, func(n *node) bool { return hidesClients(n.Process) }):
		j.note(CheckClients, SaysSilent, false, "it listens, and who is connected to it could not be read")
	case listening(j.unit).Or(false):
		j.note(CheckClients, SaysSilent, false, "it listens, and nobody is connected to it")
	}
}

// hidesClients reports a listener whose connections were looked for and could not
// be read: it may be in use.
func hidesClients(p *inventory.Process) bool {
	return p.Listening.Or(false) && p.Clients.IsUnreadable()
}

// inUse reports that a tree listens and is used by somebody outside: connected
// now or since its finding began, or named by URL in a client's configuration.
func (c *correlation) inUse(u *unit) bool {
	return c.usersOf(u) != ""
}

func (c *correlation) usersOf(u *unit) string {
	for _, member := range u.members {
		if n := member.Clients.Or(0); n > 0 {
			return fmt.Sprintf("it listens and has %s from outside", count(n, "connection"))
		}
		if member.Configured != "" && member.ConfiguredBy != "command" && member.Listening.Or(false) {
			return fmt.Sprintf("it listens, and a client is configured to use it as %s", member.Configured)
		}
	}
	if c.past.targets[u.root.ID().String()].used {
		return "it listens, and had a connection from outside since its stdio was closed"
	}
	return ""
}

// count is a number of things: 1 child, 2 children, 3 connections.
func count(n int, thing string) string {
	switch {
	case n == 1:
		return "1 " + thing
	case thing == "child":
		thing = "children"
	default:
		thing += "s"
	}
	return strconv.Itoa(n) + " " + thing
}

// listening reports whether any member of a tree listens; unreadable where one
// could not be told and none is known to.
func listening(u *unit) inventory.Fact[bool] {
	var found inventory.Fact[bool]
	for _, member := range u.members {
		switch {
		case member.Listening.Or(false):
			return inventory.Known(true)
		case member.Listening.IsUnreadable():
			found = inventory.Unreadable[bool]()
		case member.Listening.IsKnown() && found.IsZero():
			found = inventory.Known(false)
		}
	}
	return found
}

func (c *correlation) isShim(n *node) bool {
	return n.class.Role == RoleBoundary && n.PID != 1
}

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
