package inventory

import (
	"path"
	"slices"
	"strings"
)

// PlaceInContainers sets the container of each process that has none recorded: the one
// that its cgroup names, else the one of the process that started it. The parent of a
// container's outermost processes is its monitor, whose arguments name the container.
func (s *Snapshot) PlaceInContainers() {
	byPID := make(map[int]*Process, len(s.Processes))
	for i := range s.Processes {
		p := &s.Processes[i]
		byPID[p.PID] = p
		if p.ContainerID == "" {
			p.ContainerID = ContainerIn(p.Cgroup)
		}
	}
	for i := range s.Processes {
		if p := &s.Processes[i]; p.ContainerID == "" && p.Cgroup == "" && p.Alive() {
			p.ContainerID = containerAbove(p, byPID)
		}
	}
}

// containerAbove is the container of the nearest process above of which it is known, or
// that the nearest monitor above names; "" is none.
func containerAbove(p *Process, byPID map[int]*Process) string {
	if _, monitor := p.Monitors(); monitor {
		return ""
	}
	for range byPID {
		above := byPID[p.PPID.Or(0)]
		if above == nil || !above.Alive() {
			return ""
		}
		if id, monitor := above.Monitors(); monitor {
			return id
		}
		if above.ContainerID != "" || above.Cgroup != "" {
			return above.ContainerID
		}
		p = above
	}
	return ""
}

// Monitors reports the process that an engine puts above a container's outermost ones,
// containerd-shim or podman's conmon, and the container that its arguments name; "" if
// they name none.
func (p *Process) Monitors() (id string, monitor bool) {
	args, flag := p.Args(), ""
	name := p.Comm
	if len(args) > 0 {
		name = path.Base(args[0])
	}
	switch {
	case strings.HasPrefix(name, "containerd-shim"):
		flag = "-id"
	case name == "conmon":
		flag = "-c"
	default:
		return "", false
	}
	if at := slices.Index(args, flag); at >= 0 && at+1 < len(args) && IsContainerID(args[at+1]) {
		id = args[at+1]
	}
	return id, true
}
