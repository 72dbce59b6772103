package graph

import (
	"slices"

	"github.com/reaperd/reaperd/internal/inventory"
)

// placeInContainer works out whether a process is the first of its container, was
// started in it from outside, or must not be judged as a process.
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
	n.sealed = container == nil || t.isServerContainer(container) && t.isFirstOf(outermost, container) && !t.hostsServers(container)
}

// placeBelowShim works out whether a process runs in a container although none is
// recorded for it. A shim's child is the first process of a container or was started
// by docker exec; which container it is cannot be told.
func (t *table) placeBelowShim(n *node) (first, sealed bool) {
	parent := t.byPID[n.PPID.Or(0)]
	if parent == nil || !parent.Alive() || parent.ContainerID != "" || isContainerShim(n) {
		return false, false
	}
	first = isContainerShim(parent)
	return first, first || parent.sealed
}

// isContainerShim reports the process that containerd or podman puts above a
// container's first process.
func isContainerShim(n *node) bool {
	_, monitor := n.Monitors()
	return monitor && n.class.Role == inventory.RoleBoundary
}

// outermostInContainer climbs to the process below the shim: the container's first,
// or one that docker exec started.
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

// ownContainer is the id of the container whose PID namespace this table shows; "" if
// it shows no container's.
func (t *table) ownContainer() string {
	if init := t.byPID[1]; init != nil && t.snapshot.Host.PIDNamespace != "init" {
		return init.ContainerID
	}
	return ""
}

// isFirstOf reports that a process below the shim is the container's first: the one
// that the engine names, else the oldest.
func (t *table) isFirstOf(n *node, container *inventory.Container) bool {
	if container != nil && container.PID != 0 {
		return container.PID == n.PID
	}
	return olderFirst(t.inContainers[n.ContainerID][0], n) == 0
}

// isServerContainer reports that a container is an MCP server itself, by its own labels
// or image, by memory, or by a live runner that the catalogue or a configuration knows as a
// server. It is then judged as a container and never by its processes.
func (t *table) isServerContainer(container *inventory.Container) bool {
	known, asked := t.serverContainers[container.ID]
	if !asked {
		known = t.catalogue.Container(container).Role == inventory.RoleServer || t.past.containers[container.ID].server || slices.ContainsFunc(t.engineRunners, func(n *node) bool {
			return t.runsAsServer(n, container)
		})
		t.serverContainers[container.ID] = known
	}
	return known
}

// runsAsServer reports that a runner of a known server runs this very image with this very
// command, on an engine that it reaches: who may not use the engine makes no server of what
// others run there. Without a command in its arguments it says nothing of other containers.
func (t *table) runsAsServer(n *node, container *inventory.Container) bool {
	line := n.docker
	if line.Command != "run" || !n.isServerRunner() || len(line.Args) == 0 || len(container.Command) == 0 || !t.reaches(n, container) {
		return false
	}
	image := t.imageOf(line.Image)
	return image.Key() != "" && image.Key() == t.imageOf(container.Image).Key() && line.MayRun(container.Labels, inventory.TrimArgs(container.Command))
}

// hostsServers reports a container in which several servers run, each with a stdin that another
// process of the container holds: a gateway's, or an agent's.
func (t *table) hostsServers(container *inventory.Container) bool {
	const several = 2
	count := 0
	for _, n := range t.inContainers[container.ID] {
		isServer := n.class.Role == inventory.RoleServer || n.class.Role == inventory.RoleGateway
		if parent := t.byPID[n.PPID.Or(0)]; isServer && parent != nil && parent.ContainerID == container.ID && !isSameStream(parent.Stdin, n.Stdin) {
			count++
		}
	}
	return count >= several
}

// findHubs makes a gateway of each process that starts the servers in a container of an MCP
// server's image: the programs in such images have no names of their own.
func (t *table) findHubs() {
	for id, inside := range t.inContainers {
		container := t.containers[id]
		if container == nil || t.catalogue.Container(container).Role != inventory.RoleServer || !t.hostsServers(container) {
			continue
		}
		for _, n := range inside {
			parent := t.byPID[n.PPID.Or(0)]
			if n.class.Role == inventory.RoleServer && parent != nil && parent.class.Role == inventory.RoleNone && !parent.first && parent.ContainerID == id {
				parent.class = inventory.Class{Role: inventory.RoleGateway, Name: t.catalogue.Container(container).Name, Why: "it starts the servers in container " + container.Handle()}
			}
		}
	}
}
