package graph

import (
	"cmp"
	"slices"

	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/inventory"
)

// node is one live process of the table with what is known about it.
type node struct {
	*inventory.Process
	args     []string // see Args; nil until it is asked for
	class    inventory.Class
	children []*node
	dead     []*node // children that have ended and are not waited for

	// parent is the process that the table names as its parent; nil if there is none
	// or it cannot be seen. lineage says what that proves.
	parent  *node
	lineage lineage

	first  bool // the first process of a container
	execd  bool // started by docker exec: its runner is outside
	sealed bool // in a container that is an MCP server or is not known; never judged as a process

	docker  *cmdline.ContainerLine // the arguments of a container CLI; nil for other programs
	server  bool
	likely  bool // of a server: it is only likely to be one
	byShape bool
	how     string
	client  bool     // it gives servers their stdio, and is nobody's server
	person  string   // why it is a person's program that a server opened; empty is not
	session *session // nil: part of no session
	below   *session // the nearest above it, once placed
	placed  bool
	tree    *tree // nil: part of no MCP server
	inner   bool  // it is on the way from a server to the root of its tree
	root    *node // of a server: the root of its tree
	rooted  *tree // the tree whose root it is; nil is none
	memory  remembered
	target  *Target // the target that it is part of; nil for none
	record  *record // of that target
}

// Args is [inventory.Process.Args], worked out once.
func (n *node) Args() []string {
	if n.args == nil {
		n.args = n.Process.Args()
	}
	return n.args
}

// program is the base name of its program; "" if its arguments are not known.
func (n *node) program() string { return cmdline.ProgramName(append(n.Args(), "")[0]) }

// lineage is what a process's parent proves.
type lineage uint8

const (
	lineageUnknown  lineage = iota // the parent cannot be seen: it may be anybody
	lineageLive                    // it is the process's own parent, or close enough to be taken for it
	lineageBoundary                // init, a subreaper, a shim: adopts processes and proves nothing
	lineageAdopted                 // another process than the one that started it
)

// containerLineOf is the command line of a container CLI; nil for other programs.
func containerLineOf(n *node) *cmdline.ContainerLine {
	line, ok := cmdline.ReadContainer(n.Args())
	if !ok {
		return nil
	}
	container := line // only what is a container CLI's is moved to the heap
	return &container
}

// table is a snapshot with indexes and with each process placed below its parent.
type table struct {
	snapshot   *inventory.Snapshot
	catalogue  Catalogue
	nodes      []*node // live processes, parents before children where starts tell
	byPID      map[int]*node
	containers map[string]*inventory.Container
	past       memory

	// everyHolderSeen: every live process's descriptors were read, so an open end has
	// no holders but those listed.
	everyHolderSeen bool
	inFlight        []*node // live processes with descriptors in flight to them: they may hold any end
	readable        bool    // the process table could be read at all
	whole           bool    // no process is missing from it: what it does not list does not run
	severalUsers    bool    // the processes are of more than one user
	docker          inventory.Engines

	connected       map[int]bool // PIDs that are connected to an engine
	everyConnection bool         // all of these are known
	everyRunnerSeen bool         // all runners of the engines must be in the table

	engineRunners    []*node                  // of nodes, the runners of container engines that stay
	inContainers     map[string][]*node       // of nodes, by the id of their container
	images           map[string]cmdline.Image // answers of imageOf
	serverContainers map[string]bool          // answers of isServerContainer
}

// imageOf parses each reference once.
func (t *table) imageOf(ref string) cmdline.Image {
	image, parsed := t.images[ref]
	if !parsed {
		image = cmdline.NormalImage(ref)
		t.images[ref] = image
	}
	return image
}

func newTable(snapshot *inventory.Snapshot, known Catalogue, past memory) *table {
	t := &table{
		snapshot: snapshot, catalogue: known, past: past,
		byPID:            make(map[int]*node, len(snapshot.Processes)),
		containers:       make(map[string]*inventory.Container, len(snapshot.Containers)),
		docker:           snapshot.Engines(),
		inContainers:     map[string][]*node{},
		images:           map[string]cmdline.Image{},
		serverContainers: map[string]bool{},
	}
	for i := range snapshot.Containers {
		t.containers[snapshot.Containers[i].ID] = &snapshot.Containers[i]
	}
	t.addProcesses()
	t.indexContainers()
	t.readSources()
	t.findConnected()
	for _, n := range t.nodes {
		t.placeInContainer(n)
	}
	t.findHubs()
	for _, n := range t.nodes {
		t.joinParent(n)
	}
	return t
}

func (t *table) addProcesses() {
	all := make([]node, len(t.snapshot.Processes))
	t.nodes = make([]*node, 0, len(all))
	for i := range all {
		process, n := &t.snapshot.Processes[i], &all[i]
		n.Process = process
		t.byPID[process.PID] = n
		if !process.Alive() {
			continue
		}
		n.class = t.catalogue.Process(process)
		n.docker = containerLineOf(n)
		if past := t.past.processes[process.ID()]; past != nil {
			n.memory, n.person = *past, past.person
		}
		if len(process.Argv) == 0 && n.class.Role == inventory.RoleNone {
			n.class = n.memory.class
		}
		t.nodes = append(t.nodes, n)
	}
	slices.SortStableFunc(t.nodes, olderFirst)
}

// indexContainers notes which processes run in containers, and which ask for some.
func (t *table) indexContainers() {
	for _, n := range t.nodes {
		if n.ContainerID != "" {
			t.inContainers[n.ContainerID] = append(t.inContainers[n.ContainerID], n)
		}
		if n.docker != nil && n.docker.Stays() {
			t.engineRunners = append(t.engineRunners, n)
		}
	}
}

func olderFirst(a, b *node) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.PID, b.PID))
}

// readSources works out how complete the table is. A snapshot without sources does
// not say how well it was read: its processes count, and a process that is missing
// from it does not count as gone.
func (t *table) readSources() {
	source, found := t.snapshot.Source(inventory.SourceProcesses)
	read := source.Status == inventory.StatusOK || source.Status == inventory.StatusPartial
	t.readable = read || len(t.snapshot.Sources) == 0
	t.whole = source.Whole()
	t.everyHolderSeen = !found || source.Status == inventory.StatusOK
	users := map[int]bool{}
	for _, n := range t.nodes {
		if n.OpenFDs.IsUnreadable() || n.UnseenFDs.IsUnreadable() {
			t.everyHolderSeen = false
		}
		if n.UnseenFDs.Or(0) > 0 {
			t.inFlight = append(t.inFlight, n)
		}
		if uid, known := n.UID.Get(); known {
			users[uid] = true
		}
	}
	t.severalUsers = len(users) > 1
}

// joinParent links a process to its parent and works out what that proves.
func (t *table) joinParent(n *node) {
	ppid, known := n.PPID.Get()
	if !known {
		return
	}
	if ppid == 0 {
		n.lineage = lineageBoundary
		return
	}
	parent := t.byPID[ppid]
	if parent == nil {
		return
	}
	if !parent.Alive() {
		n.lineage = lineageAdopted
		return
	}
	n.parent = parent
	parent.children = append(parent.children, n)
	n.lineage = t.judgeParent(n, parent)
}

func (t *table) judgeParent(n, parent *node) lineage {
	recognised := parent.class.Role == inventory.RoleSession || parent.class.Role == inventory.RoleGateway
	switch {
	case t.isBoundary(parent) && !recognised:
		return lineageBoundary
	case n.Start != 0 && parent.Start > n.Start:
		return lineageAdopted
	case n.Reparented, !n.memory.parent.IsZero() && !mayBe(parent, n.memory.parent):
		return lineageAdopted
	case otherSession(n, parent):
		return lineageAdopted
	}
	return lineageLive
}

// first is the first of these for which a claim holds; the zero value is none.
func first[T any](all []T, that func(T) bool) (found T) {
	if i := slices.IndexFunc(all, that); i >= 0 {
		found = all[i]
	}
	return found
}

// mayBe reports that a process may have that identity. A start of 0 was left out and
// fits any.
func mayBe(n *node, id inventory.ID) bool {
	return n.PID == id.PID && (n.Start == id.Start || n.Start == 0 || id.Start == 0)
}

// lives reports that exactly this process runs.
func (t *table) lives(id inventory.ID) bool {
	n := t.byPID[id.PID]
	return n != nil && n.Alive() && mayBe(n, id)
}

// mayLive reports that the process runs, or may run in a table from which processes
// are missing.
func (t *table) mayLive(id inventory.ID) bool {
	return t.lives(id) || t.byPID[id.PID] == nil && !t.whole
}

// otherSession reports that the parent cannot have forked the process. A process that
// leads no session has its forker's session id, unless the parent has begun a session
// of its own since. A session id of 0 (its leader is outside the PID namespace)
// proves nothing.
func otherSession(n, parent *node) bool {
	own, known := n.SID.Get()
	parents, alsoKnown := parent.SID.Get()
	if !known || !alsoKnown || own == 0 || parents == 0 {
		return false
	}
	return own != n.PID && parents != own && parents != parent.PID
}

func (t *table) isBoundary(n *node) bool {
	return n.PID == 1 || n.class.Role == inventory.RoleBoundary || n.first
}

// above visits a process's live ancestors, nearest first, while visit returns true. It
// stops at a boundary, at an adopted process, and at a parent that cannot be seen.
func above(n *node, visit func(*node) (goOn bool)) {
	for n.lineage == lineageLive && visit(n.parent) {
		n = n.parent
	}
}

// ancestor is the nearest live ancestor for which a claim holds; nil is none.
func ancestor(n *node, that func(*node) bool) (found *node) {
	above(n, func(at *node) bool {
		if that(at) {
			found = at
		}
		return found == nil
	})
	return found
}

// countDead adds ended children to the parents that have not waited for them.
func (t *table) countDead() {
	for i := range t.snapshot.Processes {
		process := &t.snapshot.Processes[i]
		if process.Alive() || process.State != "Z" {
			continue
		}
		if parent := t.byPID[process.PPID.Or(0)]; parent != nil && parent.Alive() {
			parent.dead = append(parent.dead, t.byPID[process.PID])
		}
	}
}
