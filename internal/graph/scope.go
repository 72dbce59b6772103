package graph

import (
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/dockercli"
	"github.com/reaperd/reaperd/internal/inventory"
)

// engines is what can be said about the container engines of a snapshot.
type engines struct {
	known          bool                        // an engine answered
	failed         bool                        // an engine is there and did not answer
	partial        bool                        // not every container of an engine could be read
	sources        map[string]inventory.Source // those that answered, by endpoint
	clientsVisible map[string]bool             // by endpoint
	anyInvisible   bool
	tableWhole     bool // no process is missing from the table
	onLinux        bool
}

func readEngines(snapshot *inventory.Snapshot) engines {
	e := engines{clientsVisible: map[string]bool{}, sources: map[string]inventory.Source{}, onLinux: snapshot.Host.OS == "linux"}
	for _, source := range snapshot.Sources {
		if source.Name != inventory.SourceDocker {
			continue
		}
		switch source.Status {
		case inventory.StatusOK, inventory.StatusPartial:
			e.known = true
			e.partial = e.partial || source.Status == inventory.StatusPartial
			visible := clientsVisible(source, snapshot.Host)
			e.clientsVisible[source.Endpoint], e.sources[source.Endpoint] = visible, source
			e.anyInvisible = e.anyInvisible || !visible
		case inventory.StatusError:
			e.failed = true
		}
	}
	return e
}

// clientsVisible reports whether every client of the engine must stand in the
// table; where the source does not say, a unix endpoint seen from the host's
// own PID namespace is taken to be local.
func clientsVisible(source inventory.Source, host inventory.Host) bool {
	fallback := strings.HasPrefix(source.Endpoint, "unix:") && host.PIDNamespace == "init"
	return source.ClientsVisible.Or(fallback)
}

// seesClientsOf reports whether every client of the container's engine must be
// in the table.
func (e engines) seesClientsOf(c *inventory.Container) bool {
	if !e.tableWhole {
		return false
	}
	if visible, named := e.clientsVisible[c.Engine]; named && c.Engine != "" {
		return visible
	}
	return len(e.clientsVisible) > 0 && !e.anyInvisible
}

// sourceOf is the engine that a container was seen at; where only one answered,
// it is that one's.
func (e engines) sourceOf(c *inventory.Container) (inventory.Source, bool) {
	if source, named := e.sources[c.Engine]; named {
		return source, true
	}
	for _, source := range e.sources {
		return source, len(e.sources) == 1
	}
	return inventory.Source{}, false
}

// sharesClock reports that the container's engine has this host's clock. One in
// a virtual machine has its own, which may be off by seconds after a sleep.
// Where the source does not say, an engine at a unix endpoint of a Linux host is
// taken to be local.
func (e engines) sharesClock(c *inventory.Container) bool {
	source, found := e.sourceOf(c)
	return found && source.SameClock.Or(e.onLinux && strings.HasPrefix(source.Endpoint, "unix:"))
}

// reaches reports that a user is known to be able to use the container's engine:
// root, the observer's own user, who did, and those whom the source lists.
func (e engines) reaches(uid int, observer inventory.Fact[int], c *inventory.Container) bool {
	source, found := e.sourceOf(c)
	own, known := observer.Get()
	return uid == 0 || known && uid == own || found && slices.Contains(source.ClientUIDs, uid)
}

// placeInContainer tells whether a process is the first of its container, was
// brought into it from outside, or must not be judged as a process at all.
func (t *table) placeInContainer(n *node) {
	if n.PID == 1 {
		n.first = t.snapshot.Host.PIDNamespace != "init" || n.ContainerID != ""
		return
	}
	if outside, known := n.PPID.Get(); known && outside == 0 && t.snapshot.Host.PIDNamespace != "init" {
		n.execd = true
		return
	}
	if n.ContainerID == "" {
		n.first, n.sealed = t.placeBelowShim(n)
		return
	}
	if n.ContainerID == t.ownContainer() {
		return
	}
	container := t.containers[n.ContainerID]
	outermost := t.outermostInContainer(n)
	n.first = outermost == n && t.isFirstOf(n, container)
	n.execd = outermost == n && !n.first
	n.sealed = container == nil || t.isServerContainer(container) && t.isFirstOf(outermost, container)
}

// placeBelowShim tells whether a process whose container is not recorded stands
// in one all the same: a shim's child is the first of a container, or brought
// into it, and which container it is could not be told.
func (t *table) placeBelowShim(n *node) (first, sealed bool) {
	parent := t.byPID[n.PPID.Or(0)]
	if parent == nil || !parent.Alive() || parent.ContainerID != "" || isContainerShim(n) {
		return false, false
	}
	first = isContainerShim(parent)
	return first, first || parent.sealed
}

// isContainerShim reports the parent of a container's first process.
func isContainerShim(n *node) bool {
	name := n.Comm
	if args := n.Args(); len(args) > 0 {
		name = baseName(args[0])
	}
	return n.class.Role == RoleBoundary && (strings.HasPrefix(name, "containerd-shim") || name == "conmon")
}

// outermostInContainer climbs to the process that the shim started: the
// container's first, or one that docker exec brought in.
func (t *table) outermostInContainer(n *node) *node {
	for range len(t.nodes) {
		parent := t.byPID[n.PPID.Or(0)]
		if parent == nil || parent.ContainerID != n.ContainerID || !parent.Alive() {
			break
		}
		n = parent
	}
	return n
}

// ownContainer is the container whose PID namespace the table is, where it is one.
func (t *table) ownContainer() string {
	if init := t.byPID[1]; init != nil && t.snapshot.Host.PIDNamespace != "init" {
		return init.ContainerID
	}
	return ""
}

// isFirstOf reports whether a process under the shim is the one the container
// was started with: the one the engine names, else the oldest.
func (t *table) isFirstOf(n *node, container *inventory.Container) bool {
	if container != nil && container.PID != 0 {
		return container.PID == n.PID
	}
	for _, other := range t.nodes {
		if other.ContainerID == n.ContainerID && olderFirst(other, n) < 0 {
			return false
		}
	}
	return true
}

// isServerContainer reports that a container is an MCP server itself: it is
// judged as a container then, and never through its processes.
func (t *table) isServerContainer(container *inventory.Container) bool {
	known, asked := t.serverContainers[container.ID]
	if !asked {
		known = t.catalogue.Container(container).Role == RoleServer || t.past.containers[container.ID].server || t.hasServerClient(container)
		t.serverContainers[container.ID] = known
	}
	return known
}

// hasServerClient reports a live client of the container's image that the
// catalogue or a configuration knows for a server.
func (t *table) hasServerClient(container *inventory.Container) bool {
	for _, n := range t.nodes {
		if n.class.Role != RoleServer && n.Configured == "" {
			continue
		}
		if n.docker != nil && n.docker.Command == "run" && n.docker.PassesStdin() && dockercli.SameImage(n.docker.Image, container.Image) {
			return true
		}
	}
	return false
}
