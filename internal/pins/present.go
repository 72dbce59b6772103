package pins

import (
	"context"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/docker"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/scan"
	"github.com/reaperd/reaperd/internal/state"
)

// present is what is there now of all that may be pinned.
type present struct {
	boot      string
	processes map[string]bool // that run; nil: they could not be read
	users     map[string]int  // of these, as far as they are known
	// containers are those that are there, by id: whether they run. Where whole is not set,
	// others may be there too.
	containers map[string]bool
	whole      bool
}

// processesNow are the present boot and the processes in it.
func processesNow(ctx context.Context) (present, error) {
	scanner, err := scan.New(scan.Options{})
	if err != nil {
		return present{}, err
	}
	defer scanner.Close()
	look, err := scanner.Processes(ctx)
	if err != nil {
		return present{}, err
	}
	return processesIn(look.Host.BootID, look.Processes), nil
}

// processesIn are a boot and the processes that run in it.
func processesIn(boot string, running []inventory.Process) present {
	now := present{boot: boot, processes: make(map[string]bool, len(running)), users: map[string]int{}}
	for i := range running {
		id := running[i].ID().String()
		now.processes[id] = true
		if uid, known := running[i].UID.Get(); known {
			now.users[id] = uid
		}
	}
	return now
}

// enginesWithin is how long the engines may take to list their containers.
const enginesWithin = 3 * time.Second

// readContainers adds the containers that the engines list.
func (n *present) readContainers(ctx context.Context) {
	engines := docker.New(docker.Options{Environment: docker.HostEnvironment(), Timeout: enginesWithin})
	defer engines.Close()
	containers, sources := engines.Containers(ctx)
	n.addContainers(&inventory.Snapshot{Containers: containers, Sources: sources})
}

func (n *present) addContainers(look *inventory.Snapshot) {
	n.containers, n.whole = make(map[string]bool, len(look.Containers)), look.Engines().ReadAll("")
	for i := range look.Containers {
		n.containers[look.Containers[i].ID] = look.Containers[i].Running()
	}
}

// MayBeThere are those of some pins of which the look shows something, or could not show
// everything. The others keep nothing: what was pinned has ended.
func MayBeThere(look *inventory.Snapshot, pins []state.Pin) []state.Pin {
	now := processesIn(look.Host.BootID, look.Processes)
	now.addContainers(look)
	return slices.DeleteFunc(slices.Clone(pins), func(pin state.Pin) bool { return now.line(pin).gone })
}

// partsOf are the ids of all that a pin keeps.
func partsOf(pin state.Pin) []string { return append([]string{pin.ID}, pin.Members...) }

func hasContainer(pin state.Pin) bool {
	return slices.ContainsFunc(partsOf(pin), inventory.IsContainerID)
}

// line is a pin, with what is there of it and whether its owner still lives.
func (n *present) line(pin state.Pin) line {
	l := n.lineOf(pin)
	l.ownerGone = pin.OwnerID != "" && n.processes != nil && !n.processes[pin.OwnerID]
	return l
}

func (n *present) lineOf(pin state.Pin) line {
	runs, there := false, false
	for _, id := range partsOf(pin) {
		runningContainer, isListed := n.containers[id]
		runs = runs || n.processes[id] || runningContainer
		there = there || n.processes[id] || isListed
	}
	unread := isProcess(pin) && n.processes == nil || hasContainer(pin) && !n.whole
	switch {
	case runs:
		return line{Pin: pin, Running: new(true)}
	case unread:
		return line{Pin: pin}
	}
	return line{Pin: pin, Running: new(false), gone: !there}
}
