package graph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/reaperd/reaperd/internal/dockercli"
	"github.com/reaperd/reaperd/internal/inventory"
)

// ownerLabel names a container's owner as <pid>:<start>:<boot>[:<pidns>].
const ownerLabel = "reaperd.owner"

// claim is what is worked out about one container.
type claim struct {
	container *inventory.Container
	class     Class
	client    *client // its client, where that is known for certain
	settled   bool    // decided without matching
	managed   bool    // something that manages containers looks after it
	owner     Owner
	finding   Finding
	unproven  string
	hidden    string // why its client may be there although none is to be seen; empty where it cannot
	evidence  []Evidence
	server    bool // known for an MCP server: by itself or by its client
	exact     bool
}

func (k *claim) note(says Says, proof bool, format string, args ...any) {
	k.evidence = append(k.evidence, Evidence{Check: CheckContainer, Says: says, Proof: proof, Text: fmt.Sprintf(format, args...)})
}

// retract takes back what spoke for its being an orphan.
func (k *claim) retract() {
	k.evidence = slices.DeleteFunc(k.evidence, func(e Evidence) bool { return e.Says == SaysOrphaned })
}

// judgeContainers finds whose each container is: by what its client or its
// label says, else by matching clients and containers of one class.
func (c *correlation) judgeContainers() {
	clients := c.clientsOf("run", "start", "attach")
	claims := c.newClaims()
	c.tieExactly(claims, clients)
	c.hideClients(claims)
	for _, class := range classesOf(claims, clients) {
		c.matchClass(class)
	}
	c.keepForUnmatched(claims, clients)
	c.keepForExec(claims)
	c.tieGoneClients(claims, clients)
	for _, k := range claims {
		c.addContainer(k)
	}
}

// keepForUnmatched: a live client that no container fits may have said itself
// otherwise than the engine says its container. What it could have, whatever the
// rest of its words are, is not proven to be nobody's.
func (c *correlation) keepForUnmatched(claims []*claim, clients []*client) {
	for _, cl := range clients {
		fits := func(k *claim) bool { return sameClass(cl, k.container) || c.names(cl, k.container) }
		if cl.gone || cl.bound != nil || !c.hasToHave(cl) || slices.ContainsFunc(claims, fits) {
			continue
		}
		for _, k := range claims {
			if k.finding != FindingOrphaned || k.exact {
				continue
			}
			if cl.line.Image == "" || !dockercli.DifferentImage(cl.line.Image, k.container.Image) {
				k.finding, k.owner = FindingAmbiguous, Owner{Liveness: LivenessUnknown}
				k.unproven = fmt.Sprintf("docker %s %d lives, and which container is its cannot be told", cl.line.Command, cl.PID)
				k.retract()
				k.note(SaysSilent, false, "%s", k.unproven)
			}
		}
	}
}

// keepForExec: what somebody's docker exec has brought into a container ends with
// it.
func (c *correlation) keepForExec(claims []*claim) {
	for _, cl := range c.clientsOf("exec") {
		if cl.gone {
			continue
		}
		for _, k := range claims {
			if k.finding == FindingOrphaned && c.names(cl, k.container) {
				k.finding, k.owner = FindingNone, c.ownerOfClient(cl)
				k.retract()
				k.note(SaysOwned, true, "docker exec %d lives, and has a process in it", cl.PID)
			}
		}
	}
}

func (c *correlation) newClaims() []*claim {
	var claims []*claim
	for i := range c.snapshot.Containers {
		container := &c.snapshot.Containers[i]
		k := &claim{container: container, class: c.catalogue.Container(container), finding: FindingNone}
		k.server = k.class.Role == RoleServer || c.past.containers[container.ID].server
		c.settleWithoutClient(k)
		claims = append(claims, k)
	}
	return claims
}

// settleWithoutClient decides what no client can be looked for: what somebody
// manages, what was not started with -i, what does not run.
func (c *correlation) settleWithoutClient(k *claim) {
	container := k.container
	by, managed := c.catalogue.Managed(container)
	openStdin, known := container.OpenStdin.Get()
	k.settled, k.managed = true, managed
	switch {
	case managed:
		k.note(SaysOwned, false, "%s manages it", by)
	case !container.Running():
		c.settleEnded(k)
	case !known || !container.StdinOnce.IsKnown():
		k.note(SaysSilent, false, "how it was started could not be told")
	case !openStdin || !container.StdinOnce.Or(false):
		k.note(SaysSilent, false, "it was not started with -i, so no client owns it")
	default:
		k.settled = false
	}
}

func (c *correlation) settleEnded(k *claim) {
	ended := k.container.State == "exited" || k.container.State == "dead"
	if !ended || !k.container.OpenStdin.Or(false) || k.container.AutoRemove.Or(false) {
		k.note(SaysSilent, false, "it is %s", k.container.State)
		return
	}
	k.finding = FindingExited
	k.note(SaysOrphaned, true, "it has ended and was left behind")
}

// tieExactly settles what names its owner: a label, a --cidfile, a --name, or
// a client that was seen to be its and is gone.
func (c *correlation) tieExactly(claims []*claim, clients []*client) {
	for _, k := range claims {
		if k.settled {
			continue
		}
		if c.tieByLabel(k) {
			continue
		}
		for _, cl := range clients {
			if cl.bound == nil && c.names(cl, k.container) {
				c.tie(k, cl)
				break
			}
		}
		if !k.settled && k.hidden == "" {
			c.tieByMemory(k)
		}
	}
}

func (c *correlation) tieByLabel(k *claim) bool {
	declared, labelled := k.container.Labels[ownerLabel]
	if !labelled {
		return false
	}
	owner, state := c.declaredState(declared)
	switch state {
	case declaredLive:
		k.settled, k.exact, k.owner = true, true, c.asOwner(owner)
		k.note(SaysOwned, true, "its label %s names %s, which lives", ownerLabel, c.nameOf(owner, owner.PID))
	case declaredGone:
		k.settled, k.exact = true, true
		k.owner, k.finding = Owner{Liveness: LivenessGone}, FindingOrphaned
		k.note(SaysOrphaned, true, "its label %s names a process that is gone", ownerLabel)
	case declaredUntold:
		k.hidden = fmt.Sprintf("its label %s=%q names an owner that cannot be judged from here", ownerLabel, declared)
	}
	return k.settled
}

// declared is what an exact declaration comes to.
type declared uint8

const (
	declaredUntold   declared = iota // its owner cannot be judged from here, or it names none
	declaredElsewhen                 // another boot's: it says nothing of this one
	declaredLive
	declaredGone
)

// declaredState is what became of the owner that <pid>:<start>:<boot>[:<pidns>]
// names. Only one of this boot and this PID namespace can be found gone, and only
// where no process is missing from the table.
func (c *correlation) declaredState(text string) (*node, declared) {
	parts := strings.Split(text, ":")
	host := c.snapshot.Host
	if owner := c.ownerByIdentity(text); owner != nil && len(parts) <= 4 {
		return owner, declaredLive
	}
	if _, err := inventory.ParseID(strings.Join(parts[:min(2, len(parts))], ":")); err != nil || len(parts) < 3 || len(parts) > 4 || parts[2] == "" || host.BootID == "" {
		return nil, declaredUntold
	}
	if len(parts) > 3 && parts[3] != c.namespaceID() || len(parts) < 4 && host.PIDNamespace != "init" {
		return nil, declaredUntold
	}
	if parts[2] != host.BootID {
		return nil, declaredElsewhen
	}
	if !c.whole {
		return nil, declaredUntold
	}
	return nil, declaredGone
}

// firstNamespace is the inode of Linux's first PID namespace, on every host
// (PROC_PID_INIT_INO).
const firstNamespace = 0xEFFFFFFC

// namespaceID is the table's PID namespace as a declaration writes it; empty is
// not known.
func (c *correlation) namespaceID() string {
	host := c.snapshot.Host
	switch {
	case host.PIDNamespaceID != 0:
		return strconv.FormatUint(host.PIDNamespaceID, 10)
	case host.OS == "linux" && host.PIDNamespace == "init":
		return strconv.FormatUint(firstNamespace, 10)
	}
	return ""
}

func (c *correlation) tie(k *claim, cl *client) {
	k.settled, k.exact, k.client = true, true, cl
	cl.bound = k
	c.settleByClient(k, cl)
}

// settleByClient: a container is whose its client is.
func (c *correlation) settleByClient(k *claim, cl *client) {
	k.server = k.server || cl.unit.server
	if !cl.gone {
		k.owner = c.ownerOfClient(cl)
		k.note(SaysOwned, true, "its client, docker run %d, lives", cl.PID)
		return
	}
	k.owner = formerOwner(cl)
	k.finding, k.unproven = FindingOrphaned, letGoByStranger(cl)
	k.note(SaysOrphaned, true, "nobody is behind its client any more, docker run %d", cl.PID)
}

// letGoByStranger is why a container is left whose client was only let go of, by
// an owner that is neither session nor gateway: what a person or an unknown
// program means by that is not known. It is empty for any other.
func letGoByStranger(cl *client) string {
	target := cl.unit.target
	if target == nil || target.Finding != FindingDisconnected || target.Owner.Recognised() {
		return ""
	}
	return fmt.Sprintf("its client, docker run %d, is below process %d, which lives and is no session", cl.PID, target.Owner.ID.PID)
}

// formerOwner is whose a client is that nobody is behind any more: gone, or, for
// one that was only let go of, alive.
func formerOwner(cl *client) Owner {
	target := cl.unit.target
	if target == nil {
		return Owner{Liveness: LivenessGone}
	}
	owner := target.Owner
	if target.Finding != FindingDisconnected {
		owner.Liveness = LivenessGone
	}
	return owner
}

// ownerOfClient is the nearest session or gateway above a container's client.
func (c *correlation) ownerOfClient(cl *client) Owner {
	if target := cl.unit.target; target != nil && target.Owner.Liveness != "" {
		return target.Owner
	}
	if cl.lineage == lineageLive {
		return c.ownerAbove(cl.node)
	}
	return c.asOwner(cl.node)
}

// hideClients notes with every claim that a live process may be its client, whose
// command cannot be read. A container that another client certainly has is not
// asked about it.
func (c *correlation) hideClients(claims []*claim) {
	i := slices.IndexFunc(c.nodes, func(n *node) bool { return c.mayBeClient(n) && !c.isGone(n) })
	if i < 0 {
		return
	}
	for _, k := range claims {
		if k.hidden == "" {
			k.hidden = fmt.Sprintf("the arguments of %s, which lives, could not be read", c.nameOf(c.nodes[i], c.nodes[i].PID))
		}
	}
}

// mayBeClient reports a process whose arguments are not known and that by its
// program runs containers, or, below a session, of which nothing is known at all.
func (c *correlation) mayBeClient(n *node) bool {
	if len(n.Args()) > 0 {
		return false
	}
	if n.Exe == "" && n.Comm == "" {
		return c.belowSession(n)
	}
	return isClientProgram(n.Exe) || isClientProgram(n.Comm)
}

// isClientProgram reports a program that runs containers with the right arguments.
func isClientProgram(file string) bool {
	_, ok := dockercli.Parse([]string{strings.TrimSuffix(file, " (deleted)"), "nerdctl"})
	return ok
}

func (c *correlation) belowSession(n *node) bool {
	found := false
	above(n, func(ancestor *node) bool {
		found = c.sessionOf[ancestor] != nil
		return !found
	})
	return found
}

// tieByMemory: the client that was certainly its has exited since, or it lives
// and its command cannot be read any more.
func (c *correlation) tieByMemory(k *claim) {
	last, seen := c.past.containers[k.container.ID]
	if !seen || !last.exact {
		return
	}
	if c.lives(last.client) {
		c.keepByMemory(k, last)
		return
	}
	if !c.whole {
		return
	}
	k.settled, k.exact, k.finding = true, true, FindingOrphaned
	k.owner = last.owner
	k.owner.Liveness = LivenessGone
	k.note(SaysOrphaned, true, "its client, docker run %d, is gone", last.client.PID)
}

// keepByMemory keeps what a client was seen to have that cannot be known for one
// now. One that is known is matched as all others are.
func (c *correlation) keepByMemory(k *claim, last lastClient) {
	n := c.byPID[last.client.PID]
	if _, known := dockercli.Parse(n.Args()); known || c.isGone(n) {
		return
	}
	k.settled, k.owner = true, last.owner
	k.note(SaysOwned, true, "process %d, which was seen to be its client, lives", n.PID)
}

func (c *correlation) lives(id inventory.ID) bool {
	n := c.byPID[id.PID]
	return n != nil && n.Alive() && mayBe(n, id)
}

// class is the containers and clients of one image, labels and command.
type class struct {
	claims  []*claim
	clients []*client
}

// classesOf groups what no exact tie has settled. A client that names a
// container which is there is no member: it has its own.
func classesOf(claims []*claim, clients []*client) []*class {
	of := map[*claim]*class{}
	var classes []*class
	for _, k := range claims {
		if !k.settled {
			of[k] = &class{claims: []*claim{k}}
			classes = append(classes, of[k])
		}
	}
	for _, cl := range clients {
		if cl.bound == nil {
			classes = joinClient(classes, of, cl)
		}
	}
	return classes
}

// joinClient adds a client, and makes one class of all that it could belong to.
func joinClient(classes []*class, of map[*claim]*class, cl *client) []*class {
	var joined *class
	for _, other := range slices.Clone(classes) {
		if !slices.ContainsFunc(other.claims, func(k *claim) bool { return sameClass(cl, k.container) }) {
			continue
		}
		if joined == nil {
			joined = other
			continue
		}
		joined.claims = append(joined.claims, other.claims...)
		joined.clients = append(joined.clients, other.clients...)
		classes = slices.DeleteFunc(classes, func(c *class) bool { return c == other })
	}
	if joined != nil {
		joined.clients = append(joined.clients, cl)
		for _, k := range joined.claims {
			of[k] = joined
		}
	}
	return classes
}

// startsServer reports that a client known for a server runs this very image.
func startsServer(cl *client, container *inventory.Container) bool {
	return cl.unit.server && dockercli.SameImage(cl.line.Image, container.Image) && sameClass(cl, container)
}

// matchClass decides the containers of a class: one that no live client could
// have is orphaned, one that every assignment needs is owned, and what could
// still be somebody's is ambiguous.
func (c *correlation) matchClass(class *class) {
	live := slices.DeleteFunc(slices.Clone(class.clients), func(cl *client) bool { return cl.gone })
	fits := func(cl, k int) bool { return c.couldRun(live[cl], class.claims[k].container) }
	m := match(len(live), len(class.claims), fits)
	if !m.satisfied(func(cl int) bool { return c.hasToHave(live[cl]) }) {
		// A client without its container contradicts what was concluded from
		// times and stdin: only the class itself is left to go by.
		m = match(len(live), len(class.claims), func(cl, k int) bool { return sameClass(live[cl], class.claims[k].container) })
	}
	claimable, spare := m.claimable(), m.spare()
	for i, k := range class.claims {
		k.server = k.server || slices.ContainsFunc(class.clients, func(cl *client) bool { return startsServer(cl, k.container) })
		switch {
		case !claimable[i]:
			c.settleUnclaimed(k)
		case spare[i]:
			c.settleAmbiguous(k, m, i, live)
		default:
			c.settleMatched(k, m, i, live)
		}
	}
}

func (c *correlation) settleUnclaimed(k *claim) {
	if k.hidden != "" {
		k.note(SaysSilent, false, "no client of it is to be seen, but %s", k.hidden)
		return
	}
	if !c.readable || !c.docker.seesClientsOf(k.container) {
		k.note(SaysSilent, false, "no client of it is to be seen, but not every client of this engine can be seen from here")
		return
	}
	k.finding = FindingOrphaned
	k.owner = Owner{Liveness: LivenessGone}
	if last, seen := c.past.containers[k.container.ID]; seen {
		k.owner = last.owner
		k.owner.Liveness = LivenessGone
	}
	text := "no live client could be its: each of its image has a container of its own, or is gone"
	if k.container.Stdin == inventory.PeerClosed {
		text += "; nobody holds its stdin"
	}
	k.note(SaysOrphaned, true, "%s", text)
}

func (c *correlation) settleAmbiguous(k *claim, m *matching, i int, live []*client) {
	k.finding = FindingAmbiguous
	k.unproven = fmt.Sprintf("it could be that of any of %s", count(len(candidatesOf(m, i)), "live client"))
	k.owner = c.commonOwner(m, i, live)
	k.note(SaysSilent, false, "%d containers and %d live clients of its class: which is whose cannot be told", len(m.client), len(live))
}

func (c *correlation) settleMatched(k *claim, m *matching, i int, live []*client) {
	if candidates := candidatesOf(m, i); len(candidates) == 1 {
		k.client = live[candidates[0]]
		k.client.bound = k
		c.settleByClient(k, k.client)
		k.exact = k.finding == FindingNone && onlyOne(m, candidates[0])
		return
	}
	k.owner = c.commonOwner(m, i, live)
	k.owner.Liveness = LivenessLive
	k.note(SaysOwned, true, "%s of its class and as many live clients: one of them is its", count(len(m.client), "container"))
}

func candidatesOf(m *matching, thing int) []int {
	var clients []int
	for cl, things := range m.fits {
		if slices.Contains(things, thing) {
			clients = append(clients, cl)
		}
	}
	return clients
}

func onlyOne(m *matching, cl int) bool { return len(m.fits[cl]) == 1 }

// commonOwner is the owner of all clients that could have the container, where
// they have the same one.
func (c *correlation) commonOwner(m *matching, i int, live []*client) Owner {
	var common Owner
	for at, cl := range candidatesOf(m, i) {
		owner := c.ownerOfClient(live[cl])
		if at > 0 && owner.ID != common.ID {
			return Owner{Liveness: LivenessUnknown}
		}
		common = owner
	}
	return common
}

// tieGoneClients pairs clients that nobody is behind with orphaned containers
// of their class. Which gets which does not matter, since all of them go; a
// client whose container may be somebody else's is left, because ending it is
// what leaks the container.
func (c *correlation) tieGoneClients(claims []*claim, clients []*client) {
	var gone []*client
	for _, cl := range clients {
		if cl.gone && cl.bound == nil {
			gone = append(gone, cl)
		}
	}
	m := match(len(gone), len(claims), func(cl, k int) bool {
		orphan := claims[k].finding == FindingOrphaned && claims[k].client == nil
		return orphan && c.couldRun(gone[cl], claims[k].container)
	})
	for i, cl := range gone {
		if m.thing[i] >= 0 {
			cl.bound = claims[m.thing[i]]
			cl.bound.client = cl
			cl.bound.unproven = letGoByStranger(cl)
			if cl.bound.owner.ID.IsZero() {
				cl.bound.owner = formerOwner(cl)
			}
			continue
		}
		c.guardClient(cl, claims)
	}
	c.allowClosing(claims, gone)
	for _, cl := range clients {
		if target := cl.unit.target; cl.bound != nil && target != nil && !slices.Contains(target.Containers, cl.bound.container.ID) {
			target.Containers = append(target.Containers, cl.bound.container.ID)
		}
	}
}

// allowClosing gives every orphaned container that could be that of a client
// which is only being let go of, and which it is is not known, that client's live
// owner: it then gets the time of a graceful close.
func (c *correlation) allowClosing(claims []*claim, gone []*client) {
	for _, cl := range gone {
		if target := cl.unit.target; target == nil || target.Finding != FindingDisconnected {
			continue
		}
		for _, k := range claims {
			if k.finding == FindingOrphaned && !k.exact && c.couldRun(cl, k.container) {
				k.owner = formerOwner(cl)
			}
		}
	}
}

// mayBeSomebodys reports a container that runs, was started with -i as far as is
// known, and of which it is not known whose it is.
func (k *claim) mayBeSomebodys() bool {
	withStdin := k.container.OpenStdin.Or(true) && k.container.StdinOnce.Or(true)
	unsure := k.finding != FindingOrphaned && k.client == nil && !k.managed && k.owner.Liveness != LivenessLive
	return k.container.Running() && withStdin && unsure
}

// guardClient vetoes ending a client whose container cannot be named.
func (c *correlation) guardClient(cl *client, claims []*claim) {
	why := ""
	switch {
	case c.docker.failed:
		why = "the container engine did not answer, and ending the client is what leaks its container"
	case c.past.engineFailed:
		why = "the container engine did not answer in the look before, and ending the client is what leaks its container"
	case c.docker.partial:
		why = "not every container could be read, and ending the client is what leaks its container"
	case !c.docker.known:
		why = "no container engine is to be seen, and ending the client is what leaks its container"
	case cl.line.Program != "docker" || cl.line.Global.Host != "" || cl.line.Global.Context != "":
		why = "it may be the client of an engine that is not looked at, and ending it is what leaks its container"
	}
	for _, k := range claims {
		if k.finding == FindingAmbiguous && sameClass(cl, k.container) {
			why = "which of the containers of its class is its cannot be told, and ending it is what leaks it"
		}
		if k.mayBeSomebodys() && c.couldRun(cl, k.container) {
			why = fmt.Sprintf("container %.12s may be its and stays, and ending the client is what leaks it", k.container.ID)
		}
	}
	if target := cl.unit.target; why != "" && target != nil {
		target.Vetoes = append(target.Vetoes, Veto{GuardEngine, why})
	}
}

// addContainer makes a target of a container and remembers its client.
func (c *correlation) addContainer(k *claim) {
	last := lastClient{server: k.server, owner: k.owner}
	if past, seen := c.past.containers[k.container.ID]; seen && k.client == nil {
		last.client, last.exact, last.target = past.client, past.exact, past.target
		if k.owner.ID.IsZero() {
			last.owner = past.owner
		}
	}
	if k.client != nil {
		last.client, last.exact = k.client.ID(), k.exact
		if target := k.client.unit.target; target != nil {
			last.target = target.ID
		}
	}
	c.lastClients[k.container.ID] = last
	c.targets = append(c.targets, c.containerTarget(k, last))
}

func (c *correlation) containerTarget(k *claim, last lastClient) *Target {
	if k.owner.Liveness == "" {
		k.owner.Liveness = LivenessUnknown
	}
	name := k.class.Name
	if name == "" {
		name = dockercli.ImageBase(k.container.Image)
	}
	target := &Target{
		ID: k.container.ID, Kind: KindContainer, Name: name, How: k.class.Why, Container: k.container,
		Incidental: !k.server, Owner: k.owner, Finding: k.finding, Evidence: k.evidence,
		Age: c.containerAge(k.container),
	}
	if k.client != nil && last.target != "" {
		target.Client = last.target
	}
	if k.unproven != "" {
		target.Vetoes = append(target.Vetoes, Veto{GuardUnproven, k.unproven})
	}
	if target.Incidental {
		target.Finding, target.Owner = FindingNone, Owner{Liveness: LivenessUnknown}
	}
	c.measureContainer(target)
	return target
}
